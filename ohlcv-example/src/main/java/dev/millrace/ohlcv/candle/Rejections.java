package dev.millrace.ohlcv.candle;

/** Hears of trades that will be in no candle, in the thread that found out. */
public interface Rejections {
  /** Does nothing. */
  Rejections NONE = (trade, reason) -> {};

  /** Stands for the symbol where it is not known. */
  int NO_SYMBOL = -1;

  /**
   * Hears of a trade.
   *
   * @param trade valid during the call; price and volume are 0 if they could not be read
   * @param reason which rule it breaks
   */
  void rejected(Trade trade, String reason);
}
