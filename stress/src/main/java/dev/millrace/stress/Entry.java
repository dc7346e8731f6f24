package dev.millrace.stress;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The record of the soaks: 24 bytes that tell whether they are of one record. */
final class Entry extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("number"), JAVA_LONG.withName("negated"), JAVA_LONG.withName("mixed"));
  private static final Field NUMBER = LAYOUT.field("number");
  private static final Field NEGATED = LAYOUT.field("negated");
  private static final Field MIXED = LAYOUT.field("mixed");
  private static final long POISON = 0xBADBADBADBADBADL;

  Entry(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  void number(long number) {
    putLong(NUMBER, number);
    putLong(NEGATED, -number);
    putLong(MIXED, mix(number));
  }

  /** Writes what no consumer may ever see. */
  void poison() {
    putLong(NUMBER, POISON);
    putLong(NEGATED, POISON);
    putLong(MIXED, POISON);
  }

  /** Makes two records of one. */
  void tear() {
    putLong(NEGATED, 1 - getLong(NUMBER));
  }

  /** The number; throws if the record is torn, or is none. */
  long wholeNumber() {
    long number = getLong(NUMBER);
    if (number == POISON) {
      throw new AssertionError("slot must hold a record: " + this);
    }
    if (getLong(NEGATED) != -number || getLong(MIXED) != mix(number)) {
      throw new AssertionError("torn record: " + this);
    }
    return number;
  }

  /** A number that differs in about half its bits for each other number. */
  static long mix(long number) {
    return (number ^ 0x5DEECE66DL) * 0x9E3779B97F4A7C15L;
  }
}
