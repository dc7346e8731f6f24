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
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every primitive type in both byte orders, single and repeated, aligned and not. The segment's own
 * access by layout is the reference: what one side writes the other must read.
 */
class PrimitiveFieldsTest {
  private static final int COUNT = 5;
  private static final long START = 24;

  private interface Getter {
    Object get(Flyweight flyweight, Field field);
  }

  private interface ElementGetter {
    Object get(Flyweight flyweight, Field field, int index);
  }

  private interface Setter {
    void put(Flyweight flyweight, Field field, Object value);
  }

  private interface ElementSetter {
    void put(Flyweight flyweight, Field field, int index, Object value);
  }

  /** The accessors of one type, and how the segment itself reads it. */
  private record Access(
      Getter getter,
      ElementGetter elementGetter,
      Setter setter,
      ElementSetter elementSetter,
      ReferenceGetter reference) {}

  private interface ReferenceGetter {
    Object get(MemorySegment memory, ValueLayout layout, long offset);
  }

  /** A type, how to access it, and the values at its edges. */
  record Type(ValueLayout layout, Access access, List<?> edges) {
    @Override
    public String toString() {
      return layout.toString();
    }
  }

  static List<Type> types() {
    List<Type> types = new ArrayList<>();
    types.add(new Type(JAVA_BYTE, BYTE, List.of(Byte.MIN_VALUE, Byte.MAX_VALUE, (byte) 0)));
    types.add(new Type(JAVA_BOOLEAN, BOOLEAN, List.of(true, false)));
    for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
      types.add(
          new Type(
              JAVA_SHORT_UNALIGNED.withOrder(order),
              SHORT,
              List.of(Short.MIN_VALUE, Short.MAX_VALUE, (short) 0x0102)));
      types.add(
          new Type(
              JAVA_CHAR_UNALIGNED.withOrder(order),
              CHAR,
              List.of(Character.MIN_VALUE, Character.MAX_VALUE, '\u0102')));
      types.add(
          new Type(
              JAVA_INT_UNALIGNED.withOrder(order),
              INT,
              List.of(Integer.MIN_VALUE, Integer.MAX_VALUE, 0x01020304)));
      types.add(
          new Type(
              JAVA_LONG_UNALIGNED.withOrder(order),
              LONG,
              List.of(Long.MIN_VALUE, Long.MAX_VALUE, 0x0102030405060708L)));
      types.add(
          new Type(
              JAVA_FLOAT_UNALIGNED.withOrder(order),
              FLOAT,
              List.of(Float.MIN_VALUE, -Float.MAX_VALUE, Float.NaN, -0.0f, 1.1f)));
      types.add(
          new Type(
              JAVA_DOUBLE_UNALIGNED.withOrder(order),
              DOUBLE,
              List.of(Double.MIN_VALUE, -Double.MAX_VALUE, Double.NEGATIVE_INFINITY, -0.0, 1.1)));
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
    for (int i = 0; i < 1_000; i++) {
      bits.set(JAVA_LONG_UNALIGNED, 0, random.nextLong());
      values.add(type.access().reference().get(bits, type.layout(), 0));
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
    type.access().setter().put(flyweight, field, value);
    assertThat(type.access().getter().get(flyweight, field)).isEqualTo(value);
    checkBytes(type, flyweight.memory(), START + ((FieldAt) field).offset(), value);
  }

  private static void checkElement(
      Type type, Flyweight flyweight, Field field, int index, Object value) {
    FieldAt at = (FieldAt) field;
    flyweight.memory().fill((byte) 0x5A);
    type.access().elementSetter().put(flyweight, field, index, value);
    assertThat(type.access().elementGetter().get(flyweight, field, index)).isEqualTo(value);
    checkBytes(type, flyweight.memory(), START + at.offset() + index * at.stride(), value);
  }

  private static void checkBytes(Type type, MemorySegment memory, long at, Object value) {
    assertThat(type.access().reference().get(memory, type.layout(), at)).isEqualTo(value);
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
    MemorySegment memory = Arena.ofAuto().allocate(1);
    DynamicFlyweight flyweight = new DynamicFlyweight(layout, memory);
    flyweight.moveTo(0);
    memory.set(JAVA_BYTE, 0, (byte) 0x80);
    assertThat(flyweight.getBoolean(layout.field("flag"))).isTrue();
  }

  @Test
  void putDouble_whenNaN_keepsItsBits() {
    RecordLayout layout = RecordLayout.of(JAVA_DOUBLE_UNALIGNED.withName("value"));
    MemorySegment memory = Arena.ofAuto().allocate(8, 8);
    DynamicFlyweight flyweight = new DynamicFlyweight(layout, memory);
    flyweight.moveTo(0);
    flyweight.putDouble(layout.field("value"), Double.longBitsToDouble(0x7FF8_0000_0000_1234L));
    assertThat(memory.get(JAVA_LONG_UNALIGNED, 0)).isEqualTo(0x7FF8_0000_0000_1234L);
  }

  private static final Access BYTE =
      new Access(
          (flyweight, field) -> flyweight.getByte(field),
          (flyweight, field, index) -> flyweight.getByte(field, index),
          (flyweight, field, value) -> flyweight.putByte(field, (byte) value),
          (flyweight, field, index, value) -> flyweight.putByte(field, index, (byte) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfByte) layout, offset));

  private static final Access BOOLEAN =
      new Access(
          (flyweight, field) -> flyweight.getBoolean(field),
          (flyweight, field, index) -> flyweight.getBoolean(field, index),
          (flyweight, field, value) -> flyweight.putBoolean(field, (boolean) value),
          (flyweight, field, index, value) -> flyweight.putBoolean(field, index, (boolean) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfBoolean) layout, offset));

  private static final Access SHORT =
      new Access(
          (flyweight, field) -> flyweight.getShort(field),
          (flyweight, field, index) -> flyweight.getShort(field, index),
          (flyweight, field, value) -> flyweight.putShort(field, (short) value),
          (flyweight, field, index, value) -> flyweight.putShort(field, index, (short) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfShort) layout, offset));

  private static final Access CHAR =
      new Access(
          (flyweight, field) -> flyweight.getChar(field),
          (flyweight, field, index) -> flyweight.getChar(field, index),
          (flyweight, field, value) -> flyweight.putChar(field, (char) value),
          (flyweight, field, index, value) -> flyweight.putChar(field, index, (char) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfChar) layout, offset));

  private static final Access INT =
      new Access(
          (flyweight, field) -> flyweight.getInt(field),
          (flyweight, field, index) -> flyweight.getInt(field, index),
          (flyweight, field, value) -> flyweight.putInt(field, (int) value),
          (flyweight, field, index, value) -> flyweight.putInt(field, index, (int) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfInt) layout, offset));

  private static final Access LONG =
      new Access(
          (flyweight, field) -> flyweight.getLong(field),
          (flyweight, field, index) -> flyweight.getLong(field, index),
          (flyweight, field, value) -> flyweight.putLong(field, (long) value),
          (flyweight, field, index, value) -> flyweight.putLong(field, index, (long) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfLong) layout, offset));

  private static final Access FLOAT =
      new Access(
          (flyweight, field) -> flyweight.getFloat(field),
          (flyweight, field, index) -> flyweight.getFloat(field, index),
          (flyweight, field, value) -> flyweight.putFloat(field, (float) value),
          (flyweight, field, index, value) -> flyweight.putFloat(field, index, (float) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfFloat) layout, offset));

  private static final Access DOUBLE =
      new Access(
          (flyweight, field) -> flyweight.getDouble(field),
          (flyweight, field, index) -> flyweight.getDouble(field, index),
          (flyweight, field, value) -> flyweight.putDouble(field, (double) value),
          (flyweight, field, index, value) -> flyweight.putDouble(field, index, (double) value),
          (memory, layout, offset) -> memory.get((ValueLayout.OfDouble) layout, offset));
}
