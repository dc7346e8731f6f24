package dev.millrace.cache.internal;

import java.util.Arrays;

/**
 * Remembers which entries were evicted lately. It keeps a 12-bit fingerprint of each, which takes
 * two bytes with its time. Only the owner of the shard's lock uses it.
 *
 * <p>Each fingerprint has the time of its eviction. The time advances by a step each time that an
 * eleventh of the entries has been evicted. A fingerprint is forgotten once as many others have
 * been evicted as there are entries, or eight later ones have fallen into its bucket.
 */
final class Ghosts {
  private static final int WAYS = 8;
  private static final int TIME_BITS = 4;
  private static final int TIMES = 1 << TIME_BITS; // in steps
  private static final int STEPS = 11; // remembered; older marks are swept away
  private static final int FINGERPRINTS = 1 << (Short.SIZE - TIME_BITS);

  private final short[] marks; // fingerprint, then time; 0 for no mark
  private final int buckets;
  private final long unit; // the number of evictions in a step
  private int time;
  private long sinceStep; // evictions
  private int swept; // the bucket swept last

  /**
   * Makes room to remember at most {@code most} entries. Each bucket has room for eight. There must
   * be so few buckets that four steps sweep all of them.
   */
  Ghosts(long most, long buckets) {
    this.buckets = (int) Math.min(buckets, Integer.MAX_VALUE / WAYS);
    this.unit = Math.ceilDiv(most, STEPS);
    this.marks = new short[this.buckets * WAYS];
  }

  void add(long hash) {
    if (++sinceStep == unit) {
      sinceStep = 0;
      time = (time + 1) & (TIMES - 1);
    }
    sweep();
    int from = bucket(hash);
    int oldest = 0; // its age, then its place
    for (int i = 0; i < WAYS; i++) {
      oldest = Math.max(oldest, ageOf(marks[from + i]) * WAYS + i);
    }
    marks[from + oldest % WAYS] = (short) (fingerprint(hash) << TIME_BITS | time);
  }

  /** Forgets the marks of the next bucket that are too old, before they look young again. */
  private void sweep() {
    swept = swept + 1 < buckets ? swept + 1 : 0;
    for (int i = swept * WAYS; i < (swept + 1) * WAYS; i++) {
      if (ageOf(marks[i]) > STEPS) {
        marks[i] = 0;
      }
    }
  }

  /**
   * Returns whether {@code hash} is among about the last {@code most} evictions. If so, forgets it.
   */
  boolean remove(long hash, long most) {
    int from = bucket(hash);
    for (int i = from; i < from + WAYS; i++) {
      if ((marks[i] & 0xFFFF) >>> TIME_BITS == fingerprint(hash)
          && ageOf(marks[i]) * unit + sinceStep - unit / 2 <= most) {
        marks[i] = 0;
        return true;
      }
    }
    return false;
  }

  void clear() {
    Arrays.fill(marks, (short) 0);
  }

  private int bucket(long hash) {
    return (int) Math.unsignedMultiplyHigh(hash * Hash.ODD, buckets) * WAYS;
  }

  private static int fingerprint(long hash) {
    return Math.max(1, (int) hash & (FINGERPRINTS - 1)); // 0 stands for no mark
  }

  /** Returns the age of a mark in steps. No mark is older than all marks. */
  private int ageOf(short mark) {
    return mark == 0 ? TIMES : (time - mark) & (TIMES - 1);
  }
}
