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
 * <p>{@link #set} and {@link #sum} choose by a constant and are small enough to be inlined wherever
 * they are called, also where a call is rare, so that records of 24 bytes pay nothing for the
 * choice.
 */
public final class Tick extends Flyweight {
  private static final boolean USUAL = Words.COUNT == Words.USUAL;
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

  /** Writes all fields, each from the one number. */
  public void set(long number) {
    if (USUAL) {
      setThree(number);
    } else {
      setAll(number);
    }
  }

  /** Reads all fields. */
  public long sum() {
    return USUAL ? sumOfThree() : sumOfAll();
  }

  private void setThree(long number) {
    putLong(TIME, number);
    putLong(PRICE, number + 1);
    putLong(VOLUME, number + 2);
  }

  private void setAll(long number) {
    for (int i = 0; i < Words.COUNT; i++) {
      putLong(WORDS, i, number + i);
    }
  }

  private long sumOfThree() {
    return getLong(TIME) + getLong(PRICE) + getLong(VOLUME);
  }

  private long sumOfAll() {
    long sum = 0;
    for (int i = 0; i < Words.COUNT; i++) {
      sum += getLong(WORDS, i);
    }
    return sum;
  }
}
