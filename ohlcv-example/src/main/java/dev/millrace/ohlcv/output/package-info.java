/** From candles to text: CSV, JSON, and a table with a plot; to the standard output or a file. */
package dev.millrace.ohlcv.output;
