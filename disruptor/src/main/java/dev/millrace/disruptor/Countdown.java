package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Waiters;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts down to zero, which threads wait for: unlike a {@link
 * java.util.concurrent.CountDownLatch}, it does not keep a worker of a pool from the pool's tasks.
 */
final class Countdown {
  private static final WaitStrategy PARKS_AT_ONCE = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  private final AtomicInteger left;
  private final Waiters waiters = new Waiters(PARKS_AT_ONCE, false, WaitStrategy.FOREVER);

  Countdown(int count) {
    left = new AtomicInteger(count);
  }

  void countDown() {
    if (left.decrementAndGet() == 0) {
      waiters.signal();
    }
  }

  /** Whether it is at zero; what was done before each step is then visible. */
  boolean isOver() {
    return left.get() == 0;
  }

  /** Waits until it is at zero; returns false if the time passes first. */
  boolean await(long limitNanos) throws InterruptedException {
    return waiters.await(this::isOver, limitNanos);
  }
}
