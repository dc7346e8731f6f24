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

  /**
   * Makes a flyweight.
   *
   * @param memory where records are
   */
  public Pair(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  void set(long value) {
    putLong(FIRST, value);
    putLong(SECOND, -value);
  }

  /** Returns the value, which must not be torn. */
  long whole() {
    long value = getLong(FIRST);
    if (getLong(SECOND) != -value) {
      throw new AssertionError("torn record: " + value + ", " + getLong(SECOND));
    }
    return value;
  }
}
