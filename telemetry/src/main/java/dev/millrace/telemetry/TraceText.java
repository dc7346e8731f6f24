package dev.millrace.telemetry;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Writes text in UTF-8 without allocating, as much of it as there is room for. */
final class TraceText {
  private TraceText() {}

  /** Returns how many bytes were written, at most the limit: whole characters only. */
  static int write(CharSequence text, MemorySegment memory, long at, int limit) {
    int written = 0;
    int length = text.length();
    for (int i = 0; i < length; ) {
      int codePoint = Character.codePointAt(text, i);
      i += Character.charCount(codePoint);
      if (Character.isBmpCodePoint(codePoint) && Character.isSurrogate((char) codePoint)) {
        codePoint = '?'; // half of a pair
      }
      int count = codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
      if (written + count > limit) {
        break;
      }
      for (int k = 0; k < count; k++) {
        byte encoded = encodedByte(codePoint, count, k);
        memory.set(ValueLayout.JAVA_BYTE, at + written + k, encoded);
      }
      written += count;
    }
    return written;
  }

  /** Returns the k-th of the bytes of a character: six bits each, the first with its length. */
  private static byte encodedByte(int codePoint, int count, int k) {
    if (count == 1) {
      return (byte) codePoint;
    }
    int bits = codePoint >> (6 * (count - 1 - k));
    return (byte) (k == 0 ? bits | (0xf00 >> count) : (bits & 0x3f) | 0x80);
  }
}
