/**
 * What the example tells of its work while it is at it, by telemetry in a file: counters, and a
 * trace of rejected trades, closed candles and latencies; and what shows it.
 */
package dev.millrace.ohlcv.trace;
