package dev.millrace.stress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Bytes that all follow from a seed, so that each can be checked: the first word is the seed, each
 * other one is as much above the one before. What is left of a word at the end are its low bytes.
 */
final class Bytes {
  private static final ValueLayout.OfLong WORD =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long STEP = 0xD1B54A32D192ED03L;
  private static final long SCATTER = 0xBF58476D1CE4E5B9L;

  private Bytes() {}

  /** Writes the bytes of a seed. */
  static void write(MemorySegment memory, long offset, long seed, long size) {
    long word = seed;
    long words = size & -Long.BYTES;
    for (long i = 0; i < words; i += Long.BYTES, word += STEP) {
      memory.set(WORD, offset + i, word);
    }
    for (long i = words; i < size; i++, word >>>= Byte.SIZE) {
      memory.set(JAVA_BYTE, offset + i, (byte) word);
    }
  }

  /** Whether all bytes are those of a seed. */
  static boolean areOf(MemorySegment memory, long offset, long seed, long size) {
    MemorySegment expected = MemorySegment.ofArray(new byte[(int) size]);
    write(expected, 0, seed, size);
    return MemorySegment.mismatch(memory, offset, offset + size, expected, 0, size) < 0;
  }

  /** The first word of at least eight bytes, from which all others follow. */
  static long seed(MemorySegment memory, long offset) {
    return memory.get(WORD, offset);
  }

  /** Draws 31 bits that depend on all bits of a seed. */
  static long draw(long seed) {
    return ((seed ^ (seed >>> 32)) * SCATTER) >>> 33;
  }
}
