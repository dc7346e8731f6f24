package dev.millrace.core;

import dev.millrace.core.internal.Rest;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.internal.Checks;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets a loop of your own wait in the way that a {@link WaitStrategy} prescribes.
 *
 * {@snippet file="Examples.java" region="idle"}
 *
 * <p>In a series of idle calls, the first calls spin, the next calls yield, and all later calls
 * sleep. The first sleep is as long as each of the strategy's sleeps. If the strategy itself never
 * sleeps, the idler's first sleep takes 50 microseconds. With a strategy that never parks, every
 * sleep is as long as the first. With a strategy that finally parks, each sleep is twice as long as
 * the previous one, up to a millisecond, because the library never wakes an idler. {@link
 * LockSupport#unpark} ends a sleep early. A virtual thread sleeps from the first call on. If the
 * strategy spins or yields forever, a virtual thread yields instead.
 *
 * <p>While a worker of a {@link java.util.concurrent.ForkJoinPool} sleeps, the pool may run another
 * thread in the worker's place, and an unpark may then fail to end the worker's sleep early. The
 * pool cannot replace a worker that spins or yields, so choose a strategy with few spins and yields
 * for a pool's tasks.
 *
 * <p><b>Roles.</b> An idler belongs to one thread.
 *
 * <p><b>Failure.</b> An interrupt ends a sleep and stays pending. The loop should check for
 * interrupts, because no call sleeps while an interrupt is pending.
 *
 * <p><b>Cost.</b> A call that reports work stores two fields. No call allocates.
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
  private long nanos; // how long to sleep next time

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
   * If {@code workDone} is 0, waits as the strategy prescribes. If {@code workDone} is positive,
   * starts the strategy over, so that the next wait is short again.
   *
   * @param workDone how much work the caller has just done; 0 for none
   * @throws IllegalArgumentException if {@code workDone} is negative
   */
  public void idle(int workDone) {
    if (Checks.inRange("workDone", workDone, 0, Integer.MAX_VALUE) > 0) {
      reset();
    } else {
      pause();
    }
  }

  /** Starts the strategy over, so that the next wait is short again. */
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

  /** Returns a string that names the strategy. */
  @Override
  public String toString() {
    return "Idler[" + strategy + "]";
  }
}
