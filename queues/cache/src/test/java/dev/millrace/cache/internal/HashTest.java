package dev.millrace.cache.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * Finds a hash by which keys that are alike crowd into a few places, or that is the same in every
 * cache, so that keys can be chosen to collide.
 */
class HashTest {
  private static final int KEYS = 100_000;
  private static final int PLACES = 256;

  private final MemorySegment memory = Arena.ofAuto().allocate(128, Long.BYTES);
  private final Hash hash = new Hash();

  private long hashOf(Hash by, String key) {
    MemorySegment.copy(key.getBytes(ISO_8859_1), 0, memory, JAVA_BYTE, 0, key.length());
    return by.of(memory, 0, key.length());
  }

  @Test
  void of_twoCaches_differs() {
    Hash other = new Hash();
    for (int i = 0; i < 100; i++) {
      assertThat(hashOf(hash, "x".repeat(i))).isNotEqualTo(hashOf(other, "x".repeat(i)));
    }
  }

  /** Keys of zeros of all sizes, and each of them with one bit set. */
  @Test
  void of_eachSizeAndBit_differs() {
    Set<Long> seen = new HashSet<>();
    for (int size = 0; size < 40; size++) {
      assertThat(seen.add(hash.of(memory, 0, size))).isTrue();
      for (int bit = 0; bit < Byte.SIZE * size; bit++) {
        memory.set(JAVA_BYTE, bit / Byte.SIZE, (byte) (1 << (bit % Byte.SIZE)));
        assertThat(seen.add(hash.of(memory, 0, size))).as("bit %d of %d bytes", bit, size).isTrue();
        memory.set(JAVA_BYTE, bit / Byte.SIZE, (byte) 0);
      }
    }
  }

  @Test
  void of_keysThatAreAlike_spreads() {
    assertSpreads(i -> "a".repeat(30) + i);
    assertSpreads(i -> i + "a".repeat(30));
  }

  /**
   * The bits that choose a shard, and those that choose a bucket, of the hash and of what is kept.
   */
  private void assertSpreads(IntFunction<String> keys) {
    int[][] counts = new int[3][PLACES];
    for (int i = 0; i < KEYS; i++) {
      long bits = hashOf(hash, keys.apply(i));
      counts[0][(int) (bits >>> 56)]++;
      counts[1][(int) (bits >>> 24) & 0xFF]++;
      counts[2][(int) (Hash.spread(bits) >>> 24) & 0xFF]++;
    }
    int usual = KEYS / PLACES;
    int most = (int) (6 * Math.sqrt(usual)); // six times the usual deviation
    for (int[] places : counts) {
      for (int count : places) {
        assertThat(count).isCloseTo(usual, within(most));
      }
    }
  }
}
