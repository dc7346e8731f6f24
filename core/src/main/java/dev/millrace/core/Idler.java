package dev.millrace.core;

import dev.millrace.core.internal.Checks;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits in a loop of the user's own, as a {@link WaitStrategy} says:
 *
 * <pre>{@code
 * Idler idler = WaitStrategy.sleeping(Duration.ofNanos(50_000)).newIdler();
 * while (isRunning) {
 *   int workDone = trades.drain(handler, 256) + orders.drain(other, 256);
 *   idler.idle(workDone);
 * }
 * }</pre>
 *
 * <p>The first idle calls in a row spin, later ones yield, and all after those sleep. Nobody wakes
 * an idler, so where its strategy parks it sleeps too, for 50 microseconds at first and twice as
 * long each time, up to a millisecond. {@link LockSupport#unpark} ends a sleep early. A virtual
 * thread sleeps from the first call on, unless its strategy never does; then it yields.
 *
 * <p><b>Roles.</b> Belongs to one thread.
 *
 * <p><b>Failure.</b> An interrupt ends a sleep and is left for the caller, who should look for it
 * in the loop: while it is pending no call sleeps.
 *
 * <p><b>Cost.</b> A call after work was done is a store. Nothing is allocated.
 *
 * @since 0.1.0
 */
public final class Idler {
  private static final long LEAST_PARK_NANOS = 50_000;
  private static final long MOST_PARK_NANOS = 1_000_000;

  private final WaitStrategy strategy;
  private final boolean sleeps;
  private final long leastNanos;
  private final long mostNanos;

  private long tries; // in vain since the last work
  private long nanos; // of the next sleep

  Idler(WaitStrategy strategy) {
    boolean parks = strategy.sleepNanos() == WaitStrategy.FOREVER;
    this.strategy = strategy;
    this.sleeps =
        strategy.spins() != WaitStrategy.FOREVER && strategy.yields() != WaitStrategy.FOREVER;
    this.leastNanos = parks ? LEAST_PARK_NANOS : strategy.sleepNanos();
    this.mostNanos = parks ? MOST_PARK_NANOS : strategy.sleepNanos();
    this.nanos = leastNanos;
  }

  /**
   * Waits a little if there was nothing to do, a little longer each time; otherwise begins anew.
   *
   * @param workDone how much the caller has just done; 0 for nothing
   * @throws IllegalArgumentException if it is negative
   */
  public void idle(int workDone) {
    if (Checks.inRange("workDone", workDone, 0, Integer.MAX_VALUE) > 0) {
      reset();
    } else {
      pause();
    }
  }

  /** Says that there was something to do: the next wait is a short one again. */
  public void reset() {
    tries = 0;
    nanos = leastNanos;
  }

  private void pause() {
    boolean isVirtual = Thread.currentThread().isVirtual();
    if (!isVirtual && tries < strategy.spins()) {
      tries++;
      Thread.onSpinWait();
    } else if (isVirtual ? !sleeps : tries - strategy.spins() < strategy.yields()) {
      tries++;
      Thread.yield();
    } else {
      LockSupport.parkNanos(this, nanos);
      nanos = nanos < mostNanos - nanos ? 2 * nanos : mostNanos;
    }
  }

  /** Returns how it waits. */
  @Override
  public String toString() {
    return "Idler[" + strategy + "]";
  }
}
