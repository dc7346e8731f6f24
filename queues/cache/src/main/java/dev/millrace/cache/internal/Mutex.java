package dev.millrace.cache.internal;

import dev.millrace.core.Idler;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import java.lang.invoke.VarHandle;

/**
 * A lock that is held only briefly. A thread that waits for it spins and yields, then sleeps
 * between tries.
 *
 * <p>This is not a {@code java.util.concurrent} lock because the simulator of the proofs has to see
 * what the lock orders.
 */
public final class Mutex {
  /*
   * A  state.setRelease in unlock  ->  state.weakCompareAndSetPlain in tryLock,    what earlier
   *                                    then acquireFence                           owners did
   */
  private static final long FREE = 0;
  private static final long HELD = 1;
  private static final WaitStrategy WAITS = new WaitStrategy(100, 10, 50_000);

  private final Sequence state = new Sequence(FREE);

  /** Makes a lock that is free. */
  public Mutex() {}

  /** Takes the lock. The thread that holds it must not take it again. */
  public void lock() {
    if (!tryLock()) {
      Idler idler = WAITS.newIdler();
      do {
        idler.idle(0); // an interrupt ends a sleep at once, and stays pending
      } while (!tryLock());
    }
  }

  private boolean tryLock() {
    // opaque: while it is held, a read costs less than an update. plain: the fence orders it
    if (state.getOpaque() != FREE || !state.weakCompareAndSetPlain(FREE, HELD)) {
      return false;
    }
    VarHandle.acquireFence(); // acquire A: what earlier owners did
    return true;
  }

  /** Gives the lock back. */
  public void unlock() {
    state.setRelease(FREE); // release A: what this owner did
  }
}
