/**
 * The example: candles from trades, on Millrace and on the JDK's own collections.
 *
 * <pre>
 *   input.TradeReader --TradeRow--> candle.CandleEngine --CandleView--> output.CandleOutput
 * </pre>
 */
package dev.millrace.ohlcv;
