package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Gate;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.SharedClaims;
import dev.millrace.core.internal.ring.StallWatch;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.disruptor.ConsumerGraph.Group;
import dev.millrace.disruptor.internal.SampledTimes;
import dev.millrace.disruptor.internal.SequencerAccess;
import dev.millrace.flyweight.internal.Checks;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/**
 * Numbers the events of a ring: hands out free slots to producers, reports published ones to
 * consumers, and holds producers back behind the slowest consumer. The slots themselves belong to
 * the ring: a {@link RecordRing}, an {@link ObjectRing}, or arrays of your own, indexed by {@code
 * sequence & (capacity - 1)}. A claim of several sequences is all-or-nothing and may wrap around
 * the end of the ring.
 *
 * {@snippet file="Examples.java" region="sequencer"}
 *
 * <p><b>Roles.</b> With {@link RingOptions#singleProducer} one thread at a time claims, commits and
 * aborts, with one claim open at a time; otherwise any thread may, with any number of claims open.
 * Each consumer has its own {@link SequenceConsumer}. Create all of them before the first claim,
 * and make sure that their creation happens before anything other threads do with the sequencer.
 * Any thread may complete, close and query it.
 *
 * <p><b>Progress.</b> Claims are wait-free with one producer and lock-free with many; commit and
 * abort are wait-free. A producer that stops between claim and commit holds back all later events,
 * unless the ring has a stall limit.
 *
 * <p><b>Ordering.</b> What a producer did before commit happens before a consumer's return from the
 * poll of that sequence; what consumers did before release happens before the claim that gets the
 * slot again. Sequences are handed out from 0 without gaps, and events become visible in that
 * order.
 *
 * <p><b>Failure.</b> Full and closed are values. After {@link #complete()} no claim succeeds, and
 * waiting producers wake up; consumers get the remaining events and then see the end. This is
 * exact, whichever thread completes: each earlier claim may still be committed, and no consumer
 * sees the end before its events.
 *
 * <p><b>Cost.</b> O(1) per claim, whatever its length, plus one read per consumer when the ring
 * seems full; a commit is one store, or with many producers one store per event. Nothing is
 * allocated after construction, except a small object when more producers sleep or park at once
 * than ever before. With many producers each slot has a stamp of 8 bytes off the heap.
 *
 * <p><b>Source.</b> Thompson, Farley, Barker, Gee, Stewart, <a
 * href="https://lmax-exchange.github.io/disruptor/disruptor.html">Disruptor</a> (2011). Departures:
 * stamps next to the events instead of a second ring of flags, claims that can be tried, timed,
 * aborted and given up, and a wait strategy on both sides.
 *
 * @since 0.1.0
 */
public abstract sealed class Sequencer implements Measured, AutoCloseable
    permits SingleProducerSequencer, MultiProducerSequencer {
  /*
   * A  CAUSE.compareAndExchangeRelease        ->  CAUSE.getAcquire in failure   the failure's object
   *    in fail
   *
   * B  life.complete in complete              ->  life.isCompleted in        what is claimed is
   *                                                 isEndKnown                 final
   *
   * What was done before stop is ordered by the life's drained state.
   */

  /** Returned instead of a sequence: no slot is free, or none became free in time. */
  public static final int FULL = Ring.NONE;

  /** Returned instead of a sequence: completed or closed. */
  public static final int CLOSED = Ring.CLOSED;

  private static final Metrics<Sequencer> METRICS =
      Metrics.<Sequencer>none()
          .counter(
              "claimed", // one producer's aborts undo its claims; it never stalls
              one -> one.claims == null ? one.claimedEnd() : one.claims.claimedCount())
          .counter("published", Sequencer::publishedEnd)
          .counter("aborted", one -> one.ofClaims(SharedClaims::abortedCount))
          .counter("stalled", one -> one.ofClaims(SharedClaims::stalledCount))
          .counter("refused", one -> one.ofClaims(SharedClaims::refusedCount))
          .counter("dropped", one -> one.dropped.getOpaque()) // opaque: a count
          .counter("signalled", one -> one.signalled.getOpaque()) // opaque: a count
          .gauge("freeSlots", Sequencer::remainingCapacity)
          .gauge("outOfUse", one -> one.ofClaims(SharedClaims::outOfUseCount));

  final RingOptions options;

  /**
   * The capacity minus 1 if runs end at the end of the ring; else a number that no sequence
   * reaches.
   */
  final long runMask;

  final Waiters producers;

  /** Distinguishes events from slots without one; null if every published slot holds an event. */
  final SharedClaims claims;

  private final ConsumerGraph graph = new ConsumerGraph();
  private Sequence[] gates = {}; // of the graph
  private Waiters[] parkedForPublication; // of the graph; null until there is a consumer

  private BooleanSupplier isCalledByHandler = () -> false;

  private SampledTimes times; // null unless a pipeline measures latencies

  private final Sequence dropped = new Sequence();
  private final Sequence signalled = new Sequence();

  private final Sequence congested = new Sequence(); // 1 while congested

  @SuppressWarnings("unused") // through CAUSE
  private Throwable cause;

  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory; // freed by close; null if there is none

  Sequencer(RingOptions options, boolean isContiguous, NativeMemory memory, SharedClaims claims) {
    this.options = options;
    this.runMask = isContiguous ? options.capacity() - 1L : Long.MAX_VALUE >>> 1;
    this.memory = memory;
    this.claims = claims;
    this.producers =
        new Waiters(options.producerWaits(), !options.manyProducers(), WaitStrategy.FOREVER);
  }

  /**
   * Makes a sequencer without a ring, for slots of your own.
   *
   * @param options the capacity, the number of producers, and what happens when the ring is full
   * @return the sequencer
   * @throws IllegalArgumentException if the options contradict each other
   */
  public static Sequencer of(RingOptions options) {
    return of(Checks.notNull("options", options), false, null, null);
  }

  /**
   * The same for a ring.
   *
   * @param isContiguous whether a consumer's runs end at the end of the ring
   * @param slots the slots, with room for stamps; null if they are not in native memory
   * @param memory of the slots, freed when the sequencer is closed; null likewise
   */
  static Sequencer of(RingOptions options, boolean isContiguous, Ring slots, NativeMemory memory) {
    options.check();
    if (!options.manyProducers()) {
      return new SingleProducerSequencer(options, isContiguous, memory);
    }
    if (slots != null) {
      Stamps stamps = Stamps.of(slots.memory(), slots.strideBytes(), options.capacity());
      return new MultiProducerSequencer(options, isContiguous, stamps, memory);
    }
    NativeMemory own = NativeMemory.allocate(options.capacity() * Ring.STAMP_BYTES);
    Stamps stamps = Stamps.of(own.segment(), Ring.STAMP_BYTES, options.capacity());
    return new MultiProducerSequencer(options, isContiguous, stamps, own);
  }

  // ---- consumers ----

  /**
   * Makes a consumer that sees every event, directly after the producers or after other consumers.
   * Producers wait for it as long as no other consumer comes after it.
   *
   * @param strategy how it waits
   * @param upstream the consumers that must release an event before this one gets it; none to come
   *     directly after the producers
   * @return the consumer
   * @throws IllegalArgumentException if an upstream consumer belongs to another sequencer
   * @throws IllegalStateException if a slot was already claimed
   */
  public final SequenceConsumer newConsumer(WaitStrategy strategy, SequenceConsumer... upstream) {
    Group group = new Group(groupsOf(upstream), waiters(strategy, true), new Sequence());
    group.members.add(new SoleConsumer(this, group));
    add(group);
    return group.members.getFirst();
  }

  /**
   * Makes consumers that share the work: each event goes to one of them, whichever is free.
   *
   * @param workers how many, at least 1
   * @param strategy how they wait
   * @param upstream the consumers that must release an event before this one gets it; none to come
   *     directly after the producers
   * @return a consumer for each worker; as upstream, one of them stands for all
   * @throws IllegalArgumentException if there is no worker, or an upstream consumer belongs to
   *     another sequencer
   * @throws IllegalStateException if a slot was already claimed
   */
  public final List<SequenceConsumer> newSharedConsumers(
      int workers, WaitStrategy strategy, SequenceConsumer... upstream) {
    Checks.inRange("workers", workers, 1, Integer.MAX_VALUE);
    Group group =
        new Group(
            groupsOf(upstream),
            waiters(strategy, workers == 1),
            SharedConsumer.progressOf(workers));
    for (int worker = 0; worker < workers; worker++) {
      group.members.add(new SharedConsumer(this, group, worker));
    }
    add(group);
    return List.copyOf(group.members);
  }

  private Waiters waiters(WaitStrategy strategy, boolean exclusive) {
    long rest = StallWatch.lookNanos(options.stallNanos());
    return new Waiters(Checks.notNull("strategy", strategy), exclusive, rest);
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  private Set<Group> groupsOf(SequenceConsumer... upstream) {
    if (claimedEnd() != 0) {
      throw new IllegalStateException("consumers must be made before the first claim: " + this);
    }
    Set<Group> before = new LinkedHashSet<>();
    for (SequenceConsumer one : upstream) {
      if (one.sequencer != this) {
        throw new IllegalArgumentException("upstream must be of this sequencer: " + one);
      }
      before.add(one.group);
    }
    return before;
  }

  /** Adds a group; from now on producers wait for it, or for those behind it. */
  private void add(Group group) {
    graph.add(group, producers);
    gates = graph.last();
    gateOn(gates);
    parkedForPublication = graph.parkedForPublication();
  }

  /** Whether there is a consumer. */
  final boolean hasConsumers() {
    return graph.hasConsumers();
  }

  /** Sets the sequences that hold back producers. */
  abstract void gateOn(Sequence... sequences);

  // ---- producers ----

  /**
   * Claims the next slot, if it is free.
   *
   * @return its sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException if there is no consumer yet, if the only producer already has an
   *     open claim, or if stalled producers hold all slots
   */
  public final long tryClaim() {
    return tryClaim(1);
  }

  /**
   * Claims the next slots: all of them or none.
   *
   * @param count how many, from 1 to the capacity; with a stall limit at most 65,535
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException as {@link #tryClaim()}
   */
  public abstract long tryClaim(int count);

  /**
   * Claims the next slot. While the ring is full, {@link RingOptions#onFull()} determines what
   * happens.
   *
   * @return its sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim() throws InterruptedException {
    return claim(1);
  }

  /**
   * Claims the next slots, all of them or none. While the ring is full, {@link
   * RingOptions#onFull()} determines what happens.
   *
   * @param count how many, from 1 to the capacity; with a stall limit at most 65,535
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim(int count) throws InterruptedException {
    long sequence = tryClaim(count);
    if (sequence != FULL || tryRefuse(count)) {
      return sequence;
    }
    checkMayWait(count);
    return awaitClaim(count, WaitStrategy.FOREVER);
  }

  /** Refuses a claim that finds no room, if the options say so, and counts it. */
  final boolean tryRefuse(int count) {
    boolean isSignalled = options.onFull() == OnFull.SIGNAL;
    if (!isSignalled && options.onFull() != OnFull.DROP_NEWEST) {
      return false;
    }
    if (isSignalled) {
      congested.setOpaque(1); // opaque: a hint
    }
    Sequence refusals = isSignalled ? signalled : dropped;
    refusals.getAndAddPlain(count); // atomic: a count
    return true;
  }

  /** Sets whose waits for room are refused, because they might wait for themselves. */
  final void refuseWaitsIf(BooleanSupplier condition) {
    isCalledByHandler = condition;
  }

  /** Throws if a claim of that many slots would wait for its own thread. */
  final void checkMayWait(int count) {
    if (isCalledByHandler.getAsBoolean()
        || graph.isHeldByCaller(claimedEnd() + count - capacity())) {
      throw new IllegalStateException(
          "a handler cannot wait for room in its own ring, because it would wait for itself:"
              + " use tryPublish or tryClaim, "
              + this);
    }
  }

  /**
   * Claims the next slots, all of them or none; waits while full, up to a time limit.
   *
   * @param count how many, from 1 to the capacity; with a stall limit at most 65,535
   * @param timeout how long to wait, whatever the options say; zero or less tries once
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim(int count, Duration timeout) throws InterruptedException {
    long nanos = Checks.nanos("timeout", timeout);
    long sequence = tryClaim(count);
    return sequence == FULL ? awaitClaim(count, nanos) : sequence;
  }

  final long awaitClaim(int count, long limitNanos) throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    WaitPlace place = null;
    long step = 0;
    try {
      while (true) {
        long sequence = tryClaim(count);
        if (sequence != FULL) {
          return sequence;
        }
        place = producers.placeAt(step, place);
        step = producers.pause(place, step, deadline, count);
        if (step == Waiters.TIMED_OUT) {
          return FULL;
        }
      }
    } finally {
      producers.leave(place, step);
    }
  }

  /**
   * Publishes a slot that was claimed alone.
   *
   * @param sequence what the claim returned
   * @throws IllegalArgumentException if no claim of one slot is open at that sequence
   * @throws IllegalStateException if no claim is open, or it was given up because it was open for
   *     longer than the stall limit; then the event is lost, and the claim has ended
   */
  public final void commit(long sequence) {
    commit(sequence, 1);
  }

  /**
   * Publishes slots that were claimed together.
   *
   * @param first the first sequence, which the claim returned
   * @param count how many were claimed
   * @throws IllegalArgumentException if no claim of that many slots is open at that sequence; with
   *     many producers, counts of 65,535 and more are not distinguished, and a wrong one would stop
   *     the ring
   * @throws IllegalStateException if no claim is open, or it was given up because it was open for
   *     longer than the stall limit; then the events are lost, and the claim has ended
   */
  public abstract void commit(long first, int count);

  /** Returns the exception for a commit that published nothing. */
  final IllegalStateException lost() {
    return new IllegalStateException(
        isStopped()
            ? "closed, so the events are lost: " + this
            : "claim was given up, because it was open for longer than the stall limit: " + this);
  }

  /**
   * Gives back a slot that was claimed alone: no consumer sees it. With many producers it is free
   * again once consumers have passed it.
   *
   * @param sequence what the claim returned
   * @throws IllegalArgumentException if no claim of one slot is open at that sequence
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
   * @throws IllegalArgumentException if no claim of that many slots is open at that sequence
   * @throws IllegalStateException if no claim is open
   */
  public abstract void abort(long first, int count);

  /** Starts recording publication times; called before the first claim. */
  final void noteTimes(SampledTimes sampled) {
    times = sampled;
  }

  /** If latencies are measured, records the time of events that are about to be published. */
  final void noteTime(long first, long end) {
    if (times != null) {
      times.note(first, end);
    }
  }

  /** Wakes the consumers that park until something is published. */
  final void signalConsumers() {
    for (Waiters waiters : parkedForPublication) {
      waiters.signal();
    }
  }

  // ---- for consumers ----

  /** Up to where the first consumers may read; {@link Long#MAX_VALUE} if stamps decide. */
  abstract long reach();

  /** Whether no event will come at a sequence or after it. */
  abstract boolean isEnd(long sequence);

  // ---- end ----

  /**
   * Closes the sequencer to producers: no claim succeeds from now on. Wakes all waiting threads.
   * Consumers still get all remaining events. May be called repeatedly. With one producer it takes
   * tens of microseconds, or hundreds with a thousand threads, because each of them executes a
   * fence for it; on a JVM that is not derived from HotSpot, each claim does.
   */
  public final void complete() {
    closeToProducers();
    life.complete(); // release B: what is claimed, which is final
    wakeAll();
  }

  /** Wakes all waiting threads: the end is known, or nearer than it seemed. */
  final void wakeAll() {
    producers.signal();
    graph.signalAll();
  }

  abstract void closeToProducers();

  /** Completes, and ends consumers at once even if events remain. */
  final void stop() {
    life.complete(); // drain needs it; claims still succeed, but consumers find the end anyway
    // before claims fail, so that a producer whose claim is refused finds the end; orders what was
    // done before
    life.drain();
    complete();
  }

  /** Whether no claim succeeds any more, and what was claimed is final, for one producer. */
  final boolean isEndKnown() {
    return life.isCompleted(); // acquire B: what is claimed is final
  }

  /** Whether {@link #stop} was called. */
  final boolean isStopped() {
    return life.isDrained();
  }

  /** Stops because a consumer failed; the first cause is kept. */
  final void fail(Throwable failure) {
    // release A: the object; atomic: the first one is kept
    Throwable _ = (Throwable) CAUSE.compareAndExchangeRelease(this, (Throwable) null, failure);
    stop();
  }

  /** Why {@link #fail} was called, or null. */
  final Throwable failure() {
    return (Throwable) CAUSE.getAcquire(this); // acquire A: the object
  }

  /**
   * Whether producers have completed, or it is closed.
   *
   * @return whether no claim succeeds any more
   */
  public abstract boolean isCompleted();

  /**
   * Whether no more events will come: it is completed, no claim is open, and the last consumers
   * have released or passed all slots; or it is closed. What they did before happens before this
   * returns true.
   *
   * @return whether both sides can stop
   */
  public final boolean isDrained() {
    return isStopped() || isEnd(slowest()); // acquire: Gate.slowest does
  }

  /**
   * Waits until it is drained; does not complete it.
   *
   * @param timeout how long to wait
   * @return whether it is drained
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean awaitDrained(Duration timeout) throws InterruptedException {
    return Waiters.awaitUnsignalled(this::isDrained, Checks.nanos("timeout", timeout));
  }

  /**
   * Completes, ends consumers at once even if events remain, wakes all waiting threads, and frees
   * its memory and that of its ring. May be called repeatedly.
   *
   * <p>Stop both sides first: after {@link #awaitDrained} they have stopped. A thread that is still
   * at work may get an {@link IllegalStateException}, and if its memory access was cut short, the
   * JDK leaves its interrupt status set.
   */
  @Override
  public final void close() {
    close(this);
  }

  /** The same for a ring, whose memory it is. */
  final void close(Object owner) {
    stop();
    if (life.close() && memory != null) {
      memory.close(owner);
    }
  }

  // ---- queries ----

  /**
   * How many slots there are.
   *
   * @return the capacity
   */
  public final int capacity() {
    return options.capacity();
  }

  /**
   * The end of the claimed sequences.
   *
   * @return the next sequence to be claimed, as visible to this thread
   */
  public abstract long claimedEnd();

  /**
   * The end of the sequences whose claims have all ended: committed, aborted or given up. With many
   * producers this reads each slot's stamp from the slowest consumer on.
   *
   * @return the sequence after the highest published one without an open claim before it
   */
  public abstract long publishedEnd();

  /**
   * How many slots are free.
   *
   * @return an estimate; the capacity if there is no consumer yet
   */
  public final int remainingCapacity() {
    return (int) Math.clamp(slowest() + capacity() - claimedEnd(), 0L, capacity());
  }

  /** The position of the slowest of the last consumers; 0 if there is none yet. */
  final long slowest() {
    return gates.length == 0 ? 0 : Gate.slowest(gates);
  }

  /**
   * Whether a claim was refused with {@link OnFull#SIGNAL}, and no call of this method since then
   * has found half of the ring free.
   *
   * @return whether producers should slow down
   */
  public final boolean isCongested() {
    if (congested.getOpaque() != 0 && remainingCapacity() >= capacity() / 2) { // opaque: a hint
      congested.setOpaque(0); // opaque: a hint
    }
    return congested.getOpaque() != 0; // opaque: a hint
  }

  @Override
  public final List<String> counters() {
    return METRICS.counters();
  }

  @Override
  public final List<String> gauges() {
    return METRICS.gauges();
  }

  /**
   * {@inheritDoc}
   *
   * <p>With many producers this reads each slot's stamp from the slowest consumer on, to count the
   * published ones; once closed, it reports what was claimed.
   */
  @Override
  public final void readMetrics(long[] values) {
    METRICS.read(this, values);
  }

  private long ofClaims(ToLongFunction<SharedClaims> count) {
    return claims == null ? 0 : count.applyAsLong(claims);
  }

  /**
   * Returns one or many producers, capacity, the positions of claims and of the slowest consumer,
   * and the state.
   */
  @Override
  public final String toString() {
    return "Sequencer[%s, capacity=%d, claimed=%d, consumed=%d, %s]"
        .formatted(
            options.manyProducers() ? "many producers" : "one producer",
            capacity(),
            claimedEnd(),
            slowest(),
            isStopped() ? "closed" : isCompleted() ? "completed" : "open");
  }

  private static final VarHandle CAUSE =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "cause", VarHandle.class, Sequencer.class, Throwable.class)
          .withInvokeExactBehavior();

  static {
    SequencerAccess.SECRET.share(new SequencerSecrets());
  }
}
