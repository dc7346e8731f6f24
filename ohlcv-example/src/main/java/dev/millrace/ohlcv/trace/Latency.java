package dev.millrace.ohlcv.trace;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;

/** How long something took. The type of the record says what. */
public final class Latency extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(JAVA_LONG.withName("number"), JAVA_LONG.withName("nanos"));

  private static final RecordLayout.Field NUMBER = LAYOUT.field("number");
  private static final RecordLayout.Field NANOS = LAYOUT.field("nanos");

  /** The beginning of the types' names in the trace. */
  public static final String TYPES = "latency.";

  /** From when the reading thread had a trade until it was placed in its candle. */
  public static final String PLACED = TYPES + "placed";

  /** From when a candle left the engine until it was written. */
  public static final String WRITTEN = TYPES + "written";

  /** From when a query was due until it was answered. */
  public static final String ANSWERED = TYPES + "answered";

  /**
   * Makes a view of records.
   *
   * @param memory where they are
   */
  public Latency(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /** Writes the whole record. */
  void set(long number, long nanos) {
    putLong(NUMBER, number);
    putLong(NANOS, nanos);
  }

  /** The number of what took so long, from 1. */
  public long number() {
    return getLong(NUMBER);
  }

  /** How long. */
  public long nanos() {
    return getLong(NANOS);
  }
}
