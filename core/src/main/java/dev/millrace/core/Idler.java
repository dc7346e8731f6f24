package dev.millrace.core;

import dev.millrace.core.internal.Rest;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.internal.Checks;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes a loop of your own wait as a {@link WaitStrategy} says.
 *
 * {@snippet file="Examples.java" region="idle"}
 *
 * <p>The first idle calls in a row spin, later ones yield, and all after those sleep. Nothing wakes
 * an idler, so where its strategy would finally park, its sleeps become longer instead: at first
 * the strategy's, or 50 microseconds, then twice as long each time, up to a millisecond. {@link
 * LockSupport#unpark} ends a sleep early. A virtual thread sleeps from the first call on, unless
 * its strategy never sleeps; then it yields.
 *
 * <p>While a worker of a {@link java.util.concurrent.ForkJoinPool} sleeps, its pool may run another
 * thread in its place; an unpark may then fail to end the sleep early. While it spins or yields,
 * the pool cannot: use a strategy with few of both.
 *
 * <p><b>Roles.</b> Belongs to one thread.
 *
 * <p><b>Failure.</b> An interrupt ends a sleep and stays pending. The loop should check for it,
 * because no call sleeps while it is pending.
 *
 * <p><b>Cost.</b> A call after work was done stores two fields. Nothing is allocated.
 *
 * @since 0.1.0
 */
public final class Idler {
  private static final long LEAST_PARK_NANOS = 50_000;
  private static final long MOST_PARK_NANOS = 1_000_000;

  private final WaitStrategy strategy;
  private final long spins;
  private final boolean sleeps;
  private final long leastNanos;
  private final long mostNanos;
  private final Rest rest = new Rest(this);

  private long tries; // spins and yields since the last work
  private long nanos; // of the next sleep

  Idler(WaitStrategy strategy) {
    boolean parks = strategy.canPark();
    long sleepNanos = strategy.sleepNanos();
    this.strategy = strategy;
    this.spins = Waiters.usefulSpins(strategy.spins());
    this.sleeps =
        strategy.spins() != WaitStrategy.FOREVER && strategy.yields() != WaitStrategy.FOREVER;
    this.leastNanos = sleepNanos == WaitStrategy.FOREVER ? LEAST_PARK_NANOS : sleepNanos;
    this.mostNanos = parks ? Math.max(leastNanos, MOST_PARK_NANOS) : sleepNanos;
    this.nanos = leastNanos;
  }

  /**
   * Waits a little if no work was done, a little longer each time; otherwise starts over.
   *
   * @param workDone how much work the caller has just done; 0 for none
   * @throws IllegalArgumentException if it is negative
   */
  public void idle(int workDone) {
    if (Checks.inRange("workDone", workDone, 0, Integer.MAX_VALUE) > 0) {
      reset();
    } else {
      pause();
    }
  }

  /** Starts over: the next wait is a short one again. */
  public void reset() {
    tries = 0;
    nanos = leastNanos;
  }

  private void pause() {
    boolean isVirtual = Thread.currentThread().isVirtual();
    if (!isVirtual && tries < spins) {
      tries++;
      Thread.onSpinWait();
    } else if (isVirtual ? !sleeps : tries - spins < strategy.yields()) {
      tries++;
      Thread.yield();
    } else {
      rest.park(nanos);
      nanos = nanos < mostNanos - nanos ? 2 * nanos : mostNanos;
    }
  }

  /** Returns how it waits. */
  @Override
  public String toString() {
    return "Idler[" + strategy + "]";
  }
}
