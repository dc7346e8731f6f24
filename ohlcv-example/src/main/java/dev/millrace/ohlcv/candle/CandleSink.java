package dev.millrace.ohlcv.candle;

import java.io.IOException;

/** Where an engine leaves its candles. Called by the engine's own thread, one call at a time. */
public interface CandleSink {
  /**
   * Takes a candle that will not change any more.
   *
   * @param candle valid during the call
   * @throws IOException if it cannot be written; the engine ends with that
   */
  void candle(CandleView candle) throws IOException;

  /**
   * Hears of a trade that would not fit: a sum of its candle would exceed 128 bits. The candle
   * stays as it was. An exception ends the engine.
   *
   * @param line where the trade came from
   * @param field which sum
   */
  default void refused(long line, String field) {
    throw new ArithmeticException("sum of " + field + " must fit 128 bits: line=" + line);
  }
}
