package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.StallWatch;
import dev.millrace.core.internal.Waiters;
import dev.millrace.disruptor.RingOptions.BackPressure;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Numbers the events of a ring: hands out free slots to producers, tells consumers what is
 * published, and holds producers back behind the slowest consumer. What is in the slots is the
 * ring's: {@link RecordRing}, {@link ObjectRing}, or arrays of your own, by {@code sequence &
 * (capacity - 1)}.
 *
 * <pre>{@code
 * Sequencer sequencer = Sequencer.of(RingOptions.multiProducer(1024));
 * Barrier barrier = sequencer.newBarrier(WaitStrategy.yielding());
 *
 * long sequence = sequencer.claim();                 // a producer
 * if (sequence >= 0) {
 *   prices[(int) sequence & 1023] = price;
 *   sequencer.publish(sequence);
 * }
 *
 * int count;                                         // the consumer
 * while ((count = barrier.poll(256)) != Sequencer.CLOSED) {
 *   for (int i = 0; i < count; i++) {
 *     handle(prices[(int) (barrier.sequence() + i) & 1023]);
 *   }
 *   barrier.release();
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> With {@link RingOptions#singleProducer} one thread at a time claims, publishes
 * and aborts, one claim at a time; otherwise any thread does, with any number of claims open.
 * Consumers have a {@link Barrier} each. All barriers are made before the first claim, by a thread
 * whose making of them happens before what the others do. Any thread completes, abandons and looks.
 *
 * <p><b>Progress.</b> Without other producers a claim is wait-free, with others lock-free; publish
 * and abort are wait-free. A producer that stops between claim and publish keeps consumers from all
 * later events, unless the ring has a stall limit.
 *
 * <p><b>Ordering.</b> What a producer did before publish happens before a barrier's return of that
 * sequence; what consumers did before release happens before the claim that gets the slot again.
 * Sequences are handed out from 0 without a gap, and events become visible in their order.
 *
 * <p><b>Failure.</b> Full and closed are values. {@link #complete()} lets no claim succeed from now
 * on and wakes producers that wait; consumers go on to the last event and are told of the end. With
 * many producers that is exact, whichever thread completes: each claim before it may still be
 * published. With one producer let it complete itself, or complete after its last call: of events
 * whose claim is open then, some consumers may be told of the end before them.
 *
 * <p><b>Cost.</b> O(1) per claim, whatever its length, plus a look at each consumer when the ring
 * seems full; a publish is one store, with many producers one for each event. Nothing is allocated
 * after construction, but for places where several producers rest at once. With many producers each
 * slot has a stamp of 8 bytes off the heap.
 *
 * <p><b>Source.</b> Thompson, Farley, Barker, Gee, Stewart, <a
 * href="https://lmax-exchange.github.io/disruptor/disruptor.html">Disruptor</a> (2011). Departures:
 * stamps beside the events instead of a second ring of flags, claims that can be tried, timed,
 * aborted and given up, and a wait strategy on both sides.
 *
 * @since 0.1.0
 */
public abstract sealed class Sequencer implements AutoCloseable
    permits SingleProducerSequencer, MultiProducerSequencer {
  /*
   * A  ABANDONED.setRelease in abandon        ->  ABANDONED.getAcquire in       what was done before
   *                                               isAbandoned
   * B  CAUSE.compareAndExchangeRelease        ->  CAUSE.getAcquire in failure   the failure's object
   *    in fail
   */

  /** Returned instead of a sequence: no slot is free, or none got free in time. */
  public static final int FULL = GatedClaims.FULL;

  /** Returned instead of a sequence or a count: closed and, for a consumer, at the end. */
  public static final int CLOSED = GatedClaims.CLOSED;

  private static final Waiters[] NOBODY = {};
  private static final Sequence[] NONE = {};

  final RingOptions options;

  /** Finds stalled claims; null if claims may be open for ever. */
  final StallWatch stalls;

  final Waiters producers;
  final boolean signalsProducers;

  private final Set<Barrier.Group> groups = new LinkedHashSet<>();
  private Sequence[] gates = NONE;
  private Waiters[] parkedForPublication = NOBODY;

  private final Sequence dropped = new Sequence();
  private final Sequence timedOut = new Sequence();
  private final Sequence signalled = new Sequence();

  @SuppressWarnings("unused") // through CONGESTED
  private boolean congested;

  @SuppressWarnings("unused") // through ABANDONED
  private boolean abandoned;

  @SuppressWarnings("unused") // through CAUSE
  private Throwable cause;

  Sequencer(RingOptions options, StallWatch stalls) {
    this.options = options;
    this.stalls = stalls;
    this.producers =
        new Waiters(options.producerWaits(), !options.manyProducers(), WaitStrategy.FOREVER);
    this.signalsProducers = producers.needSignals();
  }

  /**
   * Makes a sequencer without a ring, for slots of your own.
   *
   * @param options the capacity, who produces, and what happens when it is full
   * @return the sequencer
   * @throws IllegalArgumentException if the options contradict each other
   */
  public static Sequencer of(RingOptions options) {
    return of(Checks.notNull("options", options), null, 0);
  }

  /** The same, whose stamps lie in the slots of a ring. */
  static Sequencer of(RingOptions options, MemorySegment slots, long strideBytes) {
    options.check();
    return options.manyProducers()
        ? MultiProducerSequencer.of(options, slots, strideBytes)
        : new SingleProducerSequencer(options);
  }

  // ---- consumers ----

  /**
   * Makes a consumer: one that sees every event, behind the producers, or behind other consumers.
   * Producers wait for it while nobody is behind it.
   *
   * @param strategy how it waits
   * @param upstream the consumers that must be through with an event before; none for the first
   * @return the consumer's barrier
   * @throws IllegalArgumentException if one upstream is of another sequencer
   * @throws IllegalStateException if something was claimed already
   */
  public final Barrier newBarrier(WaitStrategy strategy, Barrier... upstream) {
    Set<Barrier.Group> before = groupsOf(upstream);
    Barrier.Group group = new Barrier.Group(waiters(strategy, true), new Sequence());
    group.members.add(new SoleBarrier(this, sequencesOf(before), group));
    add(group, before);
    return group.members.getFirst();
  }

  /**
   * Makes consumers that share the work: each event goes to one of them, whichever is free.
   *
   * @param workers how many, at least 1
   * @param strategy how they wait
   * @param upstream the consumers that must be through with an event before; none for the first
   * @return a barrier for each worker; behind one of them is behind all
   * @throws IllegalArgumentException if there is no worker, or one upstream is of another sequencer
   * @throws IllegalStateException if something was claimed already
   */
  public final List<Barrier> newSharedBarriers(
      int workers, WaitStrategy strategy, Barrier... upstream) {
    Checks.inRange("workers", workers, 1, Integer.MAX_VALUE);
    Set<Barrier.Group> before = groupsOf(upstream);
    Barrier.Group group = SharedBarrier.groupOf(workers, waiters(strategy, workers == 1));
    for (int worker = 0; worker < workers; worker++) {
      group.members.add(new SharedBarrier(this, sequencesOf(before), group, worker));
    }
    add(group, before);
    return List.copyOf(group.members);
  }

  private Waiters waiters(WaitStrategy strategy, boolean exclusive) {
    long rest = stalls == null ? WaitStrategy.FOREVER : stalls.lookNanos();
    return new Waiters(Checks.notNull("strategy", strategy), exclusive, rest);
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  private Set<Barrier.Group> groupsOf(Barrier... upstream) {
    if (claimedEnd() != 0) {
      throw new IllegalStateException("barriers must be made before the first claim: " + this);
    }
    Set<Barrier.Group> before = new LinkedHashSet<>();
    for (Barrier barrier : upstream) {
      if (barrier.sequencer != this) {
        throw new IllegalArgumentException("upstream must be of this sequencer: " + barrier);
      }
      before.add(barrier.group);
    }
    return before;
  }

  private static Sequence[] sequencesOf(Collection<Barrier.Group> some) {
    return some.stream().flatMap(group -> Stream.of(group.progress)).toArray(Sequence[]::new);
  }

  private void add(Barrier.Group group, Set<Barrier.Group> before) {
    groups.add(group);
    before.forEach(one -> one.hasFollowers = true);
    gates = sequencesOf(groups.stream().filter(one -> !one.hasFollowers).toList());
    gateOn(gates);
    if (group.waiters.needSignals()) {
      if (before.isEmpty()) {
        parkedForPublication = with(parkedForPublication, group.waiters);
      }
      for (Barrier.Group one : before) {
        one.parkedBehind = with(one.parkedBehind, group.waiters);
      }
    }
  }

  private static Waiters[] with(Waiters[] some, Waiters added) {
    return Stream.concat(Stream.of(some), Stream.of(added)).toArray(Waiters[]::new);
  }

  /** Whether there is a barrier. */
  final boolean hasConsumers() {
    return !groups.isEmpty();
  }

  /** Says whose sequences hold back producers. */
  abstract void gateOn(Sequence... sequences);

  // ---- producers ----

  /**
   * Claims the next slot, if it is free.
   *
   * @return its sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException if there is no barrier yet, if one producer has a claim open, or
   *     if producers that stalled have left no room
   */
  public final long tryClaim() {
    return tryClaim(1);
  }

  /**
   * Claims the next slots: all of them or none.
   *
   * @param count how many, from 1 to the capacity, with a stall limit at most 65,535
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException as {@link #tryClaim()}
   */
  public abstract long tryClaim(int count);

  /**
   * Claims the next slot; while the ring is full it does what the {@link RingOptions#backPressure()
   * back-pressure} says.
   *
   * @return its sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim() throws InterruptedException {
    return claim(1);
  }

  /**
   * Claims the next slots, all of them or none; while the ring is full it does what the {@link
   * RingOptions#backPressure() back-pressure} says.
   *
   * @param count how many, from 1 to the capacity, with a stall limit at most 65,535
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim(int count) throws InterruptedException {
    long sequence = tryClaim(count);
    return sequence == FULL ? claimWhenFull(count) : sequence;
  }

  private long claimWhenFull(int count) throws InterruptedException {
    BackPressure policy = options.backPressure();
    if (policy == BackPressure.DROP_NEWEST) {
      add(dropped, count);
      return FULL;
    }
    if (policy == BackPressure.SIGNAL) {
      CONGESTED.setOpaque(this, true); // opaque: a hint
      add(signalled, count);
      return FULL;
    }
    boolean isTimed = policy == BackPressure.TIMED;
    return awaitClaim(
        count, isTimed ? options.producerWaits().timeLimitNanos() : WaitStrategy.FOREVER);
  }

  /**
   * Claims the next slots, all of them or none, and waits for them no longer than the given time.
   *
   * @param count how many, from 1 to the capacity, with a stall limit at most 65,535
   * @param timeout how long to wait, whatever the back-pressure
   * @param unit the timeout's unit
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim(int count, long timeout, TimeUnit unit) throws InterruptedException {
    Checks.notNull("unit", unit);
    long sequence = tryClaim(count);
    return sequence == FULL ? awaitClaim(count, unit.toNanos(timeout)) : sequence;
  }

  private long awaitClaim(int count, long limitNanos) throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (true) {
        long sequence = tryClaim(count);
        if (sequence != FULL) {
          return sequence;
        }
        step = producers.pause(step, deadline, count);
        if (step == Waiters.TIMED_OUT) {
          add(timedOut, count);
          return FULL;
        }
      }
    } finally {
      producers.leave(step);
    }
  }

  /**
   * Publishes a slot that was claimed alone.
   *
   * @param sequence what the claim returned
   * @return whether consumers will see it: false only if the ring has a stall limit and they passed
   *     over the claim
   * @throws IllegalArgumentException if no claim of one slot is open there
   * @throws IllegalStateException if no claim is open
   */
  public final boolean publish(long sequence) {
    return publish(sequence, 1);
  }

  /**
   * Publishes slots that were claimed together.
   *
   * @param first the first sequence, which the claim returned
   * @param count how many were claimed
   * @return whether consumers will see them: false only if the ring has a stall limit and they
   *     passed over the claim
   * @throws IllegalArgumentException if no claim of so many slots is open there; with many
   *     producers counts from 65,535 on are not told apart, and a wrong one would stop the ring
   * @throws IllegalStateException if no claim is open
   */
  public abstract boolean publish(long first, int count);

  /**
   * Gives back a slot that was claimed alone: no consumer sees it. With many producers it is free
   * again when consumers have come past it.
   *
   * @param sequence what the claim returned
   * @throws IllegalArgumentException if no claim of one slot is open there
   * @throws IllegalStateException if no claim is open
   */
  public final void abort(long sequence) {
    abort(sequence, 1);
  }

  /**
   * Gives back slots that were claimed together.
   *
   * @param first the first sequence, which the claim returned
   * @param count how many were claimed
   * @throws IllegalArgumentException if no claim of so many slots is open there
   * @throws IllegalStateException if no claim is open
   */
  public abstract void abort(long first, int count);

  /** Publishes or aborts the claim that begins at a slot of a ring, or the only one. */
  abstract boolean endAt(long slotOffset, int count, boolean publishes);

  /** Wakes the consumers that park until something is published. */
  final void signalConsumers() {
    for (Waiters waiters : parkedForPublication) {
      waiters.signal();
    }
  }

  // ---- what consumers ask ----

  /** Up to where the first consumers may look; {@link Long#MAX_VALUE} if stamps tell. */
  abstract long reach();

  /** As {@link dev.millrace.core.internal.Claims#ready}, within what upstream is through with. */
  abstract int ready(long sequence, int limit);

  /** Says that published slots hold nothing, before their first consumer releases them. */
  abstract void discard(long first, int count);

  /** Whether nothing comes after a sequence. */
  abstract boolean isEnd(long sequence);

  // ---- end ----

  /**
   * Lets no claim succeed from now on, and wakes all who wait: the producers' last word. Consumers
   * go on to the last event. May be repeated.
   */
  public final void complete() {
    closeToProducers();
    wakeAll();
  }

  abstract void closeToProducers();

  /**
   * Completes, and tells consumers of the end at once, whatever is still to come. May be repeated.
   */
  public final void abandon() {
    ABANDONED.setRelease(this, true); // release A: what the caller did before
    complete();
  }

  /** Whether {@link #abandon} was called. */
  final boolean isAbandoned() {
    return (boolean) ABANDONED.getAcquire(this); // acquire A: sees abandon, hence what was before
  }

  /** Abandons because a consumer cannot go on; the first cause stays. */
  final void fail(Throwable failure) {
    // release B: the object; atomic: the first one stays
    Throwable _ = (Throwable) CAUSE.compareAndExchangeRelease(this, (Throwable) null, failure);
    abandon();
  }

  /** Why {@link #fail} was called, or null. */
  final Throwable failure() {
    return (Throwable) CAUSE.getAcquire(this); // acquire B: sees fail, hence the object
  }

  private void wakeAll() {
    producers.signal();
    groups.forEach(group -> group.waiters.signal());
  }

  /**
   * Whether it is closed to producers.
   *
   * @return whether it was completed, abandoned or closed
   */
  public abstract boolean isClosed();

  /**
   * Abandons, and frees what memory it has of its own. Close when producers and consumers have
   * stopped: who still uses a ring of many producers gets an {@link IllegalStateException}. May be
   * repeated.
   */
  @Override
  public void close() {
    abandon();
  }

  // ---- looks ----

  /**
   * How many slots there are.
   *
   * @return the capacity
   */
  public final int capacity() {
    return options.capacity();
  }

  /**
   * Up to where slots are claimed.
   *
   * @return the sequence to be claimed next, as seen
   */
  public abstract long claimedEnd();

  /**
   * Up to where all claims have ended, be they published, aborted or given up. With many producers
   * it looks at each slot from the slowest consumer on.
   *
   * @return the sequence behind the highest published one without an open claim before it
   */
  public abstract long publishedEnd();

  /**
   * How many slots are free.
   *
   * @return the number, as seen; the capacity before there is a barrier
   */
  public final int remainingCapacity() {
    if (gates.length == 0) {
      return capacity();
    }
    long slowest = Gate.slowest(gates);
    return (int) Math.clamp(slowest + capacity() - claimedEnd(), 0L, capacity());
  }

  /** Up to where the slowest of the last consumers is; 0 before there is one. */
  final long slowest() {
    return gates.length == 0 ? 0 : Gate.slowest(gates);
  }

  /**
   * Whether a claim was refused with {@link BackPressure#SIGNAL}, and half of the ring was not free
   * since, as far as anybody has looked.
   *
   * @return whether producers should slow down
   */
  public final boolean isCongested() {
    if (!(boolean) CONGESTED.getOpaque(this)) { // opaque: a hint
      return false;
    }
    if (remainingCapacity() >= capacity() / 2) {
      CONGESTED.setOpaque(this, false); // opaque: a hint
      return false;
    }
    return true;
  }

  /**
   * What back-pressure and stalled producers have cost so far.
   *
   * @return the counts, each of some moment of the call
   */
  public final Counters counters() {
    return counters(
        dropped.getOpaque(), timedOut.getOpaque(), signalled.getOpaque()); // opaque: counts
  }

  abstract Counters counters(long dropped, long timedOut, long signalled);

  /**
   * Counts of slots.
   *
   * @param claimed slots that were claimed
   * @param aborted slots that were given back; 0 with one producer, which gives back the last ones
   * @param dropped slots that {@link BackPressure#DROP_NEWEST} refused
   * @param timedOut slots that a claim with a time limit did not get
   * @param signalled slots that {@link BackPressure#SIGNAL} refused
   * @param refused slots whose publish or abort came after the claim had been given up
   * @param stalled slots that were given up because their claims were open for too long
   * @param outOfUse slots that are out of use now, because their producer may still write there
   * @since 0.1.0
   */
  public record Counters(
      long claimed,
      long aborted,
      long dropped,
      long timedOut,
      long signalled,
      long refused,
      long stalled,
      int outOfUse) {
    /** What came after other counts; what is out of use is so now. */
    Counters since(Counters before) {
      return new Counters(
          claimed - before.claimed,
          aborted - before.aborted,
          dropped - before.dropped,
          timedOut - before.timedOut,
          signalled - before.signalled,
          refused - before.refused,
          stalled - before.stalled,
          outOfUse);
    }
  }

  private static void add(Sequence count, long number) {
    count.getAndAddAcquire(number); // atomic: a count
  }

  /** Returns who produces, capacity, how far claims and the slowest consumer are, and the state. */
  @Override
  public final String toString() {
    return "Sequencer["
        + (options.manyProducers() ? "many producers" : "one producer")
        + ", capacity="
        + capacity()
        + ", claimed="
        + claimedEnd()
        + ", consumed="
        + slowest()
        + (isAbandoned() ? ", abandoned]" : isClosed() ? ", closed]" : ", open]");
  }

  private static final VarHandle CONGESTED = field("congested", boolean.class);
  private static final VarHandle ABANDONED = field("abandoned", boolean.class);
  private static final VarHandle CAUSE = field("cause", Throwable.class);

  private static VarHandle field(String name, Class<?> type) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, Sequencer.class, type)
        .withInvokeExactBehavior();
  }
}
