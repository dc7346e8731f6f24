package dev.millrace.flyweight.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.millrace.flyweight.Utf8;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.reflect.AnnotatedElement;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Text that is stored as UTF-8 in a fixed number of bytes, padded with zeros.
 *
 * <p>Encodes and decodes by hand, because the JDK's coders need a buffer or make an array.
 * Malformed bytes are read as in the JDK: each longest sequence that could have begun a character
 * becomes one replacement character.
 *
 * @param sizeBytes the size of the field
 * @param name the field's name, for messages
 */
public record Text(int sizeBytes, String name) {
  /** The character that stands for bytes that cannot be decoded. */
  public static final char REPLACEMENT = '\uFFFD';

  private static final int ASCII_END = 0x80;
  private static final long EACH_1 = 0x0101_0101_0101_0101L;
  private static final long EACH_80 = 0x8080_8080_8080_8080L;

  /**
   * Returns the text that the annotations of {@code annotated} describe, or null if there is no
   * annotation. {@code path} names the component in messages.
   */
  public static Text of(List<? extends AnnotatedElement> annotated, String path) {
    Set<Text> found = new HashSet<>();
    for (AnnotatedElement element : annotated) {
      Utf8 utf8 = element.getAnnotation(Utf8.class);
      if (utf8 != null) {
        found.add(new Text(utf8.value(), path));
      }
    }
    if (found.size() > 1) {
      throw new IllegalArgumentException("component must have one Utf8: component=" + path);
    }
    Text text = found.isEmpty() ? null : found.iterator().next();
    if (text != null && text.sizeBytes < 1) {
      throw new IllegalArgumentException(
          "Utf8 must be at least 1: Utf8=" + text.sizeBytes + ", component=" + path);
    }
    return text;
  }

  // ---- reading ----

  /** Reads the text at the offset {@code at} as a new string. */
  public String get(MemorySegment memory, long at) {
    return new String(content(memory, at, sizeBytes), UTF_8);
  }

  /** Returns a copy of the bytes before the first zero, or of all bytes if none is zero. */
  public static byte[] content(MemorySegment memory, long at, int sizeBytes) {
    int length = lengthOf(memory, at, sizeBytes);
    byte[] content = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, content, 0, length);
    return content;
  }

  /** Returns how many bytes come before the first zero. Checks eight bytes at a time. */
  private static int lengthOf(MemorySegment memory, long at, int sizeBytes) {
    int length = 0;
    while (length <= sizeBytes - Long.BYTES) {
      long bytes = (long) LONG.get(memory, at + length); // plain: the caller's record
      long zeros = (bytes - EACH_1) & ~bytes & EACH_80; // the lowest bit set is in the first zero
      if (zeros != 0) {
        return length + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
      }
      length += Long.BYTES;
    }
    while (length < sizeBytes && unsignedAt(memory, at + length) != 0) {
      length++;
    }
    return length;
  }

  /** Appends the text at the offset {@code at} to {@code target} without making a string. */
  public void append(MemorySegment memory, long at, StringBuilder target) {
    append(memory, at, sizeBytes, true, target);
  }

  /**
   * Appends text to {@code target} without making a string. If {@code endsAtZero}, a zero byte ends
   * the text.
   */
  public static void append(
      MemorySegment memory, long at, int sizeBytes, boolean endsAtZero, StringBuilder target) {
    int i = 0;
    while (i < sizeBytes) {
      int first = unsignedAt(memory, at + i++);
      if (first == 0 && endsAtZero) {
        return;
      }
      if (first < ASCII_END) {
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

  /**
   * Appends a character. The JDK's method for this makes a string if the character is beyond
   * U+FFFF.
   */
  private static void append(StringBuilder target, int codePoint) {
    if (!Character.isBmpCodePoint(codePoint)) {
      target.append(Character.highSurrogate(codePoint)).append(Character.lowSurrogate(codePoint));
    } else if (isSurrogate(codePoint)) {
      target.append(REPLACEMENT); // one for all three bytes, as in the JDK
    } else {
      target.append((char) codePoint);
    }
  }

  /**
   * Returns how many bytes of a character follow {@code first}, which is 0x80 or more; 0 if it
   * cannot begin a character.
   */
  private static int followingBytes(int first) {
    if (first < 0xC2 || first > 0xF4) {
      return 0;
    }
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  }

  // ---- writing ----

  /** Returns {@code text}, or throws {@link IllegalArgumentException} if it cannot be written. */
  public CharSequence checked(CharSequence text) {
    return switch (fault(text)) {
      case NONE -> text;
      case SURROGATE -> throw refused("must have its surrogates in pairs", text);
      case NUL -> throw refused("must have no NUL", text);
      case LENGTH -> throw refused("must be at most " + sizeBytes + " bytes", text);
    };
  }

  /**
   * Returns whether {@code text} can be written; false if it is too long or has a NUL or half a
   * surrogate pair. Null is written as empty text.
   */
  public boolean fits(CharSequence text) {
    // no character has fewer bytes than chars
    return text == null || (text.length() <= sizeBytes && fault(text) == Fault.NONE);
  }

  /** Cuts {@code text}, which may be null, to as many whole characters as fit. */
  public String cut(String text) {
    int end = 0;
    int encodedBytes = 0;
    while (text != null && end < text.length()) {
      int codePoint = text.codePointAt(end);
      encodedBytes += encodedBytes(codePoint);
      if (encodedBytes > sizeBytes) {
        return text.substring(0, end);
      }
      end += Character.charCount(codePoint);
    }
    return text;
  }

  /** Why a text cannot be written. */
  private enum Fault {
    NONE,
    SURROGATE,
    /** It would be read as the end of the text. */
    NUL,
    LENGTH
  }

  private Fault fault(CharSequence text) {
    int length = text.length();
    int ascii = 0;
    while (ascii < length && (text.charAt(ascii) - 1 & 0xFFFF) < ASCII_END - 1) { // and no NUL
      ascii++;
    }
    long encodedBytes = ascii;
    for (int i = ascii; i < length; ) {
      int codePoint = Character.codePointAt(text, i);
      if (isSurrogate(codePoint)) {
        return Fault.SURROGATE;
      }
      if (codePoint == 0) {
        return Fault.NUL;
      }
      encodedBytes += encodedBytes(codePoint);
      i += Character.charCount(codePoint);
    }
    return encodedBytes > sizeBytes ? Fault.LENGTH : Fault.NONE;
  }

  private IllegalArgumentException refused(String rule, CharSequence text) {
    return new IllegalArgumentException(name + " " + rule + ": " + name + "=" + Checks.shown(text));
  }

  /** Writes {@code text}, which must have been checked. Null is written as empty text. */
  public void put(MemorySegment memory, long at, CharSequence text) {
    int length = text == null ? 0 : text.length();
    int done = putAscii(memory, at, text, length);
    int written = done < length ? write(text, done, memory, at + done, sizeBytes - done) : 0;
    clear(memory, at + done + written, sizeBytes - done - written);
  }

  /**
   * Writes eight bytes at a time as long as all characters are ASCII, with zeros behind the end of
   * the text. Returns how many bytes were written.
   */
  private int putAscii(MemorySegment memory, long at, CharSequence text, int length) {
    int done = 0;
    while (done <= sizeBytes - Long.BYTES) {
      int end = Math.min(done + Long.BYTES, length);
      long bytes = 0;
      int all = 0;
      for (int i = done; i < end; i++) {
        char one = text.charAt(i);
        all |= one;
        bytes |= (long) one << (i * Byte.SIZE); // a shift uses the lowest six bits only
      }
      if (all >= ASCII_END) {
        break;
      }
      LONG.set(memory, at + done, bytes); // plain: the caller's record
      done += Long.BYTES;
    }
    return done;
  }

  /**
   * Writes as many whole characters of {@code text} in UTF-8 as fit into {@code limit} bytes. Half
   * of a surrogate pair becomes a question mark. Returns how many bytes were written.
   */
  public static int write(CharSequence text, MemorySegment memory, long at, int limit) {
    return write(text, 0, memory, at, limit);
  }

  private static int write(CharSequence text, int from, MemorySegment memory, long at, int limit) {
    int length = text.length();
    int written = 0;
    for (int i = from; i < length; ) {
      int codePoint = Character.codePointAt(text, i);
      i += Character.charCount(codePoint);
      if (isSurrogate(codePoint)) {
        codePoint = '?';
      }
      int count = encodedBytes(codePoint);
      if (written + count > limit) {
        break;
      }
      for (int k = 0; k < count; k++) {
        // plain: the caller's record
        BYTE.set(memory, at + written + k, encodedByte(codePoint, count, k));
      }
      written += count;
    }
    return written;
  }

  /** Writes {@code count} zero bytes. */
  public static void clear(MemorySegment memory, long at, long count) {
    long i = 0;
    for (; i <= count - Long.BYTES; i += Long.BYTES) {
      LONG.set(memory, at + i, 0L); // plain: the caller's record
    }
    for (; i < count; i++) {
      BYTE.set(memory, at + i, (byte) 0); // plain: the caller's record
    }
  }

  /**
   * Returns how many bytes {@code text} has in UTF-8. Throws {@link IllegalArgumentException} if it
   * has half a surrogate pair, or too many bytes for an int.
   */
  public static int encodedBytes(CharSequence text) {
    int length = text.length();
    long count = 0;
    for (int i = 0; i < length; ) {
      int codePoint = Character.codePointAt(text, i);
      if (isSurrogate(codePoint)) {
        throw new IllegalArgumentException(
            "text must have its surrogates in pairs: text=" + Checks.shown(text));
      }
      count += encodedBytes(codePoint);
      i += Character.charCount(codePoint);
    }
    if (count > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("text must fit an int of bytes: bytes=" + count);
    }
    return (int) count;
  }

  /** Returns whether {@code codePoint} is half a surrogate pair, which is no character. */
  private static boolean isSurrogate(int codePoint) {
    return Character.MIN_SURROGATE <= codePoint && codePoint <= Character.MAX_SURROGATE;
  }

  private static int encodedBytes(int codePoint) {
    return codePoint < ASCII_END ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }

  /**
   * Returns byte {@code k}, from 0, of a character that has {@code count} bytes. Each byte after
   * the first holds six bits of the character, and the first also gives the number of bytes.
   */
  private static byte encodedByte(int codePoint, int count, int k) {
    if (count == 1) {
      return (byte) codePoint;
    }
    int bits = codePoint >> (6 * (count - 1 - k));
    return (byte) (k == 0 ? bits | (0xF00 >> count) : (bits & 0x3F) | 0x80);
  }

  private static int unsignedAt(MemorySegment memory, long at) {
    // plain: the caller's record
    return (byte) BYTE.get(memory, at) & 0xFF;
  }

  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG_UNALIGNED
          .withOrder(ByteOrder.LITTLE_ENDIAN)
          .varHandle()
          .withInvokeExactBehavior();
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();
}
