package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout.OfBoolean;
import java.lang.foreign.ValueLayout.OfByte;
import java.lang.foreign.ValueLayout.OfChar;
import java.lang.foreign.ValueLayout.OfDouble;
import java.lang.foreign.ValueLayout.OfFloat;
import java.lang.foreign.ValueLayout.OfInt;
import java.lang.foreign.ValueLayout.OfLong;
import java.lang.foreign.ValueLayout.OfShort;

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
    return memory.get((OfByte) layoutOf(field, byte.class), at(field));
  }

  /**
   * Writes a {@code byte}.
   *
   * @param field a {@code byte} field of the layout
   * @param value its new value
   */
  protected final void putByte(Field field, byte value) {
    memory.set((OfByte) layoutOf(field, byte.class), at(field), value);
  }

  /**
   * Reads one of several {@code byte} elements.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final byte getByte(Field field, int index) {
    return memory.get((OfByte) layoutOf(field, byte.class), at(field, index));
  }

  /**
   * Writes one of several {@code byte} elements.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putByte(Field field, int index, byte value) {
    memory.set((OfByte) layoutOf(field, byte.class), at(field, index), value);
  }

  /**
   * Reads a {@code boolean}, 0 being false and all else true.
   *
   * @param field a {@code boolean} field of the layout
   * @return its value
   */
  protected final boolean getBoolean(Field field) {
    return memory.get((OfBoolean) layoutOf(field, boolean.class), at(field));
  }

  /**
   * Writes a {@code boolean}.
   *
   * @param field a {@code boolean} field of the layout
   * @param value its new value
   */
  protected final void putBoolean(Field field, boolean value) {
    memory.set((OfBoolean) layoutOf(field, boolean.class), at(field), value);
  }

  /**
   * Reads one of several {@code boolean} elements, 0 being false and all else true.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final boolean getBoolean(Field field, int index) {
    return memory.get((OfBoolean) layoutOf(field, boolean.class), at(field, index));
  }

  /**
   * Writes one of several {@code boolean} elements.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putBoolean(Field field, int index, boolean value) {
    memory.set((OfBoolean) layoutOf(field, boolean.class), at(field, index), value);
  }

  /**
   * Reads a {@code short}.
   *
   * @param field a {@code short} field of the layout
   * @return its value
   */
  protected final short getShort(Field field) {
    return memory.get((OfShort) layoutOf(field, short.class), at(field));
  }

  /**
   * Writes a {@code short}.
   *
   * @param field a {@code short} field of the layout
   * @param value its new value
   */
  protected final void putShort(Field field, short value) {
    memory.set((OfShort) layoutOf(field, short.class), at(field), value);
  }

  /**
   * Reads one of several {@code short} elements.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final short getShort(Field field, int index) {
    return memory.get((OfShort) layoutOf(field, short.class), at(field, index));
  }

  /**
   * Writes one of several {@code short} elements.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putShort(Field field, int index, short value) {
    memory.set((OfShort) layoutOf(field, short.class), at(field, index), value);
  }

  /**
   * Reads a {@code char}.
   *
   * @param field a {@code char} field of the layout
   * @return its value
   */
  protected final char getChar(Field field) {
    return memory.get((OfChar) layoutOf(field, char.class), at(field));
  }

  /**
   * Writes a {@code char}.
   *
   * @param field a {@code char} field of the layout
   * @param value its new value
   */
  protected final void putChar(Field field, char value) {
    memory.set((OfChar) layoutOf(field, char.class), at(field), value);
  }

  /**
   * Reads one of several {@code char} elements.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final char getChar(Field field, int index) {
    return memory.get((OfChar) layoutOf(field, char.class), at(field, index));
  }

  /**
   * Writes one of several {@code char} elements.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putChar(Field field, int index, char value) {
    memory.set((OfChar) layoutOf(field, char.class), at(field, index), value);
  }

  /**
   * Reads an {@code int}.
   *
   * @param field an {@code int} field of the layout
   * @return its value
   */
  protected final int getInt(Field field) {
    return memory.get((OfInt) layoutOf(field, int.class), at(field));
  }

  /**
   * Writes an {@code int}.
   *
   * @param field an {@code int} field of the layout
   * @param value its new value
   */
  protected final void putInt(Field field, int value) {
    memory.set((OfInt) layoutOf(field, int.class), at(field), value);
  }

  /**
   * Reads one of several {@code int} elements.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final int getInt(Field field, int index) {
    return memory.get((OfInt) layoutOf(field, int.class), at(field, index));
  }

  /**
   * Writes one of several {@code int} elements.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putInt(Field field, int index, int value) {
    memory.set((OfInt) layoutOf(field, int.class), at(field, index), value);
  }

  /**
   * Reads a {@code long}.
   *
   * @param field a {@code long} field of the layout
   * @return its value
   */
  protected final long getLong(Field field) {
    return memory.get((OfLong) layoutOf(field, long.class), at(field));
  }

  /**
   * Writes a {@code long}.
   *
   * @param field a {@code long} field of the layout
   * @param value its new value
   */
  protected final void putLong(Field field, long value) {
    memory.set((OfLong) layoutOf(field, long.class), at(field), value);
  }

  /**
   * Reads one of several {@code long} elements.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final long getLong(Field field, int index) {
    return memory.get((OfLong) layoutOf(field, long.class), at(field, index));
  }

  /**
   * Writes one of several {@code long} elements.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putLong(Field field, int index, long value) {
    memory.set((OfLong) layoutOf(field, long.class), at(field, index), value);
  }

  /**
   * Reads a {@code float}.
   *
   * @param field a {@code float} field of the layout
   * @return its value
   */
  protected final float getFloat(Field field) {
    return memory.get((OfFloat) layoutOf(field, float.class), at(field));
  }

  /**
   * Writes a {@code float}.
   *
   * @param field a {@code float} field of the layout
   * @param value its new value
   */
  protected final void putFloat(Field field, float value) {
    memory.set((OfFloat) layoutOf(field, float.class), at(field), value);
  }

  /**
   * Reads one of several {@code float} elements.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final float getFloat(Field field, int index) {
    return memory.get((OfFloat) layoutOf(field, float.class), at(field, index));
  }

  /**
   * Writes one of several {@code float} elements.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putFloat(Field field, int index, float value) {
    memory.set((OfFloat) layoutOf(field, float.class), at(field, index), value);
  }

  /**
   * Reads a {@code double}.
   *
   * @param field a {@code double} field of the layout
   * @return its value
   */
  protected final double getDouble(Field field) {
    return memory.get((OfDouble) layoutOf(field, double.class), at(field));
  }

  /**
   * Writes a {@code double}.
   *
   * @param field a {@code double} field of the layout
   * @param value its new value
   */
  protected final void putDouble(Field field, double value) {
    memory.set((OfDouble) layoutOf(field, double.class), at(field), value);
  }

  /**
   * Reads one of several {@code double} elements.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index the element, from 0
   * @return its value
   */
  protected final double getDouble(Field field, int index) {
    return memory.get((OfDouble) layoutOf(field, double.class), at(field, index));
  }

  /**
   * Writes one of several {@code double} elements.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index the element, from 0
   * @param value its new value
   */
  protected final void putDouble(Field field, int index, double value) {
    memory.set((OfDouble) layoutOf(field, double.class), at(field, index), value);
  }
}
