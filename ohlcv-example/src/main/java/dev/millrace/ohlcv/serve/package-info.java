/**
 * Candles served over HTTP while trades come in: {@link dev.millrace.ohlcv.serve.Replay} feeds the
 * engine, {@link dev.millrace.ohlcv.serve.CandleQueries} answers from it, and {@link
 * dev.millrace.ohlcv.serve.CandleServer} speaks HTTP.
 */
package dev.millrace.ohlcv.serve;
