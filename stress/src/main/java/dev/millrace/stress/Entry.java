package dev.millrace.stress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.spec.FifoSpec;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The record of the soaks: a number, words that show whether it is of one piece, and in pipelines a
 * byte for each handler that has handled it.
 */
final class Entry extends Flyweight implements Item {
  /** How many handlers have a byte of their own. */
  static final int PLACES = 12;

  /** The number of events that no handler counts. */
  static final long WARM_UP = -1;

  /** The record of queues and histories: 24 bytes. */
  static final FlyweightType<Entry> TYPE = type(2, false);

  private static final long POISON = 0xBADBADBADBADBADL;

  private final Field number;
  private final Field[] checks;
  private final Field marks; // null if there are none

  private Entry(RecordLayout layout, int checkCount, boolean isMarked, MemorySegment memory) {
    super(layout, memory);
    this.number = layout.field("number");
    this.checks =
        IntStream.range(0, checkCount)
            .mapToObj(i -> layout.field("check" + i))
            .toArray(Field[]::new);
    this.marks = isMarked ? layout.field("marks[]") : null;
  }

  /**
   * Makes a type.
   *
   * @param checkCount how many words show whether it is of one piece
   * @param isMarked whether it has a byte for each handler
   */
  static FlyweightType<Entry> type(int checkCount, boolean isMarked) {
    List<MemoryLayout> members = new ArrayList<>(List.of(JAVA_LONG.withName("number")));
    for (int i = 0; i < checkCount; i++) {
      members.add(JAVA_LONG.withName("check" + i));
    }
    if (isMarked) {
      members.add(MemoryLayout.sequenceLayout(PLACES, JAVA_BYTE).withName("marks"));
    }
    RecordLayout layout = RecordLayout.of(members.toArray(MemoryLayout[]::new));
    return FlyweightType.of(memory -> new Entry(layout, checkCount, isMarked, memory));
  }

  private static long checkOf(long its, int index) {
    return index == 0 ? FifoSpec.mix(its) : -its;
  }

  /** Writes a new record, which no handler has handled. */
  @Override
  public void number(long its) {
    putLong(number, its);
    for (int i = 0; i < checks.length; i++) {
      putLong(checks[i], checkOf(its, i));
    }
    for (int place = 0; marks != null && place < PLACES; place++) {
      putByte(marks, place, (byte) 0);
    }
  }

  @Override
  public void poison() {
    putLong(number, POISON);
    for (Field check : checks) {
      putLong(check, POISON);
    }
  }

  @Override
  public boolean spoil(Fault fault) {
    switch (fault) {
      case TEAR -> tear();
      case POISON -> poison();
      default -> {} // as the producer does it
    }
    return true;
  }

  /** Makes two records of one. */
  private void tear() {
    putLong(checks[checks.length - 1], checkOf(getLong(number) - 1, checks.length - 1));
  }

  /** The number; throws if the record is torn, or is none. */
  long wholeNumber() {
    long its = getLong(number);
    if (its == POISON) {
      throw new AssertionError("slot must hold a record: " + this);
    }
    for (int i = 0; i < checks.length; i++) {
      if (getLong(checks[i]) != checkOf(its, i)) {
        throw new AssertionError("torn record: " + this);
      }
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

  /** The mark that a handler leaves: never 0. */
  static byte markOf(long number, int place) {
    return (byte) (FifoSpec.mix(number * PLACES + place) >>> 56 | 1);
  }
}
