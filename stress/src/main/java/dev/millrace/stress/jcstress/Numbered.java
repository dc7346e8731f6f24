package dev.millrace.stress.jcstress;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The record of the tests: its number, in three fields. */
final class Numbered extends Flyweight {
  /** In place of a record's number: its fields are not of one record. */
  static final int TORN = -99;

  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("first"), JAVA_LONG.withName("second"), JAVA_LONG.withName("third"));
  private static final Field FIRST = LAYOUT.field("first");
  private static final Field SECOND = LAYOUT.field("second");
  private static final Field THIRD = LAYOUT.field("third");

  /**
   * Makes a flyweight, not positioned yet.
   *
   * @param memory where the records are
   */
  Numbered(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /**
   * Writes all fields.
   *
   * @param number the record's number
   */
  void write(long number) {
    putLong(FIRST, number);
    putLong(SECOND, number);
    putLong(THIRD, number);
  }

  /**
   * Which record the first field is of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial
   */
  int first(long base) {
    return (int) (getLong(FIRST) - base);
  }

  /**
   * Which record the second field is of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial
   */
  int second(long base) {
    return (int) (getLong(SECOND) - base);
  }

  /**
   * Which record the third field is of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial
   */
  int third(long base) {
    return (int) (getLong(THIRD) - base);
  }

  /**
   * Which record all fields are of.
   *
   * @param base the number before the trial's first record
   * @return the record's place in the trial, or {@link #TORN}
   */
  int whole(long base) {
    int place = first(base);
    return second(base) == place && third(base) == place ? place : TORN;
  }
}
