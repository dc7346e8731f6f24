package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;

/**
 * Detects a claim that checks have found open for so long that its producer counts as stalled.
 *
 * <p>Elapsed time alone is not enough, because after a pause of the whole process every producer
 * would seem stalled. So each check is credited with at most a sixteenth of the time limit. A claim
 * counts as stalled only after at least sixteen checks.
 *
 * <p><b>Roles.</b> Any thread may check. <b>Progress.</b> Wait-free.
 */
public final class StallWatch {
  /*
   * One word, so that threads may check at the same time: the sequence that is watched (40 bits),
   * the time credited to it (8 bits, in parts of the limit) and when it was last checked (16 bits,
   * the same unit). A clock that has wrapped credits less, never more. A check that another thread
   * overwrites is lost, which delays detection and does nothing worse.
   */
  private static final int PARTS = 64;
  private static final int PARTS_PER_LOOK = 4;
  private static final int SEQUENCE_SHIFT = 24;
  private static final int CREDIT_SHIFT = 16;
  private static final long CREDITS = 0xFF;
  private static final long CLOCKS = 0xFFFF;
  private static final long NONE = -1L << SEQUENCE_SHIFT;

  private final long partNanos;
  private final Sequence watched = new Sequence(NONE);

  /** Makes a watch for claims that may be open for {@code limitNanos}. */
  public StallWatch(long limitNanos) {
    this.partNanos = partNanos(limitNanos);
  }

  /**
   * Returns the interval, in nanoseconds, at which a claim must be checked to enforce a limit of
   * {@code limitNanos}. If the limit is {@link WaitStrategy#FOREVER}, so is the interval.
   */
  public static long lookNanos(long limitNanos) {
    return limitNanos == WaitStrategy.FOREVER
        ? WaitStrategy.FOREVER
        : partNanos(limitNanos) * PARTS_PER_LOOK;
  }

  private static long partNanos(long limitNanos) {
    return Math.max(1, limitNanos / PARTS);
  }

  /**
   * Returns whether enough time has passed for another check to find anything new. If so, the
   * caller should call {@link #hasStalled} or {@link #checkNone}. Reads the clock, but nothing that
   * a producer writes.
   */
  public boolean isDue() {
    return (watched.getOpaque() & CLOCKS) != clock(); // opaque: a check may be lost
  }

  /**
   * Notes that a check found no open claim, so that the next claim is watched from when it is
   * found.
   */
  public void checkNone() {
    watched.setOpaque(NONE | clock()); // opaque: a check may be lost
  }

  /**
   * Makes the next check find that the claim at {@code sequence} has stalled, because it is the
   * rest of one that has.
   */
  public void suspect(long sequence) {
    long before = clock() - 1 & CLOCKS; // so that a check is due
    watched.setOpaque(
        sequence << SEQUENCE_SHIFT | (long) PARTS << CREDIT_SHIFT | before); // opaque: as above
  }

  private long clock() {
    return System.nanoTime() / partNanos & CLOCKS;
  }

  /**
   * Checks the oldest open claim in the ring, which begins at {@code sequence}. Returns whether it
   * has been open too long.
   */
  public boolean hasStalled(long sequence) {
    long seen = watched.getOpaque(); // opaque: a check may be lost
    long clock = clock();
    long begun = sequence << SEQUENCE_SHIFT | clock;
    if (seen >>> SEQUENCE_SHIFT != begun >>> SEQUENCE_SHIFT) {
      watched.setOpaque(begun); // opaque: as above
      return false;
    }
    long passed = Math.min(clock - seen & CLOCKS, PARTS_PER_LOOK);
    long credit = (seen >>> CREDIT_SHIFT & CREDITS) + passed;
    if (passed > 0 && credit < PARTS) {
      watched.setOpaque(begun | credit << CREDIT_SHIFT); // opaque: as above
    }
    return credit >= PARTS;
  }
}
