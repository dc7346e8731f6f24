/**
 * Telemetry of the example in a file, written while it works: counters, and a trace of rejected
 * trades and closed candles; and the view that shows it.
 */
package dev.millrace.ohlcv.trace;
