package dev.millrace.telemetry.tool;

import dev.millrace.flyweight.FlyweightType;

/** A record with one field. */
interface Tick {
  FlyweightType<Tick> TYPE = FlyweightType.of(Tick.class);

  long number();

  void number(long value);
}
