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
 * <p><b>Roles.</b> Any number of threads of this side wait at a time, or one if the side is
 * exclusive: then a second one that gets as far as resting is refused. Any thread of the other side
 * signals.
 *
 * <p><b>Progress.</b> {@link #signal} never waits; it wakes all who rest, for their needs may
 * differ: one may wait for a single slot, another for many.
 *
 * <p><b>Cost.</b> Allocates a place to rest when more threads rest at once than ever before.
 */
public final class Waiters {
  /*
   * Parking is Dekker's pattern: the waiter announces itself, then looks once more; the other side
   * publishes, then looks for waiters. One of them must see the other, which takes a full fence on
   * both sides between the write and the read. Only a strategy that parks until it is woken needs
   * it; if it does not, the other side pays neither fence nor read. Who sleeps is announced too,
   * for close, which wakes everybody.
   *
   * The step of a wait counts the tries of the first phases; then ANNOUNCE and REST alternate, so
   * that each announcement is followed by a try. A signal clears the announcement, so that a busy
   * publisher unparks a thread once, not once a record.
   *
   * A thread announces itself at the first place that is free. Places are added behind the last
   * and stay for ever, so there are as many as threads have ever rested at once, and a walk along
   * them needs no care.
   *
   * A  THREAD.compareAndExchangeRelease  ->  fullFence, NEXT.getOpaque    one sees the other: the
   *    and fullFence in announce             and THREAD.getOpaque in        announcement, or what
   *                                          signal                         was published before
   * B  THREAD.compareAndExchangeRelease  ->  THREAD.getAndSetAcquire in     the thread to wake
   *    in announce                           signal
   */

  /** The result of {@link #pause} once the time limit has passed. */
  public static final long TIMED_OUT = -1;

  private static final long ANNOUNCE = -2;
  private static final long REST = -3;

  private static final long YIELDS_PER_SLEEP = 64;

  private final WaitStrategy strategy;
  private final long restNanos;
  private final boolean exclusive;
  private final boolean rests;
  private final Place first = new Place();

  /** Where a thread rests. */
  private static final class Place {
    @SuppressWarnings("unused") // through THREAD
    private Thread thread;

    @SuppressWarnings("unused") // through NEXT
    private Place next;
  }

  /**
   * Makes the waiter state of one side.
   *
   * @param strategy how its threads wait
   * @param exclusive whether only one thread of this side may wait at a time
   * @param restLimitNanos the longest that a thread rests between tries, whatever the strategy; or
   *     {@link WaitStrategy#FOREVER}
   */
  public Waiters(WaitStrategy strategy, boolean exclusive, long restLimitNanos) {
    this.strategy = strategy;
    this.exclusive = exclusive;
    this.restNanos = Math.min(strategy.sleepNanos(), restLimitNanos);
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
    Place place = placeOf(current);
    while (true) {
      // release B: this thread; if it is announced already, nobody was woken since
      Thread waiting = (Thread) THREAD.compareAndExchangeRelease(place, (Thread) null, current);
      if (waiting == null || waiting == current) {
        break;
      }
      if (exclusive) {
        throw new IllegalStateException(
            "waiting of a side must be one thread's at a time: waiting=" + waiting);
      }
      place = behind(place);
    }
    VarHandle.fullFence(); // fence A: the announcement before the next try's reads
    return REST;
  }

  /** Where a thread is announced already, because nobody was woken since; else the first place. */
  @SuppressWarnings("ReferenceEquality") // threads are what they are
  private Place placeOf(Thread thread) {
    // opaque: its own announcement, or none
    for (Place place = first; place != null; place = (Place) NEXT.getOpaque(place)) {
      if ((Thread) THREAD.getOpaque(place) == thread) { // opaque: as above
        return place;
      }
    }
    return first;
  }

  /** The place behind another, which is made if there is none. */
  private static Place behind(Place place) {
    Place next = (Place) NEXT.getOpaque(place); // opaque: a place is empty when it is made
    while (next == null) {
      Place added = new Place();
      // atomic: one is added; there is nothing in it to publish
      boolean isAdded = NEXT.weakCompareAndSetPlain(place, (Place) null, added);
      next = isAdded ? added : (Place) NEXT.getOpaque(place); // opaque: as above
    }
    return next;
  }

  private void rest(long deadline) {
    long nanos = untilDeadline(deadline, restNanos);
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
      // opaque: a place that this thread used, it has seen
      for (Place place = first; place != null; place = (Place) NEXT.getOpaque(place)) {
        // atomic: takes back only what this thread announced; it does nothing if a signal took the
        // announcement, or none was made
        Thread _ = (Thread) THREAD.compareAndExchangeRelease(place, current, (Thread) null);
      }
    }
  }

  /** Wakes who rests; called by the other side after each publication, and on close. */
  public void signal() {
    VarHandle.fullFence(); // fence A: the publication before the look for waiters
    // opaque: the fence orders it
    for (Place place = first; place != null; place = (Place) NEXT.getOpaque(place)) {
      if ((Thread) THREAD.getOpaque(place) != null) { // opaque: the fence orders it
        wake(place);
      }
    }
  }

  private static void wake(Place place) {
    // acquire B: sees the announcement, hence the thread
    Thread thread = (Thread) THREAD.getAndSetAcquire(place, (Thread) null);
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  private static final VarHandle THREAD = field("thread", Thread.class);
  private static final VarHandle NEXT = field("next", Place.class);

  private static VarHandle field(String name, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, Place.class, type)
        .withInvokeExactBehavior();
  }
}
