package dev.millrace.flyweight;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a number that is stored in the wrong byte order, width or place, or that changes a byte
 * next to it: every primitive type in both byte orders, single and repeated, aligned and not. The
 * segment's own access by layout is the reference: what one side writes the other must read.
 */
class PrimitiveFieldsTest {
  private static final int COUNT = 5;
  private static final long START = 24;

  /** A type, and the values at its edges. */
  record Type(ValueLayout layout, List<?> edges) {
    /** Calls the accessor of the type, as {@code getInt} or {@code putInt}. */
    Object access(String prefix, Flyweight flyweight, Object... arguments) {
      String carrier = layout.carrier().getSimpleName();
      String name =
          prefix + carrier.substring(0, 1).toUpperCase(Locale.ROOT) + carrier.substring(1);
      for (Method method : FlyweightFields.class.getDeclaredMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
          try {
            return method.invoke(flyweight, arguments);
          } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
          }
        }
      }
      throw new AssertionError("no " + name + " of " + arguments.length);
    }

    /** How the segment itself reads it. */
    Object reference(MemorySegment memory, long offset) {
      return (Object) layout.varHandle().get(memory, offset);
    }
  }

  static List<Type> types() {
    List<Type> types = new ArrayList<>();
    types.add(new Type(JAVA_BYTE, List.of(Byte.MIN_VALUE, Byte.MAX_VALUE, (byte) 0)));
    types.add(new Type(JAVA_BOOLEAN, List.of(true, false)));
    Map<ValueLayout, List<?>> edges =
        Map.of(
            JAVA_SHORT_UNALIGNED, List.of(Short.MIN_VALUE, Short.MAX_VALUE, (short) 0x0102),
            JAVA_CHAR_UNALIGNED, List.of(Character.MIN_VALUE, Character.MAX_VALUE, '\u0102'),
            JAVA_INT_UNALIGNED, List.of(Integer.MIN_VALUE, Integer.MAX_VALUE, 0x01020304),
            JAVA_LONG_UNALIGNED, List.of(Long.MIN_VALUE, Long.MAX_VALUE, 0x0102030405060708L),
            JAVA_FLOAT_UNALIGNED,
                List.of(Float.MIN_VALUE, -Float.MAX_VALUE, Float.NaN, -0.0f, 1.1f),
            JAVA_DOUBLE_UNALIGNED,
                List.of(Double.MIN_VALUE, -Double.MAX_VALUE, Double.NEGATIVE_INFINITY, -0.0, 1.1));
    for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
      edges.forEach((layout, values) -> types.add(new Type(layout.withOrder(order), values)));
    }
    return types;
  }

  @ParameterizedTest
  @MethodSource("types")
  void put_whenAtEdge_isReadBackAndTouchesNothingElse(Type type) {
    checkAll(type, type.edges());
  }

  @ParameterizedTest
  @MethodSource("types")
  void put_whenRandom_isReadBackAndTouchesNothingElse(Type type) {
    Random random = new Random(20_250_916);
    List<Object> values = new ArrayList<>();
    MemorySegment bits = Arena.ofAuto().allocate(8);
    for (int i = 0; i < 200; i++) {
      bits.set(JAVA_LONG_UNALIGNED, 0, random.nextLong());
      values.add(type.reference(bits, 0));
    }
    checkAll(type, values);
  }

  /** Once with each field at a multiple of its size, once one byte off. */
  private static void checkAll(Type type, List<?> values) {
    for (int gap : new int[] {8, 1}) {
      RecordLayout layout =
          RecordLayout.of(
              paddingLayout(gap),
              type.layout().withName("one"),
              sequenceLayout(
                      COUNT,
                      MemoryLayout.structLayout(type.layout().withName("some"), paddingLayout(gap)))
                  .withName("all"));
      MemorySegment memory = Arena.ofAuto().allocate(START + layout.sizeBytes() + 8, 8);
      DynamicFlyweight flyweight = new DynamicFlyweight(layout, memory);
      flyweight.moveTo(START);
      for (Object value : values) {
        checkSingle(type, flyweight, layout.field("one"), value);
        for (int i = 0; i < COUNT; i++) {
          checkElement(type, flyweight, layout.field("all[].some"), i, value);
          checkSingle(type, flyweight, layout.field("all[" + i + "].some"), value);
        }
      }
    }
  }

  private static void checkSingle(Type type, Flyweight flyweight, Field field, Object value) {
    flyweight.memory().fill((byte) 0x5A);
    type.access("put", flyweight, field, value);
    assertThat(type.access("get", flyweight, field)).isEqualTo(value);
    checkBytes(type, flyweight.memory(), START + ((FieldAt) field).offset(), value);
  }

  private static void checkElement(
      Type type, Flyweight flyweight, Field field, int index, Object value) {
    FieldAt at = (FieldAt) field;
    flyweight.memory().fill((byte) 0x5A);
    type.access("put", flyweight, field, index, value);
    assertThat(type.access("get", flyweight, field, index)).isEqualTo(value);
    checkBytes(type, flyweight.memory(), START + at.offset() + index * at.stride(), value);
  }

  private static void checkBytes(Type type, MemorySegment memory, long at, Object value) {
    assertThat(type.reference(memory, at)).isEqualTo(value);
    boolean touched = false;
    for (long i = 0; i < memory.byteSize(); i++) {
      if (i < at || i >= at + type.layout().byteSize()) {
        touched |= memory.get(JAVA_BYTE, i) != 0x5A;
      }
    }
    assertThat(touched).as("bytes beside the field").isFalse();
  }

  @Test
  void getBoolean_whenNotZero_isTrue() {
    RecordLayout layout = RecordLayout.of(JAVA_BOOLEAN.withName("flag"));
    DynamicFlyweight flyweight = DynamicFlyweight.of(layout);
    flyweight.memory().set(JAVA_BYTE, 0, (byte) 0x80);
    assertThat(flyweight.getBoolean(layout.field("flag"))).isTrue();
  }

  @Test
  void putDouble_whenNaN_keepsItsBits() {
    RecordLayout layout = RecordLayout.of(JAVA_DOUBLE_UNALIGNED.withName("value"));
    DynamicFlyweight flyweight = DynamicFlyweight.of(layout);
    long bits = 0x7FF8_0000_0000_1234L;
    flyweight.putDouble(layout.field("value"), Double.longBitsToDouble(bits));
    assertThat(flyweight.memory().get(JAVA_LONG_UNALIGNED, 0)).isEqualTo(bits);
  }
}
