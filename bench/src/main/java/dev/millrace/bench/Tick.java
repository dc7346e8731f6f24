package dev.millrace.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The record of the benchmarks: three 64-bit fields, 24 bytes. */
public final class Tick extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("time"), JAVA_LONG.withName("price"), JAVA_LONG.withName("volume"));
  private static final Field TIME = LAYOUT.field("time");
  private static final Field PRICE = LAYOUT.field("price");
  private static final Field VOLUME = LAYOUT.field("volume");

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
    putLong(TIME, number);
    putLong(PRICE, number + 1);
    putLong(VOLUME, number + 2);
  }

  /** Reads all fields. */
  public long sum() {
    return getLong(TIME) + getLong(PRICE) + getLong(VOLUME);
  }
}
