package dev.millrace.stress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.millrace.cache.Codec;
import dev.millrace.cache.ValueReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The values of the cache soak. Each byte depends on the key and on the version, and so does the
 * size: a value's words are its identity, which is both of them scrambled, plus a multiple of the
 * word's place. What is left of a word at the end are its low bytes.
 */
final class CacheValue implements ValueReader<CacheValue> {
  static final int MOST_KEYS = 1 << 24;

  private static final ValueLayout.OfLong WORD =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int VERSION_BITS = 40;
  private static final long STEP = 0x9E37_79B9_7F4A_7C15L;
  private static final long FIRST_FACTOR = 0xFF51_AFD7_ED55_8CCDL;
  private static final long SECOND_FACTOR = 0xC4CE_B9FE_1A85_EC53L;
  private static final long FIRST_INVERSE = inverse(FIRST_FACTOR);
  private static final long SECOND_INVERSE = inverse(SECOND_FACTOR);
  private static final int SHIFT = 33; // more than half, so that it undoes itself
  private static final int MEDIAN = 200;
  private static final int ODD_ONES = 1 << 10; // one size in so many is very small, or the largest

  /** Its first word; of a shorter value as much of it as there is. */
  long identity;

  int size;

  /** Whether all its bytes are of that identity. */
  boolean isWhole;

  // ---- identities ----

  /** The identity of a version of a key. */
  static long identity(long key, long version) {
    return scramble((key << VERSION_BITS) | version);
  }

  static long keyOf(long identity) {
    return unscramble(identity) >>> VERSION_BITS;
  }

  static long versionOf(long identity) {
    return unscramble(identity) & ((1L << VERSION_BITS) - 1);
  }

  private static long scramble(long number) {
    long mixed = (number ^ (number >>> SHIFT)) * FIRST_FACTOR;
    mixed = (mixed ^ (mixed >>> SHIFT)) * SECOND_FACTOR;
    return mixed ^ (mixed >>> SHIFT);
  }

  private static long unscramble(long mixed) {
    long number = (mixed ^ (mixed >>> SHIFT)) * SECOND_INVERSE;
    number = (number ^ (number >>> SHIFT)) * FIRST_INVERSE;
    return number ^ (number >>> SHIFT);
  }

  /** The odd number whose product with this one is 1, by Newton's method. */
  private static long inverse(long odd) {
    long inverse = odd; // right in the lowest three bits; each round doubles them
    for (int i = 0; i < 5; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }

  /** The size of a value: half of them are below the median, and each doubling halves the rest. */
  static int sizeOf(long identity, int longest) {
    long draw = scramble(identity + STEP);
    if ((draw & (ODD_ONES - 1)) == 0) {
      int odd = (int) (draw >>> 32) & 15;
      return odd < Long.BYTES ? odd : longest;
    }
    int doublings = Long.numberOfTrailingZeros((draw >>> 10) | (1L << 20));
    long from = doublings == 0 ? 0 : (long) MEDIAN << (doublings - 1);
    long to = (long) MEDIAN << doublings;
    return (int) Math.min(longest, from + (((draw >>> 32) * (to - from)) >>> 32));
  }

  /** Whether a value that is too short for its identity may be of this one. */
  boolean mayBe(long full, int longest) {
    return sizeOf(full, longest) == size && ((full ^ identity) & lowBytes(size)) == 0;
  }

  private static long lowBytes(long count) {
    return (1L << (count * Byte.SIZE)) - 1; // of less than a word
  }

  // ---- bytes ----

  /** Writes a value. */
  static void write(MemorySegment memory, long offset, long identity, long size) {
    long word = identity;
    long words = size & -Long.BYTES;
    for (long i = 0; i < words; i += Long.BYTES, word += STEP) {
      memory.set(WORD, offset + i, word);
    }
    for (long i = words; i < size; i++, word >>>= Byte.SIZE) {
      memory.set(JAVA_BYTE, offset + i, (byte) word);
    }
  }

  /** Reads any bytes, and compares each with what it should be. */
  @Override
  public CacheValue read(MemorySegment memory, long offset, long sizeBytes) {
    long words = sizeBytes & -Long.BYTES;
    long first = words == 0 ? 0 : memory.get(WORD, offset);
    long word = first;
    long wrong = 0;
    for (long i = 0; i < words; i += Long.BYTES, word += STEP) {
      wrong |= memory.get(WORD, offset + i) ^ word;
    }
    long rest = 0;
    for (long i = sizeBytes - 1; i >= words; i--) {
      rest = (rest << Byte.SIZE) | (memory.get(JAVA_BYTE, offset + i) & 0xFF);
    }
    identity = words == 0 ? rest : first;
    size = (int) sizeBytes;
    isWhole = words == 0 || (wrong | ((rest ^ word) & lowBytes(sizeBytes - words))) == 0;
    return this;
  }

  /** A value that is an object; its codec writes and checks the bytes. */
  record Item(long identity, int size, boolean isWhole) {
    static final Codec<Item> CODEC =
        new Codec<>() {
          @Override
          public long size(Item item) {
            return item.size;
          }

          @Override
          public long write(Item item, MemorySegment memory) {
            CacheValue.write(memory, 0, item.identity, item.size);
            return item.size;
          }

          @Override
          public Item read(MemorySegment memory) {
            CacheValue value = new CacheValue().read(memory, 0, memory.byteSize());
            return new Item(value.identity, value.size, value.isWhole);
          }
        };
  }
}
