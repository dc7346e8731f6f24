package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Waiters;

/** A latch whose waiting threads, if they are workers of a pool, do not keep it from its tasks. */
final class Countdown {
  private static final WaitStrategy PARKS_AT_ONCE = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  private final Sequence left;
  private final Waiters waiters = new Waiters(PARKS_AT_ONCE, false, WaitStrategy.FOREVER);

  Countdown(int count) {
    left = new Sequence(count);
  }

  void countDown() {
    left.getAndAdd(-1); // full: what the thread did before, and all who counted before it
    waiters.signal();
  }

  /** Whether it is at zero. */
  boolean isOver() {
    return left.getAcquire() == 0; // acquire: what was done before each step
  }

  /** Waits until it is at zero; returns false if the time passes first. */
  boolean await(long limitNanos) throws InterruptedException {
    return waiters.await(this::isOver, limitNanos);
  }
}
