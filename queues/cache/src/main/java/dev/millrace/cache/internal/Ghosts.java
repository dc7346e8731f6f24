package dev.millrace.cache.internal;

import java.util.Arrays;

/**
 * Remembers which entries were evicted lately, by fingerprints of 16 bits: one of some 8,000 others
 * is taken for one of them. Only who has the shard's lock uses it.
 *
 * <p>Each fingerprint has the time of its eviction, counted in evictions. It is forgotten once as
 * many others were evicted as there are entries, or eight later ones fell into its bucket.
 */
final class Ghosts {
  private static final int WAYS = 8;
  private static final int AGE_BITS = 16;
  private static final int AGES = 1 << AGE_BITS;
  private static final int STEPS = 1 << 10; // the resolution of ages

  private final int[] marks; // fingerprint, then age; 0 is none
  private final int buckets;
  private final long unit; // so many evictions make a step of the age
  private long evictions;

  /** Makes room for so many. */
  Ghosts(long most) {
    this.buckets = Math.clamp(most / (WAYS / 2), 1, Integer.MAX_VALUE / WAYS / 2);
    this.unit = Math.max(1, most / STEPS);
    this.marks = new int[buckets * WAYS];
  }

  void add(long hash) {
    evictions++;
    int from = bucket(hash);
    int oldest = from;
    long age = -1;
    for (int i = from; i < from + WAYS; i++) {
      long its = marks[i] == 0 ? Long.MAX_VALUE : ageOf(marks[i]);
      if (its > age) {
        oldest = i;
        age = its;
      }
    }
    marks[oldest] = mark(hash);
  }

  /** Whether it is among so many that were evicted last; if so, it is forgotten. */
  boolean remove(long hash, long most) {
    int from = bucket(hash);
    for (int i = from; i < from + WAYS; i++) {
      if (marks[i] != 0
          && marks[i] >>> AGE_BITS == fingerprint(hash)
          && ageOf(marks[i]) * unit <= most) {
        marks[i] = 0;
        return true;
      }
    }
    return false;
  }

  void clear() {
    Arrays.fill(marks, 0);
  }

  private int bucket(long hash) {
    return (int) Math.unsignedMultiplyHigh(hash * Hash.ODD, buckets) * WAYS;
  }

  private static int fingerprint(long hash) {
    return ((int) hash & (AGES - 1)) | 1; // not 0
  }

  private int mark(long hash) {
    return (fingerprint(hash) << AGE_BITS) | ((int) (evictions / unit) & (AGES - 1));
  }

  private long ageOf(int mark) {
    return (evictions / unit - mark) & (AGES - 1);
  }
}
