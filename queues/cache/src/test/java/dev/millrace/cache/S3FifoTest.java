package dev.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a change of eviction that no single call shows and that costs hits: ratios are those of the
 * plainest S3-FIFO.
 */
class S3FifoTest {
  private static final int OBJECTS = 20_000;
  private static final int REQUESTS = 100_000;
  private static final double POINTS = 0.3; // it was within 0.2

  /** With 0 for a cache that is bounded by its memory alone. */
  @ParameterizedTest
  @CsvSource({
    "100, 0",
    "100, 300",
    "1000, 0",
    "1000, 3000",
    "5000, 0",
    "5000, 20000",
    "0, 0",
    "0, 3000"
  })
  void hitRatio_ofZipfAndScans_isS3Fifos(int most, int scan) {
    CacheOptions options = CacheOptions.ofBytes(most > 0 ? 1 << 20 : 1 << 18).withShards(1);
    byte[] value = new byte[most > 0 ? 0 : 150]; // by which no segment can be divided
    for (int seed = 0; seed < 4; seed++) {
      long[] trace = trace(seed, scan);
      try (OffHeapCache<Long, byte[]> cache =
          OffHeapCache.of(
              Codec.longs(), Codec.bytes(), most > 0 ? options.withMaxEntries(most) : options)) {
        for (long key : trace) {
          if (cache.get(key) == null) {
            cache.put(key, value);
          }
        }
        S3Fifo model = new S3Fifo((int) cache.size());
        long hits = Arrays.stream(trace).filter(model::request).count();
        double expected = 100.0 * hits / REQUESTS;
        double ratio = 100.0 * cache.metrics().get("hits") / REQUESTS;
        assertThat(ratio).as("seed %d", seed).isCloseTo(expected, within(POINTS));
      }
    }
  }

  /** Zipf-distributed keys; now and then as many new ones as a scan has. */
  private static long[] trace(int seed, int scan) {
    double[] below = new double[OBJECTS];
    double sum = 0;
    for (int i = 0; i < OBJECTS; i++) {
      sum += Math.pow(i + 1, -0.9);
      below[i] = sum;
    }
    SplittableRandom random = new SplittableRandom(seed);
    long[] keys = new long[REQUESTS];
    int scanned = 0;
    for (int i = 0; i < REQUESTS; i++) {
      if (scan > 0 && i / scan % 4 == 3) {
        keys[i] = (long) OBJECTS + scanned++ / 2; // twice each
      } else {
        int found = Arrays.binarySearch(below, random.nextDouble(sum));
        keys[i] = found < 0 ? -1 - found : found;
      }
    }
    return keys;
  }

  /** As its authors' code has it, for entries of one size. */
  private static final class S3Fifo {
    private final int most;
    private final Map<Long, Integer> reads = new HashMap<>(); // of what is there
    private final Queue<Long> small = new ArrayDeque<>();
    private final Queue<Long> main = new ArrayDeque<>();
    private final Set<Long> ghosts = new LinkedHashSet<>();
    private boolean hasEvicted;

    S3Fifo(int most) {
      this.most = most;
    }

    /** Whether it is a hit; if not, stores the key. */
    boolean request(long key) {
      if (reads.computeIfPresent(key, (_, count) -> Math.min(count + 1, 3)) != null) {
        return true;
      }
      boolean isKnown = ghosts.remove(key);
      while (reads.size() >= most) {
        if (small.isEmpty() || main.size() > most - most / 10) {
          passMain();
        } else {
          passSmall();
        }
      }
      boolean isFilling = !hasEvicted && small.size() >= most / 10;
      (isKnown || isFilling ? main : small).add(key);
      reads.put(key, 0);
      return false;
    }

    private void passSmall() {
      Long key = small.remove();
      if (reads.get(key) >= 2) {
        main.add(key);
        reads.put(key, 0);
      } else {
        evict(key);
        ghosts.add(key);
        if (ghosts.size() > most * 9 / 10) {
          ghosts.remove(ghosts.iterator().next());
        }
      }
    }

    private void passMain() {
      Long key = main.remove();
      int count = reads.get(key);
      if (count >= 1) {
        main.add(key);
        reads.put(key, count - 1);
      } else {
        evict(key);
      }
    }

    private void evict(Long key) {
      reads.remove(key);
      hasEvicted = true;
    }
  }
}
