package dev.millrace.flyweight;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;

/**
 * Text in UTF-8 in a fixed number of bytes, the rest zeros.
 *
 * <p>Encodes and decodes by hand, since the JDK's coders need a buffer or make an array. Malformed
 * bytes are read as the JDK does: one replacement character for each longest part that could have
 * begun a character.
 */
final class Utf8Text {
  /** Stands for what cannot be decoded. */
  static final char REPLACEMENT = '\uFFFD';

  /** What {@link #codePoint} returns for half a surrogate pair; no code point is negative. */
  private static final int LONE_SURROGATE = -1;

  private Utf8Text() {}

  static String get(MemorySegment memory, long at, int sizeBytes) {
    return new String(AsciiText.content(memory, at, sizeBytes), UTF_8);
  }

  static void get(MemorySegment memory, long at, int sizeBytes, StringBuilder target) {
    int i = 0;
    while (i < sizeBytes) {
      int first = unsignedAt(memory, at + i++);
      if (first == 0) {
        return;
      }
      if (first < 0x80) {
        target.append((char) first);
        continue;
      }
      int following = followingBytes(first);
      int codePoint = first & (0x3F >> following);
      // The second byte's range is narrower after some first bytes, so that each character has one
      // encoding and none is beyond U+10FFFF.
      int min = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
      int max = first == 0xF4 ? 0x8F : 0xBF;
      int missing = following;
      while (missing > 0 && i < sizeBytes) {
        int next = unsignedAt(memory, at + i);
        if (next < min || next > max) {
          break;
        }
        codePoint = (codePoint << 6) | (next & 0x3F);
        min = 0x80;
        max = 0xBF;
        missing--;
        i++;
      }
      append(target, following == 0 || missing > 0 ? REPLACEMENT : codePoint);
    }
  }

  /** Appends a character; the JDK's method for that makes a string of one beyond U+FFFF. */
  private static void append(StringBuilder target, int codePoint) {
    if (!Character.isBmpCodePoint(codePoint)) {
      target.append(Character.highSurrogate(codePoint)).append(Character.lowSurrogate(codePoint));
    } else if (Character.isSurrogate((char) codePoint)) {
      target.append(REPLACEMENT); // one for all three bytes, as in the JDK
    } else {
      target.append((char) codePoint);
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
    long encodedBytes = 0;
    for (int i = 0; i < length; ) {
      int codePoint = codePoint(text, i, length);
      if (codePoint == LONE_SURROGATE) {
        throw AsciiText.refused(name, "must have its surrogates in pairs", text);
      }
      if (codePoint == 0) {
        throw AsciiText.refused(name, "must have no NUL", text); // it would be read as the end
      }
      encodedBytes += encodedBytes(codePoint);
      i += Character.charCount(codePoint);
    }
    if (encodedBytes > sizeBytes) {
      throw AsciiText.refused(name, "must be at most " + sizeBytes + " bytes", text);
    }
  }

  static void put(MemorySegment memory, long at, int sizeBytes, String name, CharSequence text) {
    check(sizeBytes, name, text);
    int length = text.length();
    long to = at;
    for (int i = 0; i < length; ) {
      int codePoint = codePoint(text, i, length);
      int count = encodedBytes(codePoint);
      for (int k = 0; k < count; k++) {
        // plain: the caller's record
        FlyweightCursor.BYTE.set(memory, to + k, encodedByte(codePoint, count, k));
      }
      to += count;
      i += Character.charCount(codePoint);
    }
    AsciiText.clear(memory, to, at + sizeBytes - to);
  }

  static boolean matches(MemorySegment memory, long at, int sizeBytes, CharSequence text) {
    int length = text.length();
    long from = at;
    long end = at + sizeBytes;
    for (int i = 0; i < length; ) {
      int codePoint = codePoint(text, i, length);
      if (codePoint <= 0) { // a lone surrogate or NUL, which are never stored
        return false;
      }
      int count = encodedBytes(codePoint);
      if (from + count > end) {
        return false;
      }
      for (int k = 0; k < count; k++) {
        // plain: the caller's record
        if ((byte) FlyweightCursor.BYTE.get(memory, from + k) != encodedByte(codePoint, count, k)) {
          return false;
        }
      }
      from += count;
      i += Character.charCount(codePoint);
    }
    return from == end || unsignedAt(memory, from) == 0;
  }

  /** Returns how many bytes follow a first byte of 0x80 or more; 0 if it cannot be a first one. */
  private static int followingBytes(int first) {
    if (first < 0xC2 || first > 0xF4) {
      return 0;
    }
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  }

  private static int codePoint(CharSequence text, int index, int length) {
    char high = text.charAt(index);
    if (!Character.isSurrogate(high)) {
      return high;
    }
    if (Character.isHighSurrogate(high) && index + 1 < length) {
      char low = text.charAt(index + 1);
      if (Character.isLowSurrogate(low)) {
        return Character.toCodePoint(high, low);
      }
    }
    return LONE_SURROGATE;
  }

  private static int encodedBytes(int codePoint) {
    return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }

  /** Returns the k-th of the bytes of a character: six bits each, the first with its length. */
  private static byte encodedByte(int codePoint, int count, int k) {
    if (count == 1) {
      return (byte) codePoint;
    }
    int bits = codePoint >> (6 * (count - 1 - k));
    return (byte) (k == 0 ? bits | (0xF00 >> count) : (bits & 0x3F) | 0x80);
  }

  private static int unsignedAt(MemorySegment memory, long at) {
    // plain: the caller's record
    return (byte) FlyweightCursor.BYTE.get(memory, at) & 0xFF;
  }
}
