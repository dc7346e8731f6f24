/** Millrace ohlcv. */
package dev.millrace.ohlcv;
