/**
 * From trades to candles: exact decimals, the engines (with two threads, in shards, by stages on a
 * ring), and the window of candles that are still open.
 *
 * <p>A trade is a scaled 64-bit price and volume, each with a scale of its own, so that nothing is
 * ever rounded; volumes are summed in 128 bits. {@link dev.millrace.ohlcv.candle.CandleEngine} is
 * the boundary: one thread feeds it, it emits each candle once, in order of time per symbol, and
 * any thread may read the candles that are still open.
 */
package dev.millrace.ohlcv.candle;
