package dev.millrace.core.internal;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;

/**
 * Tells when an open claim has been looked at in vain for so long that its producer counts as
 * stalled.
 *
 * <p>Time alone would not do: after a pause of the whole process each producer would seem stalled.
 * So a look is credited with a sixteenth of the time limit at the most, and it takes at least as
 * many looks.
 *
 * <p><b>Roles.</b> Any thread that looks. <b>Progress.</b> Wait-free.
 */
public final class StallWatch {
  /*
   * One word, so that threads may look at the same time: the sequence that is watched (40 bits), the
   * time credited to it (8 bits, in parts of the limit) and when it was last looked at (16 bits, the
   * same unit). A clock that has wrapped credits less, never more. A look that another
   * thread writes over is lost, which delays the end and no more.
   */
  private static final int PARTS = 64;
  private static final int PARTS_PER_LOOK = 4;
  private static final int SEQUENCE_SHIFT = 24;
  private static final int CREDIT_SHIFT = 16;
  private static final long CREDITS = 0xFF;
  private static final long CLOCKS = 0xFFFF;

  private final long partNanos;
  private final Sequence watched = new Sequence(-1L << SEQUENCE_SHIFT);

  /**
   * Makes a watch.
   *
   * @param limitNanos how long a claim may be open
   */
  public StallWatch(long limitNanos) {
    this.partNanos = partNanos(limitNanos);
  }

  /**
   * How often somebody must look for a limit to be kept.
   *
   * @param limitNanos how long a claim may be open, or {@link WaitStrategy#FOREVER}
   * @return nanoseconds, or {@link WaitStrategy#FOREVER}
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
   * Looks at an open claim.
   *
   * @param sequence its first sequence, that of the oldest claim in the ring
   * @return whether it has been open too long
   */
  public boolean hasStalled(long sequence) {
    long seen = watched.getOpaque(); // opaque: a look may be lost
    long clock = System.nanoTime() / partNanos & CLOCKS;
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
