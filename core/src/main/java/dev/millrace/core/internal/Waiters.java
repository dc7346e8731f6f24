package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The waiting of one side of a structure: its strategy, and which of its threads are parked.
 *
 * <p>A wait is {@link #await}, or the same loop written out around {@link #pause}. A thread rests
 * at a {@link WaitPlace}, which its end owns. A thread that waits without an end makes one when it
 * gets as far as resting: see {@link #placeAt}.
 *
 * <p><b>Roles.</b> Any number of threads of this side may wait at a time, or only one if the side
 * is exclusive: then a second one that gets as far as resting is refused, as is a second one at the
 * same place. Any thread of the other side may signal.
 *
 * <p><b>Progress.</b> {@link #signal} never waits. It wakes the thread that has rested longest, and
 * no other until that one has tried again; when that thread leaves, the next one is woken. So one
 * freed slot does not wake a thousand threads, and a run of slots wakes as many as find one.
 * Threads that need more than one slot are woken whenever it is their turn, and pass it on at once.
 * Threads that come to rest or leave spin while another one does; if that one is stalled, so are
 * they, and the wake-ups of that time.
 *
 * <p>A worker of a {@link java.util.concurrent.ForkJoinPool} rests as a managed blocker: see {@link
 * Rest}.
 *
 * <p><b>Cost.</b> A signal is a read as long as no thread has rested for some time, and afterwards
 * a fence and two reads. The thread that ends such a time by coming to rest executes the fence for
 * all others: see {@link Jvm#fenceAll}. Nothing is allocated but places.
 */
public final class Waiters {
  /*
   * Parking is Dekker's pattern: the waiter announces itself, then checks once more; the other side
   * publishes, then checks for waiters. One of them must see the other, which takes a full fence on
   * both sides between the write and the read. Only a strategy that parks until woken needs
   * this; with any other one, the other side pays neither fence nor read.
   *
   * Signallers execute the fence only while they are alert. After many signals in a row without a
   * waiter, a signaller turns that off, provided that no place is listed; from then on a signal
   * only reads that it is off. The next thread to announce itself turns it on again and executes
   * the signallers' fence for them, by a handshake with all threads. So either that thread's next
   * attempt finds what a signaller has published, or the signaller finds itself alert. A thread
   * that announces itself during the handshake makes one of its own. A handshake is good for all
   * later waiters if the place of the thread that made it was listed throughout: then signallers
   * were alert throughout.
   *
   * Announced places are in a list, in their order. A spin lock guards it and all other fields, for
   * a few instructions each time. A signaller does not wait for the lock: it adds one to the word,
   * and if that was not free, the holder finds the request when it frees the lock, and wakes the
   * next thread itself. A holder that wakes one anyway need not look for requests: they would find
   * the list as it left it.
   *
   * A thread that was woken is called until it leaves or announces itself again. Until then no
   * signaller has to wake another: the called thread finds what they published before it rests
   * again, or passes the call on when it leaves. A thread that was woken wakes the next when it
   * leaves, however often it rested in between. One that needs more is woken but not called: the
   * next one is woken at the same time.
   *
   * One of the resting threads leads, the first that came: only it wakes by the timer. When it
   * leaves, it wakes the next thread, which leads if its attempt fails. That is why every resting
   * thread is announced, even if the other side never signals. Close relies on passing on too: each
   * woken thread finds the end, leaves, and wakes the next.
   *
   * Invariants: a place is listed, or its thread was woken and will announce itself or leave, or no
   * thread waits there. While a thread is called, it is neither listed nor gone.
   *
   * Non-invariant: the called thread may be any, not the one that got what was published.
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

  /** The step of a thread that has a place, until it is woken there; then {@link #WAS_WOKEN}. */
  private static final long AT_PLACE = -2;

  private static final long WAS_WOKEN = -3;

  /** Values of {@link #lock}; a greater one than {@code HELD} counts the requests. */
  private static final long FREE = 0;

  private static final long HELD = 1;

  /** Values of {@link #alert}: signallers do not look; they do; and all know it. */
  private static final int CALM = 0;

  private static final int ROUSED = 1;
  private static final int ALL_ROUSED = 2;

  /** How many signals in a row must find no waiter until signals stop looking. */
  private static final int VAIN_SIGNALS = 1 << 16;

  /** For what no signal tells. */
  private static final WaitStrategy CHECKS = new WaitStrategy(0, 0, 100_000);

  private final WaitStrategy strategy;
  private final Phases phases;
  private final boolean exclusive;
  private final long restNanos;
  private final int vainSignals;

  private final WaitList list = new WaitList();

  /** Where the thread waits that came first of those that have not left. */
  private WaitPlace leader;

  /** The place of the thread that was woken and has not tried yet; null if there is none. */
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
   * Makes the waiter state of one side. If it is exclusive, only one of its threads may wait at a
   * time. Of its resting threads, the one that leads rests for at most {@code restLimitNanos}
   * between tries, whatever the strategy; that may be {@link WaitStrategy#FOREVER}.
   */
  public Waiters(WaitStrategy strategy, boolean exclusive, long restLimitNanos) {
    this(strategy, exclusive, restLimitNanos, VAIN_SIGNALS);
  }

  /**
   * The same for tests, which choose how many signals in a row must find no waiter until signals
   * stop looking.
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
   * How often to spin on this machine: as often as the strategy says, or 0. On a single processor
   * spins are skipped unless the strategy only spins, because the awaited thread cannot run while
   * this one spins.
   */
  public static long usefulSpins(long spins) {
    return usefulSpins(spins, Runtime.getRuntime().availableProcessors());
  }

  static long usefulSpins(long spins, int processors) {
    return processors > 1 || spins == WaitStrategy.FOREVER ? spins : 0;
  }

  /**
   * Whether the other side must {@link #signal} after each publication, because threads of this
   * side park.
   */
  public boolean needSignals() {
    return strategy.canPark();
  }

  /**
   * When a wait that begins now gives up, on {@link System#nanoTime()}'s scale; {@link
   * WaitStrategy#FOREVER} if the limit is that.
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
   * Tries, at least once, until it succeeds or the time is up; returns whether it succeeded. For a
   * thread that waits without an end. The limit may be {@link WaitStrategy#FOREVER}.
   *
   * <p>If the thread is interrupted and would have to wait, clears its flag and throws. Throws
   * {@link IllegalStateException} if the side is exclusive and another of its threads is waiting.
   */
  public boolean await(Attempt attempt, long limitNanos) throws InterruptedException {
    return await(null, attempt, limitNanos);
  }

  /**
   * Waits for a condition that is not signalled, and checks it now and then; returns whether it
   * holds. The limit may be {@link WaitStrategy#FOREVER}. If the thread is interrupted and would
   * have to wait, clears its flag and throws.
   */
  public static boolean awaitUnsignalled(Attempt condition, long limitNanos)
      throws InterruptedException {
    return new Waiters(CHECKS, true, WaitStrategy.FOREVER).await(condition, limitNanos);
  }

  /**
   * The same as {@link #await(Attempt, long)} for an end, given its place, where no other thread
   * may wait. The caller keeps the attempt, because making one for each wait would allocate.
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
   * The place for the next pause of a thread without an end; made if that is the first to need one.
   * Takes the step that the next pause is given, and what this method last returned, at first null.
   * Returns null as long as no place is needed.
   */
  public WaitPlace placeAt(long step, WaitPlace place) {
    return place == null && phases.needPlace(step) ? new WaitPlace(this) : place;
  }

  /**
   * Waits a little after a failed attempt, as the strategy says. Returns the next step, or {@link
   * #TIMED_OUT}.
   *
   * <p>The place, where the thread may sleep and rest, is that of its end, or from {@link
   * #placeAt}. The step is 0 at first, then what the last pause returned. The deadline is from
   * {@link #deadline}. {@code need} is how many slots or records the thread needs at once; what is
   * enough for it must be enough for one that needs less.
   *
   * <p>If the thread was interrupted, clears its flag and throws. Throws {@link
   * IllegalStateException} if another thread is waiting at this place or, if the side is exclusive,
   * at any of its places.
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
      announce(place, need); // it was woken, and its attempt failed
      return WAS_WOKEN;
    }
    place.parkUntil(deadline, place.leads ? restNanos : WaitStrategy.FOREVER);
    return place.isListed() ? step : WAS_WOKEN; // else it timed out, or woke for no reason
  }

  /** Lists a place, at first or after a call that came to nothing. */
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

  /** Makes all signallers see that they are to look. */
  private void rouseAll(WaitPlace place) {
    Jvm.fenceAll(); // fence C: that signallers look, before the reads of the next attempt
    lock();
    if (place.isListed()) { // so it was all the time, and signallers stayed alert
      ALERT.setOpaque(this, ALL_ROUSED); // opaque: as in announce
    }
    unlock();
  }

  /**
   * Ends a wait, whatever its outcome, given the place where the thread may have rested and what
   * the last pause returned. Wakes the next thread if this one was woken, because there may be more
   * than one slot or record, or this thread may have left without taking any.
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

  /** Frees the lock; wakes the next thread if a signaller wanted to. */
  private void unlock() {
    // release B: the list; atomic: each request is seen
    if ((long) LOCK.getAndSetRelease(this, FREE) != HELD) {
      wake();
    }
  }

  // ---- the other side ----

  /**
   * Wakes a resting thread, if there is one; called by the other side after each publication, and
   * on close.
   */
  public void signal() {
    if (isAlert()) {
      look();
    }
  }

  /** Whether signals look for resting threads; false if no thread has rested for some time. */
  public boolean isAlert() {
    return (int) ALERT.getOpaque(this)
        != CALM; // opaque: the thread that changes it executes fence C for us
  }

  /**
   * Whether all signallers know that they are to look; if not, the next thread that comes to rest
   * has to rouse them. For the holder of the lock, and for tests while no thread comes or leaves.
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

  /** Counts a signal that found no waiter; after many, makes signals stop looking. */
  private void countInVain() {
    // opaque: signallers may overwrite each other's counts, and then look for longer
    int count = (int) VAIN.getOpaque(this) + 1;
    VAIN.setOpaque(this, count < vainSignals ? count : 0); // opaque: the same
    // acquire B: the list
    if (count >= vainSignals && LOCK.weakCompareAndSetAcquire(this, FREE, HELD)) {
      if (list.first() == null) {
        ALERT.setOpaque(this, CALM); // opaque: as in announce
      }
      unlock();
    }
  }

  /** Wakes the next threads, or makes the holder of the lock do so. */
  private void wake() {
    // acquire B: the list; atomic: the holder sees the request
    while ((long) LOCK.getAndAddAcquire(this, 1L) == FREE && wakeNext()) {
      // that one needs more: the next one too
    }
  }

  /**
   * Wakes the next thread, if there is one and none is called, and frees the lock; for its holder.
   * Returns whether it woke a thread that needs more, so that another has to be woken.
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
    // The thread may have left by now; then a spurious unpark of it is harmless.
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
