package dev.millrace.ohlcv.trace;

import dev.millrace.flyweight.FlyweightType;

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

  /** The price; 0 of a row that could not be read. */
  double price();

  /** Sets it. */
  RejectedTrade price(double value);

  /** The volume; 0 of a row that could not be read. */
  double volume();

  /** Sets it. */
  RejectedTrade volume(double value);
}
