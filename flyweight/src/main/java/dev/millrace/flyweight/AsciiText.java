package dev.millrace.flyweight;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Text of one byte per character in a fixed number of bytes, the rest zeros. */
final class AsciiText {
  private AsciiText() {}

  /** Returns how many bytes precede the first zero, or all. */
  static int length(MemorySegment memory, long at, int sizeBytes) {
    int length = 0;
    while (length < sizeBytes && byteAt(memory, at + length) != 0) {
      length++;
    }
    return length;
  }

  /** Returns the bytes before the first zero, or all. */
  static byte[] content(MemorySegment memory, long at, int sizeBytes) {
    byte[] content = new byte[length(memory, at, sizeBytes)];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, content, 0, content.length);
    return content;
  }

  static String get(MemorySegment memory, long at, int sizeBytes) {
    return new String(content(memory, at, sizeBytes), US_ASCII);
  }

  static void get(MemorySegment memory, long at, int sizeBytes, StringBuilder target) {
    for (int i = 0; i < sizeBytes; i++) {
      byte value = byteAt(memory, at + i);
      if (value == 0) {
        return;
      }
      target.append(value > 0 ? (char) value : Utf8Text.REPLACEMENT);
    }
  }

  /**
   * Refuses text that cannot be put.
   *
   * @param sizeBytes how many bytes there are
   * @param name what messages call it
   */
  static void check(int sizeBytes, String name, CharSequence text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      if (!isAscii(text.charAt(i))) {
        throw refused(name, "must be ASCII without NUL", text);
      }
    }
    if (length > sizeBytes) {
      throw refused(name, "must be at most " + sizeBytes + " bytes", text);
    }
  }

  static void put(MemorySegment memory, long at, int sizeBytes, String name, CharSequence text) {
    check(sizeBytes, name, text);
    int length = text.length();
    for (int i = 0; i < length; i++) {
      // plain: the caller's record
      FlyweightCursor.BYTE.set(memory, at + i, (byte) text.charAt(i));
    }
    clear(memory, at + length, sizeBytes - length);
  }

  static boolean matches(MemorySegment memory, long at, int sizeBytes, CharSequence text) {
    int length = text.length();
    if (length > sizeBytes || (length < sizeBytes && byteAt(memory, at + length) != 0)) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      char character = text.charAt(i);
      if (!isAscii(character) || byteAt(memory, at + i) != character) {
        return false;
      }
    }
    return true;
  }

  static void clear(MemorySegment memory, long at, long count) {
    for (long i = 0; i < count; i++) {
      // plain: the caller's record
      FlyweightCursor.BYTE.set(memory, at + i, (byte) 0);
    }
  }

  static IllegalArgumentException refused(String name, String rule, CharSequence text) {
    return new IllegalArgumentException(name + " " + rule + ": " + name + "=" + text);
  }

  private static boolean isAscii(char character) {
    return character > 0 && character < 0x80; // a NUL would be read as the end
  }

  private static byte byteAt(MemorySegment memory, long at) {
    // plain: the caller's record
    return (byte) FlyweightCursor.BYTE.get(memory, at);
  }
}
