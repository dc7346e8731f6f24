package dev.millrace.bench.harness;

import java.util.concurrent.TimeUnit;

/**
 * When a producer's records are due, in nanoseconds after the beginning. Several producers take
 * turns, so that together they keep the rate.
 *
 * @param firstNanos when the first is due
 * @param intervalNanos how long after a record the next is due
 */
public record Pace(long firstNanos, long intervalNanos) {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** A sleeping thread wakes up to this much late; what is due sooner is waited for awake. */
  private static final long AWAKE_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

  /**
   * Of one of some producers.
   *
   * @param perSecond what all producers send in a second
   * @throws IllegalArgumentException if the rate allows no interval of whole nanoseconds
   */
  public static Pace of(long perSecond, int producers, int producer) {
    long intervalNanos = perSecond < 1 ? 0 : SECOND / perSecond * producers;
    if (intervalNanos == 0 || SECOND % perSecond != 0) {
      throw new IllegalArgumentException(
          "rate must divide " + SECOND + " a second: rate=" + perSecond);
    }
    return new Pace(intervalNanos / producers * producer, intervalNanos);
  }

  /**
   * Waits until {@link System#nanoTime} has reached a value; returns at once if it has. At the end
   * it yields the processor again and again: exact where there are enough, polite where not.
   */
  public static void awaitNanos(long dueNanos) throws InterruptedException {
    for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
      if (left > AWAKE_NANOS) {
        TimeUnit.NANOSECONDS.sleep(left - AWAKE_NANOS);
      } else {
        Thread.yield();
      }
    }
  }

  public long dueNanos(long record) {
    return firstNanos + record * intervalNanos;
  }

  /** How many are due within a time. */
  public long recordsWithin(long nanos) {
    return Math.ceilDiv(Math.max(0, nanos - firstNanos), intervalNanos);
  }
}
