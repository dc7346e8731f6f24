package dev.millrace.telemetry;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Writes text in UTF-8 without allocating, as much as there is room for. */
final class TraceText {
  private static final int ONE_BYTE = 0x80;
  private static final int TWO_BYTES = 0x800;
  private static final int THREE_BYTES = 0x10000;
  private static final int TAIL_BITS = 6;
  private static final int TAIL = 0x3f;

  private TraceText() {}

  /** Returns how many bytes were written, at most the limit: whole characters only. */
  static int write(CharSequence text, MemorySegment memory, long at, int limit) {
    int written = 0;
    int length = text.length();
    for (int i = 0; i < length; i++) {
      int point = pointAt(text, i);
      int size = sizeOf(point);
      if (written + size > limit) {
        break;
      }
      write(point, size, memory, at + written);
      written += size;
      if (point >= THREE_BYTES) {
        i++;
      }
    }
    return written;
  }

  private static int pointAt(CharSequence text, int index) {
    char one = text.charAt(index);
    if (!Character.isSurrogate(one)) {
      return one;
    }
    boolean isPair =
        Character.isHighSurrogate(one)
            && index + 1 < text.length()
            && Character.isLowSurrogate(text.charAt(index + 1));
    return isPair ? Character.toCodePoint(one, text.charAt(index + 1)) : '?';
  }

  private static int sizeOf(int point) {
    return point < ONE_BYTE ? 1 : point < TWO_BYTES ? 2 : point < THREE_BYTES ? 3 : 4;
  }

  private static void write(int point, int size, MemorySegment memory, long at) {
    if (size == 1) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) point);
      return;
    }
    int left = point;
    for (int i = size - 1; i > 0; i--) {
      memory.set(ValueLayout.JAVA_BYTE, at + i, (byte) (ONE_BYTE | (left & TAIL)));
      left >>>= TAIL_BITS;
    }
    int mark = (0xf00 >>> size) & 0xff; // as many ones in front as there are bytes
    memory.set(ValueLayout.JAVA_BYTE, at, (byte) (mark | left));
  }
}
