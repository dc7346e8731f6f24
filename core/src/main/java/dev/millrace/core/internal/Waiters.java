package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * How the threads of one side of a structure wait: their strategy, and which of them are parked.
 *
 * <p>To wait, a thread calls {@link #await} or writes out the same loop around {@link #pause}. It
 * rests at a {@link WaitPlace}, which belongs to its end. A thread that waits without an end makes
 * a place when it comes to rest: see {@link #placeAt}.
 *
 * <p><b>Roles.</b> Any number of threads of this side may wait at a time, or only one if the side
 * is exclusive. A second thread that comes to rest on an exclusive side, or at the same place, is
 * refused. Any thread of the other side may signal.
 *
 * <p><b>Progress.</b> {@link #signal} never waits. It wakes the thread that has rested longest, and
 * no other until that one has tried again. A woken thread wakes the next one when it leaves. So one
 * freed slot does not wake a thousand threads, while a run of slots wakes as many threads as find
 * one. A thread that needs more than one slot is woken when its turn comes, and the next thread is
 * woken at the same time. A thread that comes to rest or leaves spins while another thread does so.
 * If that thread stalls, it delays the others and the wake-ups of that time.
 *
 * <p>A worker of a {@link java.util.concurrent.ForkJoinPool} rests as a managed blocker: see {@link
 * Rest}.
 *
 * <p><b>Cost.</b> If no thread has rested for some time, a signal is one read. Otherwise it is a
 * fence and two reads. The first thread that comes to rest after such a time executes the fence for
 * all signallers: see {@link Jvm#fenceAll}. Only places are allocated.
 */
public final class Waiters {
  /*
   * Parking is Dekker's pattern: the waiter announces itself, then checks once more; the other side
   * publishes, then checks for waiters. One of them must see the other, so both sides need a full
   * fence between the write and the read. Only a strategy that parks until woken needs this. With
   * any other strategy, the other side pays for neither the fence nor the read.
   *
   * Signallers execute the fence only while the alert is on. After many signals in a row have found
   * no waiter, a signaller turns the alert off, provided that no place is listed. From then on a
   * signal only reads that the alert is off. The next thread to announce itself turns it on again
   * and executes the signallers' fence for them, by a handshake with all threads. So either that
   * thread's next attempt finds what a signaller has published, or the signaller sees that the
   * alert is on. A thread that announces itself during the handshake makes one of its own. A
   * handshake serves all later waiters if the place of the thread that made it stayed listed
   * throughout, because then the alert stayed on throughout.
   *
   * Announced places are in a list, in the order of their announcements. A spin lock guards the
   * list and all other fields. It is held for only a few instructions. A signaller does not wait
   * for the lock. It adds one to the lock's word as a request. If the lock was held, the holder
   * finds the request when it frees the lock, and wakes the next thread itself. A holder that wakes
   * a thread anyway need not look for requests, because they ask for that same wake-up.
   *
   * A woken thread counts as called until it leaves or announces itself again. Until then
   * signallers need not wake another thread: the called thread finds what they published before it
   * rests again, or passes the call on when it leaves. Once a thread has been woken, it wakes the
   * next thread when it leaves, however often it rested in between. A thread that needs more than
   * one slot is woken but not called, and the next thread is woken at the same time.
   *
   * The first thread to rest leads: it alone wakes by the timer. When it leaves, it wakes the next
   * thread, which leads if its attempt fails. That is why every resting thread is announced, even
   * if the other side never signals. Close also relies on this handover: each woken thread finds
   * the structure closed, leaves, and wakes the next.
   *
   * Invariants: either a place is listed, or its thread was woken and will announce itself again or
   * leave, or no thread waits there. While a thread is called, its place is not listed and it has
   * not left.
   *
   * Non-invariant: the called thread may not be the one that gets what was published.
   *
   * A  list.add and CALLED.setOpaque in  ->  fullFence in look, then        one sees the other:
   *    announce, then fullFence there        list.first and                 the announcement, or
   *                                          CALLED.getOpaque there         what was published
   * C  ALERT.setOpaque in announce, then ->  ALERT.getOpaque in signal      one sees the other: that
   *    Jvm.fenceAll there                                                   it is to look, or what
   *                                                                         was published
   * B  LOCK.getAndSetRelease in unlock,  ->  LOCK.weakCompareAndSetAcquire  the list, and all that
   *    LOCK.setRelease in wakeNext           in lock, and                   the lock guards
   *                                          LOCK.getAndAddAcquire in wake
   */

  /** The result of {@link #pause} once the time limit has passed. */
  public static final long TIMED_OUT = -1;

  /**
   * The step of a thread that rests at a place. After a wake-up there, its step is {@link
   * #WAS_WOKEN}.
   */
  private static final long AT_PLACE = -2;

  private static final long WAS_WOKEN = -3;

  /** Values of {@link #lock}. Above {@code HELD}, it also counts requests. */
  private static final long FREE = 0;

  private static final long HELD = 1;

  /**
   * Values of {@link #alert}. {@code CALM}: signallers do not look for waiters. {@code ROUSED}:
   * they must look, but some may not have seen that yet. {@code ALL_ROUSED}: all have seen it.
   */
  private static final int CALM = 0;

  private static final int ROUSED = 1;
  private static final int ALL_ROUSED = 2;

  /** How many signals in a row must find no waiter before signallers stop looking. */
  private static final int VAIN_SIGNALS = 1 << 16;

  /** How to wait for a condition that no thread signals. */
  private static final WaitStrategy CHECKS = new WaitStrategy(0, 0, 100_000);

  private final WaitStrategy strategy;
  private final Phases phases;
  private final boolean exclusive;
  private final long restNanos;
  private final int vainSignals;

  private final WaitList list = new WaitList();

  /** The place of the thread that leads; null if none does. */
  private WaitPlace leader;

  /** The place of the thread that is called; null if none is. */
  private WaitPlace called;

  @SuppressWarnings("unused") // through LOCK
  private long lock;

  @SuppressWarnings("unused") // through ALERT
  private int alert;

  @SuppressWarnings("unused") // through VAIN
  private int vain;

  /** An operation that may decline. */
  @FunctionalInterface
  public interface Attempt {
    /** Tries once; returns whether the wait is over. */
    boolean tryOnce();
  }

  /**
   * Makes the waiters of one side, whose threads follow {@code strategy}. If it is {@code
   * exclusive}, only one of its threads may wait at a time. The thread that leads rests for at most
   * {@code restLimitNanos} between tries, whatever the strategy. The limit may be {@link
   * WaitStrategy#FOREVER}.
   */
  public Waiters(WaitStrategy strategy, boolean exclusive, long restLimitNanos) {
    this(strategy, exclusive, restLimitNanos, VAIN_SIGNALS);
  }

  /**
   * Makes the same for tests, which choose in {@code vainSignals} how many signals in a row must
   * find no waiter before signallers stop looking.
   */
  public Waiters(WaitStrategy strategy, boolean exclusive, long restLimitNanos, int vainSignals) {
    this.vainSignals = vainSignals;
    this.strategy = strategy;
    this.phases = new Phases(strategy);
    this.exclusive = exclusive;
    this.restNanos =
        strategy.canPark() ? restLimitNanos : Math.min(strategy.sleepNanos(), restLimitNanos);
  }

  /**
   * Returns how often to spin on this machine: {@code spins} times, or not at all. On a single
   * processor spins are skipped unless the strategy only spins, because the awaited thread cannot
   * run while this one spins.
   */
  public static long usefulSpins(long spins) {
    return usefulSpins(spins, Runtime.getRuntime().availableProcessors());
  }

  static long usefulSpins(long spins, int processors) {
    return processors > 1 || spins == WaitStrategy.FOREVER ? spins : 0;
  }

  /**
   * Returns whether the other side must {@link #signal} after each publication, because threads of
   * this side park.
   */
  public boolean needSignals() {
    return strategy.canPark();
  }

  /**
   * Returns when a wait of at most {@code limitNanos} that begins now must end, as a value of
   * {@link System#nanoTime()}. If the limit is {@link WaitStrategy#FOREVER}, so is the deadline.
   */
  public static long deadline(long limitNanos) {
    if (limitNanos == WaitStrategy.FOREVER) {
      return WaitStrategy.FOREVER;
    }
    long deadline = System.nanoTime() + Math.max(0, limitNanos);
    return deadline == WaitStrategy.FOREVER ? deadline - 1 : deadline;
  }

  // ---- a thread that waits ----

  /**
   * Repeats {@code attempt}, at least once, until it succeeds or {@code limitNanos} have passed.
   * Returns whether it succeeded. This is for a thread that waits without an end. The limit may be
   * {@link WaitStrategy#FOREVER}.
   *
   * <p>If the thread is interrupted and would have to wait, clears its interrupt status and throws
   * {@link InterruptedException}. Throws {@link IllegalStateException} if the side is exclusive and
   * another of its threads is waiting.
   */
  public boolean await(Attempt attempt, long limitNanos) throws InterruptedException {
    return await(null, attempt, limitNanos);
  }

  /**
   * Waits for {@code condition}, which no thread signals, by checking it now and then. Returns
   * whether it held within {@code limitNanos}, which may be {@link WaitStrategy#FOREVER}. If the
   * thread is interrupted and would have to wait, clears its interrupt status and throws {@link
   * InterruptedException}.
   */
  public static boolean awaitUnsignalled(Attempt condition, long limitNanos)
      throws InterruptedException {
    return new Waiters(CHECKS, true, WaitStrategy.FOREVER).await(condition, limitNanos);
  }

  /**
   * Does the same as {@link #await(Attempt, long)} for a thread that waits at {@code end}, the
   * place of its end. No other thread may wait there. The caller keeps the attempt, because making
   * one for each wait would allocate.
   */
  public boolean await(WaitPlace end, Attempt attempt, long limitNanos)
      throws InterruptedException {
    long deadline = deadline(limitNanos);
    WaitPlace place = end;
    long step = 0;
    try {
      while (!attempt.tryOnce()) {
        place = placeAt(step, place);
        step = pause(place, step, deadline, 1);
        if (step == TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      leave(place, step);
    }
  }

  /**
   * Returns the place for the next pause of a thread that waits without an end, or null as long as
   * the thread needs none. Makes the place when it is first needed. {@code step} is the step that
   * the next pause will be given. {@code place} is what this method last returned, null at first.
   */
  public WaitPlace placeAt(long step, WaitPlace place) {
    return place == null && phases.needPlace(step) ? new WaitPlace(this) : place;
  }

  /**
   * Waits a little after a failed attempt, as the strategy says. Returns the next step, or {@link
   * #TIMED_OUT}.
   *
   * <p>{@code place}, where the thread may sleep and rest, belongs to its end or comes from {@link
   * #placeAt}. {@code step} is 0 at first, then what the last pause returned. {@code deadline}
   * comes from {@link #deadline}. {@code need} is how many slots or records the thread needs at
   * once. Whatever is enough for this thread must be enough for a thread that needs less.
   *
   * <p>If the thread was interrupted, clears its interrupt status and throws {@link
   * InterruptedException}. Throws {@link IllegalStateException} if another thread is waiting at
   * this place or, if the side is exclusive, at any of its places.
   */
  public long pause(WaitPlace place, long step, long deadline, int need)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (deadline != WaitStrategy.FOREVER && System.nanoTime() - deadline >= 0) {
      leave(place, step);
      return TIMED_OUT;
    }
    if (!phases.areOver(step)) {
      phases.take(step, place);
      return step + 1;
    }
    if (step >= 0) {
      announce(place, need);
      return AT_PLACE;
    }
    if (!place.isListed()) {
      announce(place, need); // it was woken, but its attempt failed
      return WAS_WOKEN;
    }
    place.parkUntil(deadline, place.leads ? restNanos : WaitStrategy.FOREVER);
    return place.isListed() ? step : WAS_WOKEN; // listed: no thread woke it
  }

  /** Lists {@code place}, for the first time or because its thread was woken for nothing. */
  @SuppressWarnings("ReferenceEquality") // this very place
  private void announce(WaitPlace place, int need) {
    Thread current = Thread.currentThread();
    lock();
    Thread other = (exclusive && leader != null ? leader : place).thread;
    if (other != null && other != current) {
      unlock();
      throw new IllegalStateException("another thread is already waiting on this end: " + other);
    }
    place.thread = current;
    if (leader == null) {
      leader = place;
    }
    place.leads = leader == place;
    endCall(place);
    place.need = need;
    list.add(place);
    VAIN.setOpaque(this, 0); // opaque: a signaller may overwrite it with an old count
    boolean rouses = !isRoused();
    if (rouses) {
      ALERT.setOpaque(this, ROUSED); // opaque: fence C orders it
    }
    unlock();
    // fence A: the announcement, and the end of the call, before the reads of the next attempt
    VarHandle.fullFence();
    if (rouses) {
      rouseAll(place);
    }
  }

  /** Makes all signallers see that they must look for waiters. */
  private void rouseAll(WaitPlace place) {
    Jvm.fenceAll(); // fence C: the alert, before the reads of the next attempt
    lock();
    if (place.isListed()) { // it was listed throughout, so the alert stayed on
      ALERT.setOpaque(this, ALL_ROUSED); // opaque: as in announce
    }
    unlock();
  }

  /**
   * Ends a wait, whatever its outcome. {@code place} is where the thread may have rested, and
   * {@code step} is what the last pause returned. If this thread was woken, wakes the next one,
   * because there may be more than one slot or record, or this thread may have taken none.
   */
  @SuppressWarnings("ReferenceEquality") // this very place
  public void leave(WaitPlace place, long step) {
    if (step >= TIMED_OUT) {
      return;
    }
    lock();
    boolean passesOn = step == WAS_WOKEN;
    if (place.isListed()) {
      list.remove(place);
    } else {
      passesOn = true;
    }
    if (leader == place) {
      leader = null;
      passesOn |= restNanos != WaitStrategy.FOREVER;
    }
    place.thread = null;
    endCall(place);
    if (!passesOn) {
      unlock();
    } else if (wakeNext()) {
      wake();
    }
  }

  @SuppressWarnings("ReferenceEquality") // this very place
  private void endCall(WaitPlace place) {
    if (called == place) {
      CALLED.setOpaque(this, (WaitPlace) null); // opaque: fence A orders it, and the lock
    }
  }

  // ---- the lock ----

  private void lock() {
    // acquire B: the list
    for (int step = 0; !LOCK.weakCompareAndSetAcquire(this, FREE, HELD); step++) {
      Phases.awaitLock(step);
    }
  }

  /** Frees the lock. Wakes the next thread if a signaller has asked for that. */
  private void unlock() {
    // release B: the list; atomic: each request is seen
    if ((long) LOCK.getAndSetRelease(this, FREE) != HELD) {
      wake();
    }
  }

  // ---- the other side ----

  /**
   * Wakes a resting thread if there is one. The other side calls this after each publication and on
   * close.
   */
  public void signal() {
    if (isAlert()) {
      look();
    }
  }

  /**
   * Returns whether signallers look for resting threads; false if no thread has rested for some
   * time.
   */
  public boolean isAlert() {
    return (int) ALERT.getOpaque(this)
        != CALM; // opaque: the thread that changes it executes fence C for us
  }

  /**
   * Returns whether all signallers know that they must look for waiters. If not, the next thread
   * that comes to rest has to rouse them. Only the holder of the lock may call this, or a test
   * while no thread comes or leaves.
   */
  public boolean isRoused() {
    return alert == ALL_ROUSED;
  }

  private void look() {
    // fence A: the publication before the check for waiters
    VarHandle.fullFence();
    if (list.first() != null) {
      // opaque: the fence orders it, and the read in first
      if ((WaitPlace) CALLED.getOpaque(this) == null) {
        wake();
      }
    } else if (Jvm.canFenceAll()) {
      countInVain();
    }
  }

  /** Counts a signal that found no waiter. After many of them, makes signallers stop looking. */
  private void countInVain() {
    // opaque: signallers may overwrite each other's counts, and then only look for longer
    int count = (int) VAIN.getOpaque(this) + 1;
    VAIN.setOpaque(this, count < vainSignals ? count : 0); // opaque: as above
    // acquire B: the list
    if (count >= vainSignals && LOCK.weakCompareAndSetAcquire(this, FREE, HELD)) {
      if (list.first() == null) {
        ALERT.setOpaque(this, CALM); // opaque: as in announce
      }
      unlock();
    }
  }

  /** Wakes the next thread, or makes the holder of the lock do so. */
  private void wake() {
    // acquire B: the list; atomic: the holder sees the request
    while ((long) LOCK.getAndAddAcquire(this, 1L) == FREE && wakeNext()) {
      // that thread needs more than one slot, so wake the next one too
    }
  }

  /**
   * Wakes the next thread if there is one and none is called, and frees the lock, which the caller
   * holds. Returns true if it woke a thread that needs more than one slot. Then the caller has to
   * wake another.
   */
  private boolean wakeNext() {
    WaitPlace next = called == null ? list.first() : null;
    if (next == null) {
      LOCK.setRelease(this, FREE); // release B: the list
      return false;
    }
    list.remove(next);
    boolean needsMore = next.need > 1;
    if (!needsMore) {
      CALLED.setOpaque(this, next); // opaque: a thread that sees it late wakes another for nothing
    }
    Thread thread = next.thread;
    LOCK.setRelease(this, FREE); // release B: the list
    // The thread may have left by now, but a spurious unpark is harmless.
    LockSupport.unpark(thread);
    return needsMore;
  }

  private static final VarHandle CALLED = field("called", WaitPlace.class);
  private static final VarHandle LOCK = field("lock", long.class);
  private static final VarHandle ALERT = field("alert", int.class);
  private static final VarHandle VAIN = field("vain", int.class);

  private static VarHandle field(String name, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, Waiters.class, type)
        .withInvokeExactBehavior();
  }
}
