package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Waiters;

/** A latch. While a pool's worker waits on it, the pool can run its other tasks. */
final class Countdown {
  private static final WaitStrategy PARKS_AT_ONCE = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  private final Waiters waiters = new Waiters(PARKS_AT_ONCE, false, WaitStrategy.FOREVER);
  private int left;

  Countdown(int count) {
    left = count;
  }

  void countDown() {
    step();
    waiters.signal();
  }

  private synchronized void step() {
    left--;
  }

  /** Returns whether the count is zero. If it is, everything done before each step is visible. */
  synchronized boolean isOver() {
    return left == 0;
  }

  /** Waits until the count is zero. Returns false if the time passes first. */
  boolean await(long limitNanos) throws InterruptedException {
    return waiters.await(this::isOver, limitNanos);
  }
}
