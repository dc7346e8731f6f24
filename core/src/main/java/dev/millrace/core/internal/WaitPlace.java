package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where a thread rests. An end has one for all its waits, because one thread at a time uses it; a
 * wait without an end makes its own.
 *
 * <p><b>Roles.</b> One thread at a time waits here; {@link Waiters} refuses another.
 */
public final class WaitPlace extends Rest {
  /*
   * The lock of the waiters guards all fields. The thread that waits here also reads some without
   * it: leads, which that thread alone writes, and whether the place is listed.
   */
  private static final int NOT_LISTED = 0;
  private static final int LISTED = 1;

  /** The thread that waits here: from when it first comes to rest until it leaves. */
  Thread thread;

  /** How much the thread needs. */
  int need;

  /** Whether the thread wakes by the timer. */
  boolean leads;

  /** While it is listed, the place before it; or null. */
  WaitPlace before;

  /** The place behind it; null if there is none. */
  WaitPlace behind;

  /** Whether the thread sleeps, which ends by the timer; that thread alone reads and writes it. */
  private boolean sleeps;

  @SuppressWarnings("unused") // read through STATE
  private int state;

  /** Makes a place for a thread of the side that these waiters belong to. */
  public WaitPlace(Waiters waiters) {
    super(waiters);
  }

  /** Parks until unparked, or the time for a try or of the wait has come; or for no reason. */
  void parkUntil(long deadline, long atMostNanos) {
    park(
        deadline == WaitStrategy.FOREVER
            ? atMostNanos
            : Math.max(0, Math.min(atMostNanos, deadline - System.nanoTime())));
  }

  /** Notes that it is listed now; for the thread that waits here, which holds the lock. */
  void list() {
    state = LISTED;
  }

  /** Notes that it is listed no more; for the holder of the lock. */
  void unlist() {
    boolean isDone;
    do {
      isDone = hasState(LISTED, NOT_LISTED);
    } while (!isDone);
  }

  /** Whether no thread has woken this one since it last announced itself. */
  boolean isListed() {
    // An update reads the latest value. A stale one could lose the wake-up, because parking orders
    // nothing and uses up the permit.
    while (true) {
      if (hasState(LISTED, LISTED)) {
        return true;
      }
      if (hasState(NOT_LISTED, NOT_LISTED)) {
        return false;
      }
    }
  }

  /** Whether it was in a state, which becomes another; false also for no reason. */
  private boolean hasState(int state, int next) {
    // plain, atomic: the lock orders the rest
    return STATE.weakCompareAndSetPlain(this, state, next);
  }

  /** Sleeps while it is not listed; for the thread that waits here. */
  void sleep(long nanos) {
    sleeps = true;
    park(nanos);
    sleeps = false;
  }

  @Override
  public boolean isReleasable() {
    return !sleeps && !isListed();
  }

  private static final VarHandle STATE =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "state", VarHandle.class, WaitPlace.class, int.class)
          .withInvokeExactBehavior();
}
