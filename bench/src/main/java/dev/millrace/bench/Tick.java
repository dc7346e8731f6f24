package dev.millrace.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * The record of the benchmarks: three 64-bit fields, 24 bytes; where {@link Words} says so, another
 * number of them.
 *
 * <p>{@link #set} and {@link #sum} are for 24 bytes. Whoever calls them chooses, by the constant
 * {@link #USUAL}: if they chose, the usual record would pay for it by a call within a call, which
 * was seen not to be inlined.
 */
public final class Tick extends Flyweight {
  /** Whether records are of 24 bytes. */
  public static final boolean USUAL = Words.COUNT == Words.USUAL;

  private static final RecordLayout LAYOUT =
      USUAL
          ? RecordLayout.of(
              JAVA_LONG.withName("time"), JAVA_LONG.withName("price"), JAVA_LONG.withName("volume"))
          : RecordLayout.of(MemoryLayout.sequenceLayout(Words.COUNT, JAVA_LONG).withName("words"));
  private static final Field TIME = USUAL ? LAYOUT.field("time") : null;
  private static final Field PRICE = USUAL ? LAYOUT.field("price") : null;
  private static final Field VOLUME = USUAL ? LAYOUT.field("volume") : null;
  private static final Field WORDS = USUAL ? null : LAYOUT.field("words[]");

  /**
   * Makes a tick on a queue's memory.
   *
   * @param memory the queue's memory
   */
  public Tick(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /** Writes the three fields of a usual record, each from the one number. */
  public void set(long number) {
    putLong(TIME, number);
    putLong(PRICE, number + 1);
    putLong(VOLUME, number + 2);
  }

  /** Reads the three fields of a usual record. */
  public long sum() {
    return getLong(TIME) + getLong(PRICE) + getLong(VOLUME);
  }

  /** Writes all fields of a record that is not usual. */
  public void setAll(long number) {
    for (int i = 0; i < Words.COUNT; i++) {
      putLong(WORDS, i, number + i);
    }
  }

  /** Reads all fields of a record that is not usual. */
  public long sumOfAll() {
    long sum = 0;
    for (int i = 0; i < Words.COUNT; i++) {
      sum += getLong(WORDS, i);
    }
    return sum;
  }
}
