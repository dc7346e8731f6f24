package dev.millrace.ohlcv.trace;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.candle.Trade;

/** A trade that is in no candle; the text says why. Prices and volumes are the nearest doubles. */
public interface RejectedTrade {
  /** The name of the type in the trace. */
  String NAME = "rejected";

  /** How it is stored. */
  FlyweightType<RejectedTrade> TYPE = FlyweightType.of(RejectedTrade.class);

  /** Which line of its file it came from. */
  long line();

  /** Sets it. */
  RejectedTrade line(long value);

  /** The price; 0 if it could not be read. */
  double price();

  /** Sets it. */
  RejectedTrade price(double value);

  /** The volume; 0 if it could not be read. */
  double volume();

  /** Sets it. */
  RejectedTrade volume(double value);

  /** The symbol's number; -1 if it is not known. */
  int symbol();

  /** Sets it. */
  RejectedTrade symbol(int value);

  /** Writes the whole record. */
  default void set(Trade trade) {
    line(trade.line() & ((1L << Trade.FEED_SHIFT) - 1))
        .price(Decimals.toBigDecimal(trade.price(), trade.priceScale()).doubleValue())
        .volume(Decimals.toBigDecimal(trade.volume(), trade.volumeScale()).doubleValue())
        .symbol(trade.symbol());
  }
}
