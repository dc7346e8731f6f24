package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The accessors of a {@link Flyweight} for primitive fields with an open index. */
class FlyweightElements extends FlyweightFields {
  FlyweightElements(RecordLayout layout, MemorySegment memory, Flyweight[] parts) {
    super(layout, memory, parts);
  }

  /**
   * Reads one of several {@code bytes}.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final byte getByte(Field field, int index) {
    return readByte(at(field, byte.class, index));
  }

  /**
   * Writes one of several {@code bytes}.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putByte(Field field, int index, byte value) {
    writeByte(at(field, byte.class, index), value);
  }

  /**
   * Reads one of several {@code booleans}.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final boolean getBoolean(Field field, int index) {
    return readByte(at(field, boolean.class, index)) != 0;
  }

  /**
   * Writes one of several {@code booleans}.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putBoolean(Field field, int index, boolean value) {
    writeByte(at(field, boolean.class, index), value ? (byte) 1 : 0);
  }

  /**
   * Reads one of several {@code shorts}.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final short getShort(Field field, int index) {
    return readShort(at(field, short.class, index), field);
  }

  /**
   * Writes one of several {@code shorts}.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putShort(Field field, int index, short value) {
    writeShort(at(field, short.class, index), field, value);
  }

  /**
   * Reads one of several {@code chars}.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final char getChar(Field field, int index) {
    return (char) readShort(at(field, char.class, index), field);
  }

  /**
   * Writes one of several {@code chars}.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putChar(Field field, int index, char value) {
    writeShort(at(field, char.class, index), field, (short) value);
  }

  /**
   * Reads one of several {@code ints}.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final int getInt(Field field, int index) {
    return readInt(at(field, int.class, index), field);
  }

  /**
   * Writes one of several {@code ints}.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putInt(Field field, int index, int value) {
    writeInt(at(field, int.class, index), field, value);
  }

  /**
   * Reads one of several {@code longs}.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final long getLong(Field field, int index) {
    return readLong(at(field, long.class, index), field);
  }

  /**
   * Writes one of several {@code longs}.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putLong(Field field, int index, long value) {
    writeLong(at(field, long.class, index), field, value);
  }

  /**
   * Reads one of several {@code floats}.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final float getFloat(Field field, int index) {
    return Float.intBitsToFloat(readInt(at(field, float.class, index), field));
  }

  /**
   * Writes one of several {@code floats}.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putFloat(Field field, int index, float value) {
    writeInt(at(field, float.class, index), field, Float.floatToRawIntBits(value));
  }

  /**
   * Reads one of several {@code doubles}.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index which element, from 0
   * @return its value
   */
  protected final double getDouble(Field field, int index) {
    return Double.longBitsToDouble(readLong(at(field, double.class, index), field));
  }

  /**
   * Writes one of several {@code doubles}.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index which element, from 0
   * @param value its new value
   */
  protected final void putDouble(Field field, int index, double value) {
    writeLong(at(field, double.class, index), field, Double.doubleToRawLongBits(value));
  }
}
