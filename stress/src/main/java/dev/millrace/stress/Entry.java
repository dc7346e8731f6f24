package dev.millrace.stress;

import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import java.lang.foreign.MemorySegment;

/**
 * The record of the soaks: a number, words that show whether it is of one piece, and in pipelines a
 * byte for each handler that has handled it.
 */
final class Entry extends Flyweight {
  /** How many handlers have a byte of their own. */
  static final int PLACES = 12;

  /** The number of events that no handler counts. */
  static final long WARM_UP = -1;

  /** The record of queues and histories. */
  static final FlyweightType<Entry> TYPE = type(2);

  private static final long POISON = 0xBADBADBADBADBADL;

  private final Field number;
  private final Field checks;
  private final Field marks;
  private final int checkCount;

  private Entry(RecordLayout layout, int checkCount, MemorySegment memory) {
    super(layout, memory);
    this.number = layout.field("number");
    this.checks = layout.field("checks[]");
    this.marks = layout.field("marks[]");
    this.checkCount = checkCount;
  }

  /** Makes a type of records with a number, marks, and then some words, at least one. */
  static FlyweightType<Entry> type(int checkCount) {
    RecordLayout layout =
        RecordLayout.of(
            JAVA_LONG.withName("number"),
            sequenceLayout(PLACES, JAVA_BYTE).withName("marks"),
            sequenceLayout(checkCount, JAVA_LONG).withName("checks"));
    return FlyweightType.of(memory -> new Entry(layout, checkCount, memory));
  }

  /** Writes a new record, which no handler has handled. */
  void number(long its) {
    put(its, FifoSpec.mix(its));
    for (int place = 0; place < PLACES; place++) {
      putByte(marks, place, (byte) 0);
    }
  }

  private void put(long its, long check) {
    putLong(number, its);
    for (int i = 0; i < checkCount; i++) {
      putLong(checks, i, check + i);
    }
  }

  /** Writes what no consumer may ever see. */
  void poison() {
    put(POISON, POISON);
  }

  /** Leaves parts of two records. */
  void tear() {
    putLong(checks, checkCount - 1, FifoSpec.mix(getLong(number) - 1));
  }

  /** The number; throws if the record is torn, or is none. */
  long wholeNumber() {
    long its = getLong(number);
    Counts.check(its != POISON, "slot must hold a record", this);
    for (int i = 0; i < checkCount; i++) {
      Counts.check(getLong(checks, i) == FifoSpec.mix(its) + i, "torn record", this);
    }
    return its;
  }

  /** What a handler has left, or 0. */
  byte mark(int place) {
    return getByte(marks, place);
  }

  /** Leaves the mark of a handler that has handled the event. */
  void mark(int place, byte value) {
    putByte(marks, place, value);
  }
}
