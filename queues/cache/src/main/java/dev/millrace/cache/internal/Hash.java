package dev.millrace.cache.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * Hashes bytes to 64 bits with secret numbers, which differ between caches, so that an attacker
 * cannot choose keys that share a hash. Every eight bytes are multiplied into a 128-bit product,
 * whose halves are then combined.
 */
public final class Hash {
  /** 2<sup>64</sup> divided by the golden ratio. Multiplying by it spreads bits. */
  static final long ODD = 0x9E37_79B9_7F4A_7C15L;

  private static final SecureRandom SECRETS = new SecureRandom();

  private final long first;
  private final long second;
  private final long third;

  /** Makes a hash function with new secret numbers. */
  public Hash() {
    this.first = SECRETS.nextLong();
    this.second = SECRETS.nextLong();
    this.third = SECRETS.nextLong();
  }

  /** Hashes {@code size} bytes of memory from {@code from} on, which must be a multiple of 8. */
  public long of(MemorySegment bytes, long from, long size) {
    long hash = first ^ size;
    long at = from;
    for (; at + Long.BYTES <= from + size; at += Long.BYTES) {
      hash = fold(hash ^ bytes.get(JAVA_LONG, at) ^ third, second ^ hash);
    }
    long rest = 0;
    for (; at < from + size; at++) {
      rest = (rest << Byte.SIZE) | (bytes.get(JAVA_BYTE, at) & 0xFF);
    }
    return fold(fold(hash ^ rest, second), third ^ size);
  }

  /** Spreads the 32 bits of a hash that an entry keeps over 64 bits again. */
  static long spread(long kept) {
    long spread = (kept & 0xFFFF_FFFFL) * ODD;
    return (spread ^ (spread >>> 29)) * ODD;
  }

  private static long fold(long one, long other) {
    return (one * other) ^ Math.unsignedMultiplyHigh(one, other);
  }
}
