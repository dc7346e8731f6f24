/**
 * The example: candles from trades, on Millrace and on the JDK's own collections.
 *
 * <pre>
 *   input.Feeds --Trade--> candle.CandleEngine --Candle--> output.CandleOutput
 * </pre>
 */
package dev.millrace.ohlcv;
