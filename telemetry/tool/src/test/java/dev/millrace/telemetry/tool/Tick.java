package dev.millrace.telemetry.tool;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A record with one field. */
final class Tick extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(ValueLayout.JAVA_LONG.withName("number"));
  private static final RecordLayout.Field NUMBER = LAYOUT.field("number");

  Tick(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  void number(long number) {
    putLong(NUMBER, number);
  }
}
