package dev.millrace.ohlcv.load;

import java.util.concurrent.locks.LockSupport;

/** Waiting for a point in time. */
final class Pace {
  /** A parked thread wakes up to this much late; what is due sooner is waited for awake. */
  private static final long AWAKE_NANOS = 150_000;

  private Pace() {}

  /**
   * Waits until {@link System#nanoTime} has reached a value; returns at once if it has. In the end
   * it yields the processor again and again: exact where there are enough, polite where not.
   */
  static void until(long dueNanos) throws InterruptedException {
    long left = dueNanos - System.nanoTime();
    while (left > 0) {
      if (left > AWAKE_NANOS) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        LockSupport.parkNanos(left - AWAKE_NANOS);
      } else {
        Thread.yield();
      }
      left = dueNanos - System.nanoTime();
    }
  }
}
