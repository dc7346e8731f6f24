package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.util.concurrent.locks.LockSupport;

/**
 * What a thread does before it rests, as its strategy says: it spins, then yields, then sleeps if
 * it is to park afterwards. The steps are counted by the caller. A thread that sleeps here is not
 * announced, so no signal wakes it, and publishing costs nothing extra until it parks.
 *
 * <p>A virtual thread rests at once if the strategy ever does: a thread that yields goes to the end
 * of its carrier's queue, where thousands of them would delay the very thread that they wait for.
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

  /** Whether a thread at this step is to rest; a negative one is that of a thread that has. */
  boolean areOver(long step) {
    return needPlace(step)
        && (step < 0 || Thread.currentThread().isVirtual() || step - spins - yields >= sleeps);
  }

  /** Whether a thread at this step is to sleep or to rest. */
  boolean needPlace(long step) {
    if (step < 0) {
      return true;
    }
    return Thread.currentThread().isVirtual() ? rests : step >= spins && step - spins >= yields;
  }

  /** Takes a step that comes before the first rest, at a place if it needs one. */
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
    // Yielding virtual threads can starve all others for ever (seen on JDK 25, with as many of them
    // as carriers). A thread that sleeps now and then cannot.
    if (step % YIELDS_PER_SLEEP == YIELDS_PER_SLEEP - 1) {
      LockSupport.parkNanos(1);
    } else {
      Thread.yield();
    }
  }

  /** Takes a step of a thread that waits for a lock which is held for a few instructions. */
  static void awaitLock(int step) {
    if (step < LOCK_SPINS) {
      Thread.onSpinWait();
    } else {
      yieldTurn(step); // its holder may have lost its processor
    }
  }
}
