package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Waiters;

/** A latch whose waiting threads, if they are workers of a pool, do not keep it from its tasks. */
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

  /** Whether it is at zero; what was done before each step is then visible. */
  synchronized boolean isOver() {
    return left == 0;
  }

  /** Waits until it is at zero; returns false if the time passes first. */
  boolean await(long limitNanos) throws InterruptedException {
    return waiters.await(this::isOver, limitNanos);
  }
}
