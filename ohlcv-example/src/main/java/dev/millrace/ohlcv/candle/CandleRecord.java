package dev.millrace.ohlcv.candle;

import dev.millrace.flyweight.Length;
import java.math.BigDecimal;

/**
 * A candle in native memory, in 152 bytes. Prices are scaled longs, sums have 128 bits, each with a
 * scale of its own. The library writes the class that reads and writes the fields.
 */
interface CandleRecord {
  int OPEN = 0;
  int HIGH = 1;
  int LOW = 2;
  int CLOSE = 3;

  int VOLUME = 0;
  int QUOTE = 1;
  int TAKER_BUY = 2;
  int TAKER_BUY_QUOTE = 3;
  int SUMS = 4;

  int symbol();

  CandleRecord symbol(int value);

  long openTimeNanos();

  CandleRecord openTimeNanos(long value);

  long count();

  CandleRecord count(long value);

  /** Whether the candle has a trade, which a count of 0 does not rule out. */
  boolean traded();

  CandleRecord traded(boolean value);

  long firstTimeNanos();

  CandleRecord firstTimeNanos(long value);

  long lastTimeNanos();

  CandleRecord lastTimeNanos(long value);

  @Length(4)
  long price(int which);

  CandleRecord price(int which, long unscaled);

  @Length(4)
  byte priceScale(int which);

  CandleRecord priceScale(int which, byte scale);

  @Length(SUMS)
  long sumHigh(int which);

  CandleRecord sumHigh(int which, long bits);

  @Length(SUMS)
  long sumLow(int which);

  CandleRecord sumLow(int which, long bits);

  @Length(SUMS)
  byte sumScale(int which);

  CandleRecord sumScale(int which, byte scale);

  /** Takes the trade's price and count. */
  default void add(Trade trade) {
    long time = trade.timeNanos();
    boolean first = !traded();
    if (first || time < firstTimeNanos()) {
      firstTimeNanos(time).setPrice(OPEN, trade);
    }
    if (first || time >= lastTimeNanos()) {
      lastTimeNanos(time).setPrice(CLOSE, trade);
    }
    if (first || compare(trade, HIGH) > 0) {
      setPrice(HIGH, trade);
    }
    if (first || compare(trade, LOW) < 0) {
      setPrice(LOW, trade);
    }
    traded(true).count(count() + trade.trades());
  }

  private int compare(Trade trade, int which) {
    return Decimals.compare(trade.price(), trade.priceScale(), price(which), priceScale(which));
  }

  private void setPrice(int which, Trade trade) {
    price(which, trade.price()).priceScale(which, (byte) trade.priceScale());
  }

  /** Loads a sum. */
  default void get(int which, DecimalSum sum) {
    sum.set(sumHigh(which), sumLow(which), sumScale(which));
  }

  /** Stores a sum. */
  default void put(int which, DecimalSum sum) {
    sumHigh(which, sum.high()).sumLow(which, sum.low()).sumScale(which, (byte) sum.scale());
  }

  private BigDecimal priceOf(int which) {
    return Decimals.toBigDecimal(price(which), priceScale(which));
  }

  private BigDecimal sumOf(int which) {
    return Decimals.toBigDecimal(sumHigh(which), sumLow(which), sumScale(which));
  }

  /** A copy on the heap. */
  default Candle toCandle() {
    return new Candle(
        symbol(),
        openTimeNanos(),
        priceOf(OPEN),
        priceOf(HIGH),
        priceOf(LOW),
        priceOf(CLOSE),
        sumOf(VOLUME),
        count(),
        sumOf(QUOTE),
        sumOf(TAKER_BUY),
        sumOf(TAKER_BUY_QUOTE));
  }
}
