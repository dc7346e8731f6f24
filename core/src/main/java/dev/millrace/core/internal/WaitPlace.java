package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where a thread rests. An end, such as a producer or a consumer, has one place for all its waits,
 * because only one thread at a time uses it. A wait without an end makes its own place.
 *
 * <p><b>Roles.</b> One thread at a time waits here. {@link Waiters} refuses a second one.
 */
public final class WaitPlace extends Rest {
  /*
   * The lock of the waiters guards all fields except sleeps, which only the thread that waits here
   * uses. Without the lock, that thread may also read leads, which no other thread writes, and
   * whether the place is listed.
   */
  private static final int NOT_LISTED = 0;
  private static final int LISTED = 1;

  /**
   * The thread that waits here, from when it first comes to rest until it leaves; otherwise null.
   */
  Thread thread;

  /** How many slots or records the thread needs at once. */
  int need;

  /** Whether the thread leads its side, and so wakes by the timer. */
  boolean leads;

  /** While this place is listed, the place before it; null if there is none. */
  WaitPlace before;

  /** The place behind this one; null if there is none. */
  WaitPlace behind;

  /**
   * Whether the thread sleeps until its timer ends. Only that thread reads and writes this field.
   */
  private boolean sleeps;

  @SuppressWarnings("unused") // read through STATE
  private int state;

  /** Makes a place for a thread that waits in {@code waiters}. */
  public WaitPlace(Waiters waiters) {
    super(waiters);
  }

  /**
   * Parks until the thread is unparked, {@code deadline} has come or {@code atMostNanos} have
   * passed. May also return for no reason.
   */
  void parkUntil(long deadline, long atMostNanos) {
    park(
        deadline == WaitStrategy.FOREVER
            ? atMostNanos
            : Math.max(0, Math.min(atMostNanos, deadline - System.nanoTime())));
  }

  /** Marks this place as listed. The thread that waits here calls this while it holds the lock. */
  void list() {
    state = LISTED;
  }

  /** Marks this place as no longer listed. The holder of the lock calls this. */
  void unlist() {
    boolean isDone;
    do {
      isDone = hasState(LISTED, NOT_LISTED);
    } while (!isDone);
  }

  /** Returns whether no other thread has woken the waiting one since it last announced itself. */
  boolean isListed() {
    // An atomic update reads the latest value. A stale value could lose the wake-up, because
    // parking orders nothing and uses up the permit.
    while (true) {
      if (hasState(LISTED, LISTED)) {
        return true;
      }
      if (hasState(NOT_LISTED, NOT_LISTED)) {
        return false;
      }
    }
  }

  /**
   * Changes the state from {@code state} to {@code next}; returns whether it succeeded. May fail
   * spuriously.
   */
  private boolean hasState(int state, int next) {
    // plain, atomic: the lock orders the rest
    return STATE.weakCompareAndSetPlain(this, state, next);
  }

  /**
   * Sleeps for {@code nanos} while this place is not listed. Only the thread that waits here calls
   * this.
   */
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
