/**
 * The example: candles from trades.
 *
 * <pre>
 *   input.Feeds --Trade--> candle.CandleEngine --Candle--> output.CandleOutput
 * </pre>
 */
package dev.millrace.ohlcv;
