package dev.millrace.flyweight;

import dev.millrace.flyweight.RecordLayout.Field;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The accessors of a {@link Flyweight} for text and raw bytes. */
class FlyweightText extends FlyweightElements {
  FlyweightText(RecordLayout layout, MemorySegment memory, Flyweight[] parts) {
    super(layout, memory, parts);
  }

  /**
   * Reads ASCII text up to the first zero byte. What cannot be decoded is read as U+FFFD.
   *
   * @param field a field of bytes
   * @return a new string
   */
  protected final String getAscii(Field field) {
    return AsciiText.get(memory, at(field, byte[].class), size(field));
  }

  /**
   * Reads one of several ASCII texts up to the first zero byte. What cannot be decoded is read as
   * U+FFFD.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @return a new string
   */
  protected final String getAscii(Field field, int index) {
    return AsciiText.get(memory, at(field, byte[].class, index), size(field));
  }

  /**
   * Appends ASCII text up to the first zero byte, without making a string.
   *
   * @param field a field of bytes
   * @param target what to append to
   */
  protected final void getAscii(Field field, StringBuilder target) {
    AsciiText.get(memory, at(field, byte[].class), size(field), target);
  }

  /**
   * Appends one of several ASCII texts up to the first zero byte, without making a string.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param target what to append to
   */
  protected final void getAscii(Field field, int index, StringBuilder target) {
    AsciiText.get(memory, at(field, byte[].class, index), size(field), target);
  }

  /**
   * Writes ASCII text, followed by zeros; refuses one that does not fit before it writes.
   *
   * @param field a field of bytes
   * @param text all characters in 1..127
   */
  protected final void putAscii(Field field, CharSequence text) {
    AsciiText.put(memory, at(field, byte[].class), size(field), field.path(), text);
  }

  /**
   * Writes one of several ASCII texts, followed by zeros; refuses one that does not fit before it
   * writes.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param text all characters in 1..127
   */
  protected final void putAscii(Field field, int index, CharSequence text) {
    AsciiText.put(memory, at(field, byte[].class, index), size(field), field.path(), text);
  }

  /**
   * Compares ASCII text with another, without making a string.
   *
   * @param field a field of bytes
   * @param text the other
   * @return whether they are the same
   */
  protected final boolean equalsAscii(Field field, CharSequence text) {
    return AsciiText.matches(memory, at(field, byte[].class), size(field), text);
  }

  /**
   * Compares one of several ASCII texts with another, without making a string.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param text the other
   * @return whether they are the same
   */
  protected final boolean equalsAscii(Field field, int index, CharSequence text) {
    return AsciiText.matches(memory, at(field, byte[].class, index), size(field), text);
  }

  /**
   * Reads UTF-8 text up to the first zero byte. What cannot be decoded is read as U+FFFD.
   *
   * @param field a field of bytes
   * @return a new string
   */
  protected final String getUtf8(Field field) {
    return Utf8Text.get(memory, at(field, byte[].class), size(field));
  }

  /**
   * Reads one of several UTF-8 texts up to the first zero byte. What cannot be decoded is read as
   * U+FFFD.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @return a new string
   */
  protected final String getUtf8(Field field, int index) {
    return Utf8Text.get(memory, at(field, byte[].class, index), size(field));
  }

  /**
   * Appends UTF-8 text up to the first zero byte, without making a string.
   *
   * @param field a field of bytes
   * @param target what to append to
   */
  protected final void getUtf8(Field field, StringBuilder target) {
    Utf8Text.get(memory, at(field, byte[].class), size(field), target);
  }

  /**
   * Appends one of several UTF-8 texts up to the first zero byte, without making a string.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param target what to append to
   */
  protected final void getUtf8(Field field, int index, StringBuilder target) {
    Utf8Text.get(memory, at(field, byte[].class, index), size(field), target);
  }

  /**
   * Writes UTF-8 text, followed by zeros; refuses one that does not fit before it writes.
   *
   * @param field a field of bytes
   * @param text without NUL, surrogates in pairs
   */
  protected final void putUtf8(Field field, CharSequence text) {
    Utf8Text.put(memory, at(field, byte[].class), size(field), field.path(), text);
  }

  /**
   * Writes one of several UTF-8 texts, followed by zeros; refuses one that does not fit before it
   * writes.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param text without NUL, surrogates in pairs
   */
  protected final void putUtf8(Field field, int index, CharSequence text) {
    Utf8Text.put(memory, at(field, byte[].class, index), size(field), field.path(), text);
  }

  /**
   * Compares UTF-8 text with another, without making a string.
   *
   * @param field a field of bytes
   * @param text the other
   * @return whether they are the same
   */
  protected final boolean equalsUtf8(Field field, CharSequence text) {
    return Utf8Text.matches(memory, at(field, byte[].class), size(field), text);
  }

  /**
   * Compares one of several UTF-8 texts with another, without making a string.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param text the other
   * @return whether they are the same
   */
  protected final boolean equalsUtf8(Field field, int index, CharSequence text) {
    return Utf8Text.matches(memory, at(field, byte[].class, index), size(field), text);
  }

  /**
   * Copies the bytes, zeros included.
   *
   * @param field a field of bytes
   * @param target where to, from its start; at least as long as the field
   */
  protected final void getBytes(Field field, byte[] target) {
    copyOut(at(field, byte[].class), field, target);
  }

  /**
   * Copies the bytes of one element, zeros included.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param target where to, from its start; at least as long as the field
   */
  protected final void getBytes(Field field, int index, byte[] target) {
    copyOut(at(field, byte[].class, index), field, target);
  }

  /**
   * Writes raw bytes, followed by zeros; refuses more than fit before it writes.
   *
   * @param field a field of bytes
   * @param source what to write; at most as long as the field
   */
  protected final void putBytes(Field field, byte[] source) {
    copyIn(at(field, byte[].class), field, source);
  }

  /**
   * Writes raw bytes to one element, followed by zeros; refuses more than fit before it writes.
   *
   * @param field a field of bytes with an open index
   * @param index which element, from 0
   * @param source what to write; at most as long as the field
   */
  protected final void putBytes(Field field, int index, byte[] source) {
    copyIn(at(field, byte[].class, index), field, source);
  }

  private void copyOut(long at, Field field, byte[] target) {
    int sizeBytes = size(field);
    if (target.length < sizeBytes) {
      throw new IllegalArgumentException(
          "target must be at least " + sizeBytes + " bytes: target=" + target.length);
    }
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, target, 0, sizeBytes);
  }

  private void copyIn(long at, Field field, byte[] source) {
    int sizeBytes = size(field);
    if (source.length > sizeBytes) {
      throw new IllegalArgumentException(
          "source must be at most " + sizeBytes + " bytes: source=" + source.length);
    }
    MemorySegment.copy(source, 0, memory, ValueLayout.JAVA_BYTE, at, source.length);
    AsciiText.clear(memory, at + source.length, sizeBytes - source.length);
  }

  private static int size(Field field) {
    return (int) field.sizeBytes(); // fits, as the whole record does
  }
}
