package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The waiting of one side of a structure: its strategy, and which of its threads are parked.
 *
 * <p>A wait is {@link #await}, or the same loop written out around {@link #pause}.
 *
 * <p>A virtual thread rests at once if the strategy ever does: a thread that yields goes to the end
 * of its carrier's queue, where thousands of them would delay the very thread that they wait for.
 *
 * <p><b>Roles.</b> Any number of threads of this side may wait at a time, or only one if the side
 * is exclusive: then a second one that gets as far as resting is refused. Any thread of the other
 * side may signal.
 *
 * <p><b>Progress.</b> {@link #signal} is lock-free. It wakes the thread that has rested longest,
 * and no other until that one has tried again; when that thread leaves, the next one is woken. So
 * one freed slot does not wake a thousand threads, and a run of slots wakes as many as find one.
 * Threads that need more than one slot are woken whenever it is their turn, and pass it on at once.
 *
 * <p>A worker of a {@link java.util.concurrent.ForkJoinPool} rests as a managed blocker: see {@link
 * Rest}.
 *
 * <p><b>Cost.</b> Allocates a place to rest when more threads rest at once than ever before.
 */
public final class Waiters {
  /*
   * Parking is Dekker's pattern: the waiter announces itself, then checks once more; the other side
   * publishes, then checks for waiters. One of them must see the other, which takes a full fence on
   * both sides between the write and the read. Only a strategy that parks until woken needs
   * this; with any other one, the other side pays neither fence nor read.
   *
   * One of the sleeping threads leads: only it wakes by the timer. When it leaves, it wakes the
   * next thread, which leads if its attempt fails. That is why every sleeping thread is announced,
   * even if the other side never signals. Close relies on it too: each woken thread finds the end,
   * leaves, and wakes the next.
   *
   * A place belongs to a thread while it waits. Places are found by the thread's id, created when
   * there are too few, and kept for ever. Announced places are linked: pushed on a stack, which the
   * holder of the turn takes as a whole and reverses into a queue. A signaller takes the turn and
   * hands it to the thread that it wakes, which gives it back before it tries again. Until then no
   * other signaller has to wake a thread: the woken thread finds what they published before it
   * rests again, or does not need it. A signaller that wakes no thread keeps the turn; if others
   * asked for the turn while it searched, it searches again. A thread that was woken wakes the next
   * when it leaves, however often it rested in between.
   *
   * A place's states, and who changes them:
   *
   *   FREE     not linked                GONE -> by the holder of the turn
   *   WAITING  linked, needs one         GONE, or not linked -> by its thread
   *   NEEDY    linked, needs more        as WAITING
   *   GONE     linked, no thread waits   WAITING, NEEDY -> by its thread, which leaves unwoken
   *   WOKEN    not linked, has the turn  WAITING -> by the holder of the turn
   *   CALLED   not linked                NEEDY -> by the holder of the turn
   *   AWAKE    not linked                WOKEN, CALLED -> by its thread, which tries again
   *
   * A place whose thread left unwoken stays linked, and can be taken again by that thread or
   * another. So places that many threads use briefly do not accumulate, even if no thread signals.
   * A place that was left in any other state keeps it until its next thread announces itself.
   *
   * A  pushed.weakCompareAndSetRelease in   ->  fullFence in signal, then     one sees the other:
   *    push or state.compareAndExchange in      pushed.getOpaque and            the announcement, or
   *    announce, then fullFence there           queue.getOpaque                 what was published
   * B  pushed.weakCompareAndSetRelease in   ->  pushed.getAndSetAcquire in    the places
   *    push                                     nextPlace
   * C  turn.setRelease in stay, leave, and  ->  turn.getAndAddAcquire in      the queue
   *    turn.compareAndExchange in wake          wake
   * D  state.weakCompareAndSet in           ->  state.getAcquire in stay,     it is unlinked; the
   *    tryHandOn                               getAndAddAcquire in             turn
   *                                             lastState,
   *                                             compareAndExchange in
   *                                             announce, getAcquire,
   *                                             compareAndExchangeAcquire in
   *                                             leave
   * E  thread.setRelease in leave           ->  thread.compareAndExchange in  its last thread has
   *                                             takePlace                       finished with it
   * F  thread.compareAndExchange in         ->  thread.getAcquire in          the thread's object
   *    takePlace                                tryHandOn
   * G  fullFence in signal, then            ->  turn.compareAndExchange in    what was announced
   *    turn.getAndAddAcquire in wake            wake                            before the request
   * H  turn.setRelease in stay, then        ->  fullFence in signal, then     one sees the other:
   *    fullFence in announce                    turn.getAndAddAcquire in        that the turn is
   *                                             wake                            free, or what was
   *                                                                             published
   * I  leader.setOpaque in leave, then      ->  fullFence in announce, then   one sees the other:
   *    fullFence in signal                      leader.getOpaque in tryLead     that no thread
   *                                                                             leads, or who waits
   * J  state.compareAndExchange in          ->  state.weakCompareAndSet in    the announcement
   *    announce                                 tryHandOn
   */

  /** The result of {@link #pause} once the time limit has passed. */
  public static final long TIMED_OUT = -1;

  /** The step of a thread that has a place, until it is woken there; then {@link #WAS_WOKEN}. */
  private static final long AT_PLACE = -2;

  private static final long WAS_WOKEN = -3;

  private static final int FREE = 0;
  private static final int WAITING = 1;
  private static final int NEEDY = 2;
  private static final int GONE = 3;
  private static final int WOKEN = 4;
  private static final int CALLED = 5;
  private static final int AWAKE = 6;

  /** The value of {@link #turn} while no thread has it. */
  private static final long NOBODY = 0;

  private static final long YIELDS_PER_SLEEP = 64;
  private static final int CHAINS = 32;

  private final WaitStrategy strategy;
  private final long spins;
  private final boolean exclusive;
  private final long restNanos;
  private final boolean rests;
  private final Place[] chains;

  /** The stack of announced places. */
  @SuppressWarnings("unused") // through PUSHED
  private Place pushed;

  /** The announced places in their order, for the holder of the turn. */
  @SuppressWarnings("unused") // through QUEUE
  private Place queue;

  /** How many threads have asked for the turn since it was free; the first of them has it. */
  @SuppressWarnings("unused") // through TURN
  private long turn;

  /** The place of the only thread that wakes by the timer. */
  @SuppressWarnings("unused") // through LEADER
  private Place leader;

  /** Where a thread rests. */
  private static final class Place extends Rest {
    @SuppressWarnings("unused") // through THREAD
    private Thread thread;

    @SuppressWarnings("unused") // through STATE
    private int state;

    /** The next announced place: below this one on the stack, behind it in the queue. */
    private Place link;

    /** The next place of the chain. */
    @SuppressWarnings("unused") // through BEHIND
    private Place behind;

    Place(Waiters waiters) {
      super(waiters);
    }

    /** The latest state; read before the thread parks and afterwards. */
    int lastState() {
      // acquire D: the place is unlinked; the turn. Atomic: an update reads the latest value. A
      // stale one could lose the wake-up, because parking orders nothing and uses up the permit
      return (int) STATE.getAndAddAcquire(this, 0);
    }

    @Override
    public boolean isReleasable() {
      return !isListed(lastState());
    }
  }

  /** An operation that may decline. */
  @FunctionalInterface
  public interface Attempt {
    /**
     * Tries.
     *
     * @return whether the wait is over
     */
    boolean succeeds();
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
    this(strategy, exclusive ? 1 : CHAINS, exclusive, restLimitNanos);
  }

  /**
   * The same, with threads spread over the given number of chains of places.
   *
   * @param strategy how its threads wait
   * @param chains how many chains; the threads of a chain search along it for their places
   * @param exclusive whether only one thread of this side may wait at a time
   * @param restLimitNanos the longest that a thread rests between tries
   */
  public Waiters(WaitStrategy strategy, int chains, boolean exclusive, long restLimitNanos) {
    this.strategy = strategy;
    this.spins = usefulSpins(strategy.spins());
    this.exclusive = exclusive;
    this.restNanos = Math.min(strategy.sleepNanos(), restLimitNanos);
    this.rests =
        strategy.spins() != WaitStrategy.FOREVER && strategy.yields() != WaitStrategy.FOREVER;
    this.chains = new Place[chains];
    for (int chain = 0; chain < chains; chain++) {
      this.chains[chain] = new Place(this);
    }
  }

  /**
   * How often to spin on this machine. On a single processor spins are skipped unless the strategy
   * only spins, because the awaited thread cannot run while this one spins.
   *
   * @param spins how often the strategy spins
   * @return the same number, or 0
   */
  public static long usefulSpins(long spins) {
    return usefulSpins(spins, Runtime.getRuntime().availableProcessors());
  }

  static long usefulSpins(long spins, int processors) {
    return processors > 1 || spins == WaitStrategy.FOREVER ? spins : 0;
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
   * Tries until it succeeds or the time is up.
   *
   * @param attempt what is tried, at least once; kept by the caller, because making one for each
   *     wait would allocate
   * @param limitNanos how long it may take, or {@link WaitStrategy#FOREVER}
   * @return whether it succeeded
   * @throws InterruptedException if the thread was interrupted; its flag is cleared
   * @throws IllegalStateException if another thread of this side waits
   */
  public boolean await(Attempt attempt, long limitNanos) throws InterruptedException {
    long deadline = deadline(limitNanos);
    long step = 0;
    try {
      while (!attempt.succeeds()) {
        step = pause(step, deadline);
        if (step == TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      leave(step);
    }
  }

  /**
   * Waits a little after a failed attempt, as the strategy says, for the one slot or record that
   * every thread of this side waits for.
   *
   * @param step 0 at first, then what the last pause returned
   * @param deadline from {@link #deadline}
   * @return the next step, or {@link #TIMED_OUT}
   * @throws InterruptedException if the thread was interrupted; its flag is cleared
   * @throws IllegalStateException if another thread of this side waits
   */
  public long pause(long step, long deadline) throws InterruptedException {
    return pause(step, deadline, 1);
  }

  /**
   * The same for a thread that may need more than others.
   *
   * @param step 0 at first, then what the last pause returned
   * @param deadline from {@link #deadline}
   * @param need how many slots or records it needs at once; what is enough for it must be enough
   *     for one that needs less
   * @return the next step, or {@link #TIMED_OUT}
   * @throws InterruptedException if the thread was interrupted; its flag is cleared
   * @throws IllegalStateException if another thread of this side waits
   */
  public long pause(long step, long deadline, int need) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (deadline != WaitStrategy.FOREVER && System.nanoTime() - deadline >= 0) {
      leave(step);
      return TIMED_OUT;
    }
    Thread current = Thread.currentThread();
    if (step < 0) {
      return stay(step, placeOf(current), need, deadline);
    }
    if (current.isVirtual()) {
      if (!rests) {
        yieldTurn(step); // spinning could hold the carrier that the awaited thread needs
        return step + 1;
      }
    } else if (step < spins) {
      Thread.onSpinWait();
      return step + 1;
    } else if (step - spins < strategy.yields()) {
      Thread.yield();
      return step + 1;
    }
    announce(takePlace(current), need);
    return AT_PLACE;
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

  // ---- places ----

  private Place chainOf(Thread thread) {
    return chains[(int) (thread.threadId() % chains.length)];
  }

  /** The place that a thread has. */
  @SuppressWarnings("ReferenceEquality") // threads are what they are
  private Place placeOf(Thread thread) {
    Place place = chainOf(thread);
    while ((Thread) THREAD.getOpaque(place) != thread) { // opaque: a thread sees its own entry
      place = (Place) BEHIND.getOpaque(place); // opaque: it has followed this link before
    }
    return place;
  }

  /** Gives a thread the first place that is free. */
  private Place takePlace(Thread thread) {
    Place place = chainOf(thread);
    while (true) {
      // acquire E: the previous thread has finished with it; release F: the thread
      Thread owner = (Thread) THREAD.compareAndExchange(place, (Thread) null, thread);
      if (owner == null) {
        return place;
      }
      if (exclusive) {
        throw new IllegalStateException("another thread is already waiting on this end: " + owner);
      }
      place = behind(place);
    }
  }

  /** The place behind another; adds one if there is none. */
  private Place behind(Place place) {
    Place next = (Place) BEHIND.getOpaque(place); // opaque: a new place has nothing to publish
    while (next == null) {
      Place added = new Place(this);
      // atomic: only one is added, and it has nothing to publish
      boolean isAdded = BEHIND.weakCompareAndSetPlain(place, (Place) null, added);
      next = isAdded ? added : (Place) BEHIND.getOpaque(place); // opaque: as above
    }
    return next;
  }

  // ---- a thread that waits ----

  private void announce(Place place, int need) {
    int wanted = need == 1 ? WAITING : NEEDY;
    // acquire D: the holder of the turn has finished with it; release J: the announcement
    if ((int) STATE.compareAndExchange(place, GONE, wanted) != GONE) {
      place.state = wanted;
      push(place);
    }
    // fence A, H, I: the announcement, and the turn if it was given back, before the reads of the
    // next attempt and the check for a leader
    VarHandle.fullFence();
  }

  private void push(Place place) {
    Place below;
    do {
      below = (Place) PUSHED.getOpaque(this); // opaque: the exchange confirms it
      place.link = below;
      // release B: the place
    } while (!PUSHED.weakCompareAndSetRelease(this, below, place));
  }

  /** Rests until woken; a thread that was woken and whose attempt failed is announced again. */
  private long stay(long step, Place place, int need, long deadline) {
    int state = (int) STATE.getAcquire(place); // acquire D: it is unlinked; the turn
    if (state == AWAKE) {
      announce(place, need);
      return step;
    }
    if (isListed(state)) {
      place.park(untilDeadline(deadline, tryLead(place) ? restNanos : WaitStrategy.FOREVER));
      state = place.lastState();
      if (isListed(state)) {
        return step; // not woken: timed out, interrupted, or for no reason
      }
    }
    place.state = AWAKE;
    if (state == WOKEN) {
      TURN.setRelease(this, NOBODY); // release C: the queue
    }
    return WAS_WOKEN;
  }

  private static boolean isListed(int state) {
    return state == WAITING || state == NEEDY;
  }

  /** Whether this thread wakes by the timer; it takes the lead if no thread has it. */
  @SuppressWarnings("ReferenceEquality") // this very place
  private boolean tryLead(Place place) {
    Place found = (Place) LEADER.getOpaque(this); // opaque: fence I orders it
    if (found == null) {
      LEADER.setOpaque(this, place); // opaque: of two at once the last one leads
    }
    return found == null || found == place;
  }

  private static long untilDeadline(long deadline, long atMostNanos) {
    return deadline == WaitStrategy.FOREVER
        ? atMostNanos
        : Math.max(0, Math.min(atMostNanos, deadline - System.nanoTime()));
  }

  /**
   * Ends a wait, whatever its outcome. Wakes the next thread if this one was woken, because there
   * may be more than one slot or record, or this thread may have left without taking any.
   *
   * @param step what the last pause returned
   */
  @SuppressWarnings("ReferenceEquality") // this very place
  public void leave(long step) {
    if (step >= TIMED_OUT) {
      return;
    }
    Place place = placeOf(Thread.currentThread());
    boolean passesOn = step == WAS_WOKEN;
    if ((Place) LEADER.getOpaque(this) == place) { // opaque: a thread sees its own entry
      LEADER.setOpaque(this, (Place) null); // opaque: fence I orders it
      passesOn = true;
    }
    int state = (int) STATE.getAcquire(place); // acquire D: it is unlinked; the turn
    if (isListed(state)) {
      // acquire D: it is unlinked; the turn
      state = (int) STATE.compareAndExchangeAcquire(place, state, GONE);
    }
    THREAD.setRelease(place, (Thread) null); // release E: this thread has finished with it
    if (state == WOKEN) {
      TURN.setRelease(this, NOBODY); // release C: the queue
    }
    if (passesOn || !isListed(state)) {
      signal();
    }
  }

  // ---- the other side ----

  /**
   * Wakes a resting thread, if there is one; called by the other side after each publication, and
   * on close.
   */
  public void signal() {
    // fence A, G, H, I: the publication before the check for waiters and the turn
    VarHandle.fullFence();
    // opaque: the fence orders both reads
    if ((Place) PUSHED.getOpaque(this) != null || (Place) QUEUE.getOpaque(this) != null) {
      wake();
    }
  }

  /** Takes the turn and hands it to a thread that it wakes, or makes its holder check again. */
  private void wake() {
    // acquire C: the queue; atomic: the holder sees each request
    long asked = 1 + (long) TURN.getAndAddAcquire(this, 1L);
    if (asked != 1) {
      return;
    }
    while (!tryHandOn()) {
      // release C: the queue; acquire G: what was announced before the request
      long found = (long) TURN.compareAndExchange(this, asked, NOBODY);
      if (found == asked) {
        return;
      }
      asked = found;
    }
  }

  /**
   * Wakes the threads that need more, up to the first that needs one. That one is given the turn;
   * if there is none, returns false.
   */
  private boolean tryHandOn() {
    for (Place place = nextPlace(); place != null; place = nextPlace()) {
      int state;
      int next;
      do {
        state = (int) STATE.getOpaque(place); // opaque: the exchange confirms it
        next = state == WAITING ? WOKEN : state == NEEDY ? CALLED : FREE;
        // release D: the place is unlinked; the turn. acquire J: the announcement
      } while (!STATE.weakCompareAndSet(place, state, next));
      if (next != FREE) {
        // acquire F: the thread. It may have left; then no thread needs waking, and a spurious
        // unpark of the place's next owner is harmless.
        LockSupport.unpark((Thread) THREAD.getAcquire(place));
      }
      if (next == WOKEN) {
        return true;
      }
    }
    return false;
  }

  /** Takes the place that was announced first out of the list; for the holder of the turn. */
  private Place nextPlace() {
    Place place = queue;
    if (place == null) {
      // acquire B: the places
      Place top = (Place) PUSHED.getAndSetAcquire(this, (Place) null);
      while (top != null) {
        Place below = top.link;
        top.link = place;
        place = top;
        top = below;
      }
    }
    if (place != null) {
      QUEUE.setOpaque(this, place.link); // opaque: other threads check it
    }
    return place;
  }

  private static final VarHandle THREAD = field(Place.class, "thread", Thread.class);
  private static final VarHandle STATE = field(Place.class, "state", int.class);
  private static final VarHandle BEHIND = field(Place.class, "behind", Place.class);
  private static final VarHandle PUSHED = field(Waiters.class, "pushed", Place.class);
  private static final VarHandle QUEUE = field(Waiters.class, "queue", Place.class);
  private static final VarHandle LEADER = field(Waiters.class, "leader", Place.class);
  private static final VarHandle TURN = field(Waiters.class, "turn", long.class);

  private static VarHandle field(Class<?> owner, String name, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, owner, type)
        .withInvokeExactBehavior();
  }
}
