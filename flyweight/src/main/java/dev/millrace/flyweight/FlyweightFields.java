package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;

/** The accessors of a {@link Flyweight} for primitive fields: one of a record, or one of many. */
class FlyweightFields extends FlyweightCursor {
  FlyweightFields(RecordLayout layout, MemorySegment memory, Flyweight[] parts) {
    super(layout, memory, parts);
  }

  /**
   * Reads a {@code byte}.
   *
   * @param field a {@code byte} field of the layout
   * @return its value
   */
  protected final byte getByte(Field field) {
    return readByte(at(field, byte.class));
  }

  /**
   * Writes a {@code byte}.
   *
   * @param field a {@code byte} field of the layout
   * @param value its new value
   */
  protected final void putByte(Field field, byte value) {
    writeByte(at(field, byte.class), value);
  }

  /**
   * Reads one of several {@code byte} elements.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final byte getByte(Field field, int index) {
    return readByte(at(field, byte.class, index));
  }

  /**
   * Writes one of several {@code byte} elements.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putByte(Field field, int index, byte value) {
    writeByte(at(field, byte.class, index), value);
  }

  /**
   * Reads a {@code boolean}, 0 being false and all else true.
   *
   * @param field a {@code boolean} field of the layout
   * @return its value
   */
  protected final boolean getBoolean(Field field) {
    return readByte(at(field, boolean.class)) != 0;
  }

  /**
   * Writes a {@code boolean}.
   *
   * @param field a {@code boolean} field of the layout
   * @param value its new value
   */
  protected final void putBoolean(Field field, boolean value) {
    writeByte(at(field, boolean.class), value ? (byte) 1 : 0);
  }

  /**
   * Reads one of several {@code boolean} elements, 0 being false and all else true.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final boolean getBoolean(Field field, int index) {
    return readByte(at(field, boolean.class, index)) != 0;
  }

  /**
   * Writes one of several {@code boolean} elements.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putBoolean(Field field, int index, boolean value) {
    writeByte(at(field, boolean.class, index), value ? (byte) 1 : 0);
  }

  /**
   * Reads a {@code short}.
   *
   * @param field a {@code short} field of the layout
   * @return its value
   */
  protected final short getShort(Field field) {
    return readShort(at(field, short.class), field);
  }

  /**
   * Writes a {@code short}.
   *
   * @param field a {@code short} field of the layout
   * @param value its new value
   */
  protected final void putShort(Field field, short value) {
    writeShort(at(field, short.class), field, value);
  }

  /**
   * Reads one of several {@code short} elements.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final short getShort(Field field, int index) {
    return readShort(at(field, short.class, index), field);
  }

  /**
   * Writes one of several {@code short} elements.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putShort(Field field, int index, short value) {
    writeShort(at(field, short.class, index), field, value);
  }

  /**
   * Reads a {@code char}.
   *
   * @param field a {@code char} field of the layout
   * @return its value
   */
  protected final char getChar(Field field) {
    return (char) readShort(at(field, char.class), field);
  }

  /**
   * Writes a {@code char}.
   *
   * @param field a {@code char} field of the layout
   * @param value its new value
   */
  protected final void putChar(Field field, char value) {
    writeShort(at(field, char.class), field, (short) value);
  }

  /**
   * Reads one of several {@code char} elements.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final char getChar(Field field, int index) {
    return (char) readShort(at(field, char.class, index), field);
  }

  /**
   * Writes one of several {@code char} elements.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putChar(Field field, int index, char value) {
    writeShort(at(field, char.class, index), field, (short) value);
  }

  /**
   * Reads an {@code int}.
   *
   * @param field an {@code int} field of the layout
   * @return its value
   */
  protected final int getInt(Field field) {
    return readInt(at(field, int.class), field);
  }

  /**
   * Writes an {@code int}.
   *
   * @param field an {@code int} field of the layout
   * @param value its new value
   */
  protected final void putInt(Field field, int value) {
    writeInt(at(field, int.class), field, value);
  }

  /**
   * Reads one of several {@code int} elements.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final int getInt(Field field, int index) {
    return readInt(at(field, int.class, index), field);
  }

  /**
   * Writes one of several {@code int} elements.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putInt(Field field, int index, int value) {
    writeInt(at(field, int.class, index), field, value);
  }

  /**
   * Reads a {@code long}.
   *
   * @param field a {@code long} field of the layout
   * @return its value
   */
  protected final long getLong(Field field) {
    return readLong(at(field, long.class), field);
  }

  /**
   * Writes a {@code long}.
   *
   * @param field a {@code long} field of the layout
   * @param value its new value
   */
  protected final void putLong(Field field, long value) {
    writeLong(at(field, long.class), field, value);
  }

  /**
   * Reads one of several {@code long} elements.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final long getLong(Field field, int index) {
    return readLong(at(field, long.class, index), field);
  }

  /**
   * Writes one of several {@code long} elements.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putLong(Field field, int index, long value) {
    writeLong(at(field, long.class, index), field, value);
  }

  /**
   * Reads a {@code float}.
   *
   * @param field a {@code float} field of the layout
   * @return its value
   */
  protected final float getFloat(Field field) {
    return Float.intBitsToFloat(readInt(at(field, float.class), field));
  }

  /**
   * Writes a {@code float}.
   *
   * @param field a {@code float} field of the layout
   * @param value its new value
   */
  protected final void putFloat(Field field, float value) {
    writeInt(at(field, float.class), field, Float.floatToRawIntBits(value));
  }

  /**
   * Reads one of several {@code float} elements.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final float getFloat(Field field, int index) {
    return Float.intBitsToFloat(readInt(at(field, float.class, index), field));
  }

  /**
   * Writes one of several {@code float} elements.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putFloat(Field field, int index, float value) {
    writeInt(at(field, float.class, index), field, Float.floatToRawIntBits(value));
  }

  /**
   * Reads a {@code double}.
   *
   * @param field a {@code double} field of the layout
   * @return its value
   */
  protected final double getDouble(Field field) {
    return Double.longBitsToDouble(readLong(at(field, double.class), field));
  }

  /**
   * Writes a {@code double}.
   *
   * @param field a {@code double} field of the layout
   * @param value its new value
   */
  protected final void putDouble(Field field, double value) {
    writeLong(at(field, double.class), field, Double.doubleToRawLongBits(value));
  }

  /**
   * Reads one of several {@code double} elements.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final double getDouble(Field field, int index) {
    return Double.longBitsToDouble(readLong(at(field, double.class, index), field));
  }

  /**
   * Writes one of several {@code double} elements.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putDouble(Field field, int index, double value) {
    writeLong(at(field, double.class, index), field, Double.doubleToRawLongBits(value));
  }
}
