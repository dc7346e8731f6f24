package dev.millrace.ohlcv.candle;

import java.io.IOException;

/**
 * Where an engine leaves its candles. Called by one thread at a time; an exception ends the engine.
 */
public interface CandleSink {
  /** Takes a candle that will not change any more. */
  void candle(Candle candle) throws IOException;

  /**
   * Hears of a trade that is in no candle.
   *
   * @param trade valid during the call
   */
  default void refused(Trade trade, Refusal why) throws IOException {}
}
