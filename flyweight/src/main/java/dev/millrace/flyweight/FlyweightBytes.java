package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import dev.millrace.flyweight.internal.Text;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The accessors of a {@link Flyweight} for fields that are sequences of bytes and hold text or raw
 * bytes.
 */
class FlyweightBytes extends FlyweightFields {
  FlyweightBytes(RecordLayout layout, MemorySegment memory, Flyweight[] parts) {
    super(layout, memory, parts);
  }

  /**
   * Reads UTF-8 text up to the first zero byte. Bytes that cannot be decoded are read as U+FFFD.
   *
   * @param field a field that is a sequence of bytes
   * @return a new string
   */
  protected final String getUtf8(Field field) {
    try {
      return textOf(field).get(memory, at(field));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Reads one of several UTF-8 texts up to the first zero byte. Bytes that cannot be decoded are
   * read as U+FFFD.
   *
   * @param field a field that is a sequence of bytes, with an open index
   * @param index the element, from 0
   * @return a new string
   */
  protected final String getUtf8(Field field, int index) {
    try {
      return textOf(field).get(memory, at(field, index));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Appends UTF-8 text up to the first zero byte, without making a string.
   *
   * @param field a field that is a sequence of bytes
   * @param target the builder to append to
   */
  protected final void getUtf8(Field field, StringBuilder target) {
    try {
      textOf(field).append(memory, at(field), target);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Appends one of several UTF-8 texts up to the first zero byte, without making a string.
   *
   * @param field a field that is a sequence of bytes, with an open index
   * @param index the element, from 0
   * @param target the builder to append to
   */
  protected final void getUtf8(Field field, int index, StringBuilder target) {
    try {
      textOf(field).append(memory, at(field, index), target);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes UTF-8 text, followed by zeros. Text that does not fit is rejected before anything is
   * written.
   *
   * @param field a field that is a sequence of bytes
   * @param text the text, without NUL and with surrogates in pairs
   */
  protected final void putUtf8(Field field, CharSequence text) {
    try {
      textOf(field).put(memory, at(field), textOf(field).checked(text));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes one of several UTF-8 texts, followed by zeros. Text that does not fit is rejected before
   * anything is written.
   *
   * @param field a field that is a sequence of bytes, with an open index
   * @param index the element, from 0
   * @param text the text, without NUL and with surrogates in pairs
   */
  protected final void putUtf8(Field field, int index, CharSequence text) {
    try {
      textOf(field).put(memory, at(field, index), textOf(field).checked(text));
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Copies the bytes, zeros included.
   *
   * @param field a field that is a sequence of bytes
   * @param target receives the bytes, from index 0; at least as long as the field
   */
  protected final void getBytes(Field field, byte[] target) {
    try {
      copyOut(textOf(field).sizeBytes(), at(field), target);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Copies the bytes of one element, zeros included.
   *
   * @param field a field that is a sequence of bytes, with an open index
   * @param index the element, from 0
   * @param target receives the bytes, from index 0; at least as long as the field
   */
  protected final void getBytes(Field field, int index, byte[] target) {
    try {
      copyOut(textOf(field).sizeBytes(), at(field, index), target);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes raw bytes, followed by zeros. A source that is too long is rejected before anything is
   * written.
   *
   * @param field a field that is a sequence of bytes
   * @param source the bytes to write, at most as many as the field holds
   */
  protected final void putBytes(Field field, byte[] source) {
    try {
      copyIn(textOf(field).sizeBytes(), at(field), source);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  /**
   * Writes raw bytes to one element, followed by zeros. A source that is too long is rejected
   * before anything is written.
   *
   * @param field a field that is a sequence of bytes, with an open index
   * @param index the element, from 0
   * @param source the bytes to write, at most as many as the field holds
   */
  protected final void putBytes(Field field, int index, byte[] source) {
    try {
      copyIn(textOf(field).sizeBytes(), at(field, index), source);
    } catch (RuntimeException e) {
      throw explained(e);
    }
  }

  private Text textOf(Field field) {
    layoutOf(field, byte[].class);
    return ((FieldAt) field).text();
  }

  private void copyOut(int sizeBytes, long at, byte[] target) {
    if (target.length < sizeBytes) {
      throw new IllegalArgumentException(
          "target must be at least " + sizeBytes + " bytes: target=" + target.length);
    }
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, target, 0, sizeBytes);
  }

  private void copyIn(int sizeBytes, long at, byte[] source) {
    if (source.length > sizeBytes) {
      throw new IllegalArgumentException(
          "source must be at most " + sizeBytes + " bytes: source=" + source.length);
    }
    MemorySegment.copy(source, 0, memory, ValueLayout.JAVA_BYTE, at, source.length);
    Text.clear(memory, at + source.length, sizeBytes - source.length);
  }
}
