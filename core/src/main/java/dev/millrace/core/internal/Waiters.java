package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The waiting of one side of a structure: its strategy, and which of its threads is parked.
 *
 * <p>A wait is a loop around the operation that may decline:
 *
 * <pre>{@code
 * long deadline = waiters.deadline(limitNanos);
 * long step = 0;
 * try {
 *   while (!tryOperation()) {
 *     step = waiters.pause(step, deadline);
 *     if (step == Waiters.TIMED_OUT) {
 *       return false;
 *     }
 *   }
 *   return true;
 * } finally {
 *   waiters.leave();
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> One thread of this side waits at a time, a second one that gets as far as
 * resting is refused; any thread of the other side signals.
 *
 * <p><b>Progress.</b> {@link #signal} and {@link #wake} never wait.
 */
public final class Waiters {
  /*
   * Parking is Dekker's pattern: the waiter announces itself, then looks once more; the other side
   * publishes, then looks for a waiter. One of them must see the other, which takes a full fence
   * on both sides between the write and the read. Only a strategy that parks until it is woken
   * needs it; if it does not, the other side pays neither fence nor read. Who sleeps is announced
   * too, for close, which wakes everybody.
   *
   * The step of a wait counts the tries of the first phases; then ANNOUNCE and REST alternate, so
   * that each announcement is followed by a try. A signal clears the announcement, so that a busy
   * publisher unparks a thread once, not once a record.
   *
   * Close wakes without a fence of its own: of the two exchanges of PARKED the later one sees the
   * earlier, so that either the closer finds the waiter or the waiter finds the queue closed.
   *
   * A  PARKED.compareAndExchangeRelease  ->  fullFence and PARKED.getOpaque  one sees the other: the
   *    and fullFence in announce             in signal                       announcement, or what
   *                                                                          was published before
   * B  PARKED.getAndSet in wake          ->  exchange of PARKED and          what the waker did
   *                                          fullFence in announce
   * C  PARKED.compareAndExchangeRelease  ->  PARKED.getAndSet in wake        the thread to wake
   *    in announce
   */

  /** The result of {@link #pause} once the time limit has passed. */
  public static final long TIMED_OUT = -1;

  private static final long ANNOUNCE = -2;
  private static final long REST = -3;

  private static final long YIELDS_PER_SLEEP = 64;

  private static final VarHandle PARKED =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "parked", VarHandle.class, Waiters.class, Thread.class)
          .withInvokeExactBehavior();

  private final WaitStrategy strategy;
  private final boolean rests;

  @SuppressWarnings("unused") // through PARKED
  private Thread parked;

  /**
   * Makes the waiter state of one side.
   *
   * @param strategy how its threads wait
   */
  public Waiters(WaitStrategy strategy) {
    this.strategy = strategy;
    this.rests =
        strategy.spins() != WaitStrategy.FOREVER && strategy.yields() != WaitStrategy.FOREVER;
  }

  /**
   * The strategy of this side.
   *
   * @return how its threads wait
   */
  public WaitStrategy strategy() {
    return strategy;
  }

  /**
   * Whether the other side must {@link #signal} after each publication.
   *
   * @return whether threads of this side park
   */
  public boolean needSignals() {
    return strategy.parks();
  }

  /**
   * When a wait that begins now gives up.
   *
   * @param limitNanos how long it may take, or {@link WaitStrategy#FOREVER}
   * @return the deadline on {@link System#nanoTime()}'s scale, or {@link WaitStrategy#FOREVER}
   */
  public static long deadline(long limitNanos) {
    if (limitNanos == WaitStrategy.FOREVER) {
      return WaitStrategy.FOREVER;
    }
    long deadline = System.nanoTime() + Math.max(0, limitNanos);
    return deadline == WaitStrategy.FOREVER ? deadline - 1 : deadline;
  }

  /**
   * Waits a little after a try in vain, as the strategy says.
   *
   * @param step 0 at first, then what the last pause returned
   * @param deadline from {@link #deadline}
   * @return the next step, or {@link #TIMED_OUT}
   * @throws InterruptedException if the thread was interrupted; its flag is cleared
   * @throws IllegalStateException if another thread of this side waits
   */
  public long pause(long step, long deadline) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (deadline != WaitStrategy.FOREVER && System.nanoTime() - deadline >= 0) {
      return TIMED_OUT;
    }
    if (step == REST) {
      rest(deadline);
      return ANNOUNCE;
    }
    if (step >= 0 && step < strategy.spins()) {
      if (Thread.currentThread().isVirtual()) {
        yieldTurn(step); // spinning could hold the carrier that the awaited thread needs
      } else {
        Thread.onSpinWait();
      }
      return step + 1;
    }
    if (step >= 0 && step - strategy.spins() < strategy.yields()) {
      yieldTurn(step);
      return step + 1;
    }
    return announce();
  }

  /** Lets other threads run. */
  private static void yieldTurn(long step) {
    // The scheduler of virtual threads may give the turn to yielding threads alone for ever (seen
    // on JDK 25, with as many of them as carriers), but not to one that sleeps.
    if (step % YIELDS_PER_SLEEP == YIELDS_PER_SLEEP - 1 && Thread.currentThread().isVirtual()) {
      LockSupport.parkNanos(1);
    } else {
      Thread.yield();
    }
  }

  @SuppressWarnings("ReferenceEquality") // threads are what they are
  private long announce() {
    Thread current = Thread.currentThread();
    // release C: this thread; if it is announced already, nobody was woken since
    Thread waiting = (Thread) PARKED.compareAndExchangeRelease(this, (Thread) null, current);
    if (waiting != null && waiting != current) {
      throw new IllegalStateException(
          "waiting of a side must be one thread's at a time: waiting=" + waiting);
    }
    // fence A, B: the announcement, and what it read, before the next try's reads
    VarHandle.fullFence();
    return REST;
  }

  private void rest(long deadline) {
    long nanos = untilDeadline(deadline, strategy.sleepNanos());
    if (nanos == WaitStrategy.FOREVER) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, nanos);
    }
  }

  private static long untilDeadline(long deadline, long atMostNanos) {
    return deadline == WaitStrategy.FOREVER
        ? atMostNanos
        : Math.max(0, Math.min(atMostNanos, deadline - System.nanoTime()));
  }

  /** Ends a wait, however it ended. */
  public void leave() {
    if (rests) {
      Thread current = Thread.currentThread();
      // atomic: takes back only what this thread announced; it does nothing if a signal took the
      // announcement, or none was made
      Thread _ = (Thread) PARKED.compareAndExchangeRelease(this, current, (Thread) null);
    }
  }

  /** Wakes the parked thread, if any; called by the other side after each publication. */
  public void signal() {
    VarHandle.fullFence(); // fence A: the publication before the look for a waiter
    // opaque: the fence orders it
    if ((Thread) PARKED.getOpaque(this) != null) {
      wake();
    }
  }

  /** Wakes the thread that rests, if any; called on close, after the state that it shall see. */
  public void wake() {
    // acquire C: the thread; release B: what this thread changed before
    Thread thread = (Thread) PARKED.getAndSet(this, (Thread) null);
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
