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

/** The accessors of a {@link Flyweight} for primitive fields, single or indexed. */
class FlyweightFields extends FlyweightCursor {
  FlyweightFields(RecordLayout layout, MemorySegment memory, Flyweight[] parts) {
    super(layout, memory, parts);
  }

  /**
   * Reads a {@code byte}.
   *
   * @param field a {@code byte} field of the layout
   * @return the value
   */
  protected final byte getByte(Field field) {
    try {
      return memory.get(ofByte(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code byte}.
   *
   * @param field a {@code byte} field of the layout
   * @param value the new value
   */
  protected final void putByte(Field field, byte value) {
    try {
      memory.set(ofByte(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code byte} elements.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final byte getByte(Field field, int index) {
    try {
      return memory.get(ofByte(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code byte} elements.
   *
   * @param field a {@code byte} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putByte(Field field, int index, byte value) {
    try {
      memory.set(ofByte(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code boolean}: 0 is false, any other value is true.
   *
   * @param field a {@code boolean} field of the layout
   * @return the value
   */
  protected final boolean getBoolean(Field field) {
    try {
      return memory.get(ofBoolean(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code boolean}.
   *
   * @param field a {@code boolean} field of the layout
   * @param value the new value
   */
  protected final void putBoolean(Field field, boolean value) {
    try {
      memory.set(ofBoolean(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code boolean} elements: 0 is false, any other value is true.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final boolean getBoolean(Field field, int index) {
    try {
      return memory.get(ofBoolean(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code boolean} elements.
   *
   * @param field a {@code boolean} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putBoolean(Field field, int index, boolean value) {
    try {
      memory.set(ofBoolean(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code short}.
   *
   * @param field a {@code short} field of the layout
   * @return the value
   */
  protected final short getShort(Field field) {
    try {
      return memory.get(ofShort(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code short}.
   *
   * @param field a {@code short} field of the layout
   * @param value the new value
   */
  protected final void putShort(Field field, short value) {
    try {
      memory.set(ofShort(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code short} elements.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final short getShort(Field field, int index) {
    try {
      return memory.get(ofShort(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code short} elements.
   *
   * @param field a {@code short} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putShort(Field field, int index, short value) {
    try {
      memory.set(ofShort(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code char}.
   *
   * @param field a {@code char} field of the layout
   * @return the value
   */
  protected final char getChar(Field field) {
    try {
      return memory.get(ofChar(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code char}.
   *
   * @param field a {@code char} field of the layout
   * @param value the new value
   */
  protected final void putChar(Field field, char value) {
    try {
      memory.set(ofChar(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code char} elements.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final char getChar(Field field, int index) {
    try {
      return memory.get(ofChar(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code char} elements.
   *
   * @param field a {@code char} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putChar(Field field, int index, char value) {
    try {
      memory.set(ofChar(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads an {@code int}.
   *
   * @param field an {@code int} field of the layout
   * @return the value
   */
  protected final int getInt(Field field) {
    try {
      return memory.get(ofInt(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes an {@code int}.
   *
   * @param field an {@code int} field of the layout
   * @param value the new value
   */
  protected final void putInt(Field field, int value) {
    try {
      memory.set(ofInt(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code int} elements.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final int getInt(Field field, int index) {
    try {
      return memory.get(ofInt(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code int} elements.
   *
   * @param field an {@code int} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putInt(Field field, int index, int value) {
    try {
      memory.set(ofInt(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code long}.
   *
   * @param field a {@code long} field of the layout
   * @return the value
   */
  protected final long getLong(Field field) {
    try {
      return memory.get(ofLong(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code long}.
   *
   * @param field a {@code long} field of the layout
   * @param value the new value
   */
  protected final void putLong(Field field, long value) {
    try {
      memory.set(ofLong(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code long} elements.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final long getLong(Field field, int index) {
    try {
      return memory.get(ofLong(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code long} elements.
   *
   * @param field a {@code long} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putLong(Field field, int index, long value) {
    try {
      memory.set(ofLong(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code float}.
   *
   * @param field a {@code float} field of the layout
   * @return the value
   */
  protected final float getFloat(Field field) {
    try {
      return memory.get(ofFloat(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code float}.
   *
   * @param field a {@code float} field of the layout
   * @param value the new value
   */
  protected final void putFloat(Field field, float value) {
    try {
      memory.set(ofFloat(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code float} elements.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final float getFloat(Field field, int index) {
    try {
      return memory.get(ofFloat(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code float} elements.
   *
   * @param field a {@code float} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putFloat(Field field, int index, float value) {
    try {
      memory.set(ofFloat(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads a {@code double}.
   *
   * @param field a {@code double} field of the layout
   * @return the value
   */
  protected final double getDouble(Field field) {
    try {
      return memory.get(ofDouble(field), at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes a {@code double}.
   *
   * @param field a {@code double} field of the layout
   * @param value the new value
   */
  protected final void putDouble(Field field, double value) {
    try {
      memory.set(ofDouble(field), at(field), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several {@code double} elements.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index the element, from 0
   * @return the value
   */
  protected final double getDouble(Field field, int index) {
    try {
      return memory.get(ofDouble(field), at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several {@code double} elements.
   *
   * @param field a {@code double} field of the layout with an open index
   * @param index the element, from 0
   * @param value the new value
   */
  protected final void putDouble(Field field, int index, double value) {
    try {
      memory.set(ofDouble(field), at(field, index), value);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  // These methods are short, so that HotSpot inlines an accessor even where it is rarely called.

  private OfByte ofByte(Field field) {
    return (OfByte) layoutOf(field, byte.class);
  }

  private OfBoolean ofBoolean(Field field) {
    return (OfBoolean) layoutOf(field, boolean.class);
  }

  private OfShort ofShort(Field field) {
    return (OfShort) layoutOf(field, short.class);
  }

  private OfChar ofChar(Field field) {
    return (OfChar) layoutOf(field, char.class);
  }

  private OfInt ofInt(Field field) {
    return (OfInt) layoutOf(field, int.class);
  }

  private OfLong ofLong(Field field) {
    return (OfLong) layoutOf(field, long.class);
  }

  private OfFloat ofFloat(Field field) {
    return (OfFloat) layoutOf(field, float.class);
  }

  private OfDouble ofDouble(Field field) {
    return (OfDouble) layoutOf(field, double.class);
  }
}
