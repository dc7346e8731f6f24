package dev.millrace.queues;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The record of the tests: 24 bytes, whose three numbers show whether it is whole. */
public final class Point extends Flyweight {
  public static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("value"), JAVA_LONG.withName("negated"), JAVA_LONG.withName("mixed"));

  private static final Field VALUE = LAYOUT.field("value");
  private static final Field NEGATED = LAYOUT.field("negated");
  private static final Field MIXED = LAYOUT.field("mixed");

  public Point(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  public long value() {
    return getLong(VALUE);
  }

  public Point value(long value) {
    putLong(VALUE, value);
    putLong(NEGATED, -value);
    putLong(MIXED, mix(value));
    return this;
  }

  /** The value, after checking that all three fields are of one record. */
  public long wholeValue() {
    long value = value();
    if (getLong(NEGATED) != -value || getLong(MIXED) != mix(value)) {
      throw new AssertionError("torn record: " + this);
    }
    return value;
  }

  private static long mix(long value) {
    return (value ^ 0x5DEECE66DL) * 0x9E3779B97F4A7C15L;
  }
}
