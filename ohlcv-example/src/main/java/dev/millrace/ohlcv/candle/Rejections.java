package dev.millrace.ohlcv.candle;

/** Hears of trades that will be in no candle, in the thread that found out. */
public interface Rejections {
  /** Does nothing. */
  Rejections NONE = (line, symbol, price, priceScale, volume, volumeScale, reason) -> {};

  /** Stands for the symbol where it is not known. */
  int NO_SYMBOL = -1;

  /**
   * Hears of a trade.
   *
   * @param line where it came from
   * @param symbol the symbol's number, or {@link #NO_SYMBOL}
   * @param price the price without its point; 0 if it could not be read
   * @param volume the volume without its point; 0 if it could not be read
   * @param reason which rule it breaks
   */
  void rejected(
      long line,
      int symbol,
      long price,
      int priceScale,
      long volume,
      int volumeScale,
      String reason);
}
