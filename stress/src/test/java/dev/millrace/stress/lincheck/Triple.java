package dev.millrace.stress.lincheck;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The record of the trials: three fields that tell whether they are of one record. */
final class Triple extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("first"), JAVA_LONG.withName("second"), JAVA_LONG.withName("third"));
  private static final Field FIRST = LAYOUT.field("first");
  private static final Field SECOND = LAYOUT.field("second");
  private static final Field THIRD = LAYOUT.field("third");

  Triple(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  void write(long value) {
    putLong(FIRST, value);
    putLong(SECOND, 2 * value);
    putLong(THIRD, 3 * value);
  }

  /** The value; or all three fields if the record is torn, which no specification answers. */
  String read() {
    long first = getLong(FIRST);
    long second = getLong(SECOND);
    long third = getLong(THIRD);
    boolean whole = second == 2 * first && third == 3 * first;
    return whole ? Long.toString(first) : "torn: " + first + " " + second + " " + third;
  }
}
