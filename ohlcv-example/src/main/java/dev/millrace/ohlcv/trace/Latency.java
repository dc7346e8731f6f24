package dev.millrace.ohlcv.trace;

import dev.millrace.flyweight.FlyweightType;

/** How long something took. The type of the record says what. */
public interface Latency {
  /** The beginning of the types' names in the trace. */
  String NAMES = "latency.";

  /** From when the reading thread had a trade until it was placed in its candle. */
  String PLACED = NAMES + "placed";

  /** From when a candle left the engine until it was written. */
  String WRITTEN = NAMES + "written";

  /** From when a query was due until it was answered. */
  String ANSWERED = NAMES + "answered";

  /** How it is stored. */
  FlyweightType<Latency> TYPE = FlyweightType.of(Latency.class);

  /** The number of what took so long, from 1. */
  long number();

  /** Sets it. */
  Latency number(long value);

  /** How long. */
  long nanos();

  /** Sets it. */
  Latency nanos(long value);
}
