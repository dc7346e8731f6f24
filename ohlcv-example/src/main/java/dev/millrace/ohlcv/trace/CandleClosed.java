package dev.millrace.ohlcv.trace;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.ohlcv.candle.Candle;

/**
 * A candle that will not change any more; the text is the symbol's name, if it has one. Prices and
 * volume are the nearest doubles: the exact digits are in the candles written.
 */
public interface CandleClosed {
  /** The name of the type in the trace. */
  String NAME = "closed";

  /** How it is stored. */
  FlyweightType<CandleClosed> TYPE = FlyweightType.of(CandleClosed.class);

  /** When it starts, in milliseconds since 1970. */
  long openMillis();

  /** Sets it. */
  CandleClosed openMillis(long value);

  /** The price of the earliest trade. */
  double open();

  /** Sets it. */
  CandleClosed open(double value);

  /** The highest price. */
  double high();

  /** Sets it. */
  CandleClosed high(double value);

  /** The lowest price. */
  double low();

  /** Sets it. */
  CandleClosed low(double value);

  /** The price of the latest trade. */
  double close();

  /** Sets it. */
  CandleClosed close(double value);

  /** The sum of the volumes. */
  double volume();

  /** Sets it. */
  CandleClosed volume(double value);

  /** The number of trades. */
  long count();

  /** Sets it. */
  CandleClosed count(long value);

  /** Writes the whole record. */
  default void set(Candle candle) {
    openMillis(candle.openTimeNanos() / 1_000_000)
        .open(candle.open().doubleValue())
        .high(candle.high().doubleValue())
        .low(candle.low().doubleValue())
        .close(candle.close().doubleValue())
        .volume(candle.volume().doubleValue())
        .count(candle.count());
  }
}
