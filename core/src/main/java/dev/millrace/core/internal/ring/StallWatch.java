package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;

/**
 * Detects that checks have found the same claim open for so long that its producer counts as
 * stalled.
 *
 * <p>Time alone would not do: after a pause of the whole process every producer would seem stalled.
 * So each check is credited with at most a sixteenth of the time limit, and it takes at least
 * sixteen checks.
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

  /** Makes a watch with a limit on how long a claim may be open. */
  public StallWatch(long limitNanos) {
    this.partNanos = partNanos(limitNanos);
  }

  /**
   * Returns how often, in nanoseconds, a claim must be checked for a limit to be kept; {@link
   * WaitStrategy#FOREVER} if the limit is that.
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
   * Whether enough time has passed for another check to find anything new, so that {@link
   * #hasStalled} or {@link #checkNone} should be called. Takes a read of the clock, and nothing
   * that a producer writes.
   */
  public boolean isDue() {
    return (watched.getOpaque() & CLOCKS) != clock(); // opaque: a check may be lost
  }

  /** Checks that no claim is open, so that the next one found is watched from then on. */
  public void checkNone() {
    watched.setOpaque(NONE | clock()); // opaque: a check may be lost
  }

  private long clock() {
    return System.nanoTime() / partNanos & CLOCKS;
  }

  /**
   * Checks the oldest open claim in the ring, given its first sequence; returns whether it has been
   * open too long.
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
