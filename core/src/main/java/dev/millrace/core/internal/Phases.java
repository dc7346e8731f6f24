package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.util.concurrent.locks.LockSupport;

/**
 * What a thread does before it rests. As its strategy says, it spins, then yields, and then sleeps
 * if it will park afterwards. The caller counts the steps. A thread that sleeps here is not
 * announced, so no signal wakes it, and publishing costs nothing extra until it parks.
 *
 * <p>A virtual thread rests at once if its strategy ever rests. A virtual thread that yields goes
 * to the end of its scheduler's queue, where thousands of them would delay the very thread that
 * they wait for.
 */
final class Phases {
  private static final long YIELDS_PER_SLEEP = 64;
  private static final int LOCK_SPINS = 64;

  private final long spins;
  private final long yields;
  private final long sleeps;
  private final long sleepNanos;
  private final boolean rests;

  Phases(WaitStrategy strategy) {
    this.spins = Waiters.usefulSpins(strategy.spins());
    this.yields = strategy.yields();
    this.sleeps = strategy.canPark() ? strategy.sleeps() : 0;
    this.sleepNanos = strategy.sleepNanos();
    this.rests =
        strategy.spins() != WaitStrategy.FOREVER && strategy.yields() != WaitStrategy.FOREVER;
  }

  /**
   * Returns whether a thread at {@code step} must rest now. A negative step is that of a thread
   * that has already rested.
   */
  boolean areOver(long step) {
    return needPlace(step)
        && (step < 0 || Thread.currentThread().isVirtual() || step - spins - yields >= sleeps);
  }

  /** Returns whether a thread at {@code step} must sleep or rest, and so needs a place. */
  boolean needPlace(long step) {
    if (step < 0) {
      return true;
    }
    return Thread.currentThread().isVirtual() ? rests : step >= spins && step - spins >= yields;
  }

  /**
   * Takes a step that comes before the first rest. The thread sleeps at {@code place}, which may be
   * null for other steps.
   */
  void take(long step, WaitPlace place) {
    if (Thread.currentThread().isVirtual()) {
      yieldTurn(step); // spinning could hold the carrier that the awaited thread needs
    } else if (step < spins) {
      Thread.onSpinWait();
    } else if (step - spins < yields) {
      Thread.yield();
    } else {
      place.sleep(sleepNanos);
    }
  }

  /** Lets other virtual threads run. */
  private static void yieldTurn(long step) {
    // Yielding virtual threads can starve all others forever (seen on JDK 25, with as many of them
    // as carriers). Threads that sleep now and then cannot.
    if (step % YIELDS_PER_SLEEP == YIELDS_PER_SLEEP - 1) {
      LockSupport.parkNanos(1);
    } else {
      Thread.yield();
    }
  }

  /**
   * Pauses a thread that waits for a lock. Other threads hold that lock for only a few
   * instructions.
   */
  static void awaitLock(int step) {
    if (step < LOCK_SPINS) {
      Thread.onSpinWait();
    } else {
      yieldTurn(step); // the holder may have lost its processor
    }
  }
}
