package dev.millrace.flyweight;

import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.testkit.Allocations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/**
 * Finds an accessor that allocates once it is warm: one of each type, text, and a repeated field.
 */
class FlyweightAllocationTest {
  private static final int ROUNDS = 100_000;

  /** One field of each type, text, and a repeated one. */
  private static final class EveryFlyweight extends Flyweight {
    static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_BYTE.withName("byte"),
            JAVA_BOOLEAN.withName("boolean"),
            JAVA_SHORT.withName("short"),
            JAVA_CHAR.withName("char"),
            JAVA_INT.withName("int"),
            JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN).withName("long"),
            JAVA_FLOAT.withName("float"),
            JAVA_DOUBLE.withOrder(ByteOrder.BIG_ENDIAN).withName("double"),
            sequenceLayout(4, structLayout(JAVA_DOUBLE.withName("price"))).withName("levels"),
            sequenceLayout(12, JAVA_BYTE).withName("text"));
    private static final Field BYTE = LAYOUT.field("byte");
    private static final Field BOOLEAN = LAYOUT.field("boolean");
    private static final Field SHORT = LAYOUT.field("short");
    private static final Field CHAR = LAYOUT.field("char");
    private static final Field INT = LAYOUT.field("int");
    private static final Field LONG = LAYOUT.field("long");
    private static final Field FLOAT = LAYOUT.field("float");
    private static final Field DOUBLE = LAYOUT.field("double");
    private static final Field LEVEL_PRICE = LAYOUT.field("levels[].price");
    private static final Field TEXT = LAYOUT.field("text");

    private static final String CITY = "Z\u00FCrich \uD83D\uDE00";

    private final StringBuilder appended = new StringBuilder(32);
    private final byte[] bytes = new byte[12];

    EveryFlyweight(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    long round(int round) {
      putByte(BYTE, (byte) round);
      putBoolean(BOOLEAN, (round & 1) == 0);
      putShort(SHORT, (short) round);
      putChar(CHAR, (char) round);
      putInt(INT, round);
      putLong(LONG, round);
      putFloat(FLOAT, round);
      putDouble(DOUBLE, round);
      putDouble(LEVEL_PRICE, round & 3, round);
      putUtf8(TEXT, CITY);
      appended.setLength(0);
      getUtf8(TEXT, appended);
      long matches = CITY.contentEquals(appended) ? 1 : 0;
      putUtf8(TEXT, "MILLRACE");
      appended.setLength(0);
      getUtf8(TEXT, appended);
      matches += "MILLRACE".contentEquals(appended) ? 1 : 0;
      getBytes(TEXT, bytes);
      putBytes(TEXT, bytes);
      double sum = getByte(BYTE) + getShort(SHORT) + getChar(CHAR) + getInt(INT);
      sum += getLong(LONG) + getFloat(FLOAT) + getDouble(DOUBLE) + getDouble(LEVEL_PRICE, 1);
      moveTo((round & 15) * LAYOUT.sizeBytes());
      return matches + (getBoolean(BOOLEAN) ? 1 : 0) + (sum == 0.5 ? 1 : 0);
    }
  }

  @Test
  void accessors_whenWarm_allocateNothing() throws Exception {
    EveryFlyweight every =
        new EveryFlyweight(Arena.ofAuto().allocate(16 * EveryFlyweight.LAYOUT.sizeBytes(), 8));
    every.moveTo(0);
    long[] matches = new long[1];
    assertThat(Allocations.leastBytesIn(10, () -> matches[0] = run(every, ROUNDS))).isZero();
    assertThat(matches[0]).isGreaterThanOrEqualTo(2L * ROUNDS);
  }

  private static long run(EveryFlyweight every, int rounds) {
    long matches = 0;
    for (int round = 0; round < rounds; round++) {
      matches += every.round(round);
    }
    return matches;
  }
}
