/**
 * Small programs that show one thing each, and a larger one that shows them together. Each is one
 * file that needs nothing but the library and {@code trades.csv}.
 */
package dev.millrace.ohlcv.programs;
