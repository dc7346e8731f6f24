package dev.millrace.ohlcv.candle;

/**
 * A trade in native memory, in 56 bytes. The library writes the class that reads and writes them.
 */
public interface TradeRecord extends Trade {
  /** Sets the line. */
  TradeRecord line(long value);

  /** Sets the symbol's number. */
  TradeRecord symbol(int value);

  /** Sets the time. */
  TradeRecord timeNanos(long value);

  /** Sets the price without its point. */
  TradeRecord price(long value);

  /** Sets the decimals of the price. */
  TradeRecord priceScale(int value);

  /** Sets the volume without its point. */
  TradeRecord volume(long value);

  /** Sets the decimals of the volume. */
  TradeRecord volumeScale(int value);

  /** Sets who took it. */
  TradeRecord side(Side value);

  /** Sets how many trades it stands for. */
  TradeRecord trades(int value);

  /** Copies another trade into this one. */
  default TradeRecord set(Trade other) {
    return line(other.line())
        .symbol(other.symbol())
        .timeNanos(other.timeNanos())
        .price(other.price())
        .priceScale(other.priceScale())
        .volume(other.volume())
        .volumeScale(other.volumeScale())
        .side(other.side())
        .trades(other.trades());
  }
}
