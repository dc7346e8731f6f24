package dev.millrace.stress.scenario;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A record of two numbers that must agree. */
public final class Pair extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          MemoryLayout.structLayout(
              ValueLayout.JAVA_LONG.withName("first"), ValueLayout.JAVA_LONG.withName("second")));
  private static final RecordLayout.Field FIRST = LAYOUT.field("first");
  private static final RecordLayout.Field SECOND = LAYOUT.field("second");

  public Pair(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  void set(long value) {
    putLong(FIRST, value);
    putLong(SECOND, -value);
  }

  long get() {
    return getLong(FIRST);
  }

  boolean is(long value) {
    return getLong(FIRST) == value && getLong(SECOND) == -value;
  }
}
