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
import org.jspecify.annotations.Nullable;

/**
 * Numbers the events of a ring. A sequencer hands out free slots to producers, reports published
 * slots to consumers, and makes producers wait for the slowest consumer. The slots themselves
 * belong to the ring. The ring may be a {@link RecordRing}, an {@link ObjectRing}, or arrays of
 * your own. In an array of your own, the index of a slot is {@code sequence & (capacity - 1)}. A
 * claim of several sequences is all-or-nothing and may wrap around the end of the ring.
 *
 * {@snippet file="Examples.java" region="sequencer"}
 *
 * <p><b>Roles.</b> With {@link RingOptions#singleProducer}, only one thread at a time may claim,
 * commit and abort, and only one claim may be open at a time. With {@link
 * RingOptions#multiProducer}, any thread may claim, commit and abort, and any number of claims may
 * be open. Each consuming thread uses its own {@link SequenceConsumer}. Create all consumers before
 * the first claim. The creation of the consumers must happen-before everything that other threads
 * do with the sequencer. Any thread may complete, close and query the sequencer.
 *
 * <p><b>Progress.</b> Claims are wait-free with one producer and lock-free with many. Commit and
 * abort are wait-free. In a ring without a stall limit, a producer that stops between claim and
 * commit holds back all later events.
 *
 * <p><b>Ordering.</b> Everything that a producer did before it committed an event happens-before
 * everything that a consumer does after it has polled that event. Everything that consumers did
 * before they released an event happens-before everything that a producer does after it has claimed
 * the event's slot again. Sequences are handed out from 0 without gaps, and events become visible
 * in that order.
 *
 * <p><b>Failure.</b> A claim that fails returns {@link #FULL} or {@link #CLOSED}. After {@link
 * #complete()} no claim succeeds, and waiting producers wake up. Consumers get the remaining events
 * and then see the end. Any thread may call {@code complete}, and completion is exact: producers
 * may still commit the claims that are open, and no consumer sees the end before it has seen the
 * events of those claims.
 *
 * <p><b>Cost.</b> A claim of any length takes O(1) time, plus one read per consumer when the ring
 * seems full. With one producer, a commit takes one store. With many producers, a commit takes one
 * store per event, and each slot has an 8-byte stamp off the heap. After construction, the
 * sequencer allocates only when more producers sleep or park at once than ever before, and then
 * only a small object.
 *
 * <p><b>Source.</b> The design follows Thompson, Farley, Barker, Gee, Stewart, <a
 * href="https://lmax-exchange.github.io/disruptor/disruptor.html">Disruptor</a> (2011). Unlike the
 * Disruptor, a {@link RecordRing} for many producers keeps each stamp next to its record instead of
 * in a separate array. A claim can return at once, wait up to a time limit, be aborted, or be given
 * up. Producers have a wait strategy, as consumers do.
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
   * The life's drained state orders everything done before stop.
   */

  /**
   * A claim returns this value instead of a sequence if too few slots are free or become free in
   * time.
   */
  public static final int FULL = Ring.NONE;

  /** A claim returns this value instead of a sequence if the sequencer is completed or closed. */
  public static final int CLOSED = Ring.CLOSED;

  private static final Metrics<Sequencer> METRICS =
      Metrics.<Sequencer>none()
          .counter(
              "claimed", // a sole producer's aborts undo its claims, and it never stalls
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
   * The capacity minus 1 if runs end at the end of the ring, and otherwise a number that no
   * sequence reaches.
   */
  final long runMask;

  final Waiters producers;

  /**
   * Distinguishes slots with events from slots without. It is null if every published slot holds an
   * event.
   */
  final SharedClaims claims;

  private final ConsumerGraph graph = new ConsumerGraph();
  private Sequence[] gates = {}; // taken from the graph

  @SuppressWarnings("NullAway.Init") // null until there is a consumer
  private Waiters[] parkedForPublication; // taken from the graph

  private BooleanSupplier isCalledByHandler = () -> false;

  private @Nullable SampledTimes times; // null unless a pipeline measures latencies

  private final Sequence dropped = new Sequence();
  private final Sequence signalled = new Sequence();

  private final Sequence congested = new Sequence(); // 1 while congested

  @SuppressWarnings("unused") // through CAUSE
  private @Nullable Throwable cause;

  private final Lifecycle life = new Lifecycle();
  private final @Nullable NativeMemory memory; // freed by close; null if there is none

  Sequencer(
      RingOptions options,
      boolean isContiguous,
      @Nullable NativeMemory memory,
      SharedClaims claims) {
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
   * Makes a sequencer for a ring.
   *
   * @param isContiguous whether a consumer's runs end at the end of the ring
   * @param slots the slots, with room for stamps, or null if they are not in native memory
   * @param memory the memory of the slots, which is freed when the sequencer is closed; null if
   *     {@code slots} is
   */
  static Sequencer of(
      RingOptions options,
      boolean isContiguous,
      @Nullable Ring slots,
      @Nullable NativeMemory memory) {
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
   * Makes a consumer that sees every event. The consumer comes directly after the producers or
   * after other consumers. Producers wait for the consumer, unless another consumer comes after it.
   *
   * @param strategy how the consumer waits
   * @param upstream the consumers that must release an event before the new consumer gets it; none
   *     if it comes directly after the producers
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
   * Makes consumers that share the events. Each event goes to one consumer, whichever is free.
   *
   * @param workers the number of consumers, at least 1
   * @param strategy how the consumers wait
   * @param upstream the consumers that must release an event before a new consumer gets it; none if
   *     the new consumers come directly after the producers
   * @return a consumer for each worker. To place a further consumer after all of these consumers,
   *     pass any one of them as its upstream consumer
   * @throws IllegalArgumentException if {@code workers} is less than 1, or an upstream consumer
   *     belongs to another sequencer
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

  @SuppressWarnings("ReferenceEquality") // identity is meant
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

  /** Adds a group. From now on, producers wait for it or for the groups behind it. */
  private void add(Group group) {
    graph.add(group, producers);
    gates = graph.last();
    gateOn(gates);
    parkedForPublication = graph.parkedForPublication();
  }

  /** Returns whether there is a consumer. */
  final boolean hasConsumers() {
    return graph.hasConsumers();
  }

  /** Sets the sequences that hold back producers. */
  abstract void gateOn(Sequence... sequences);

  // ---- producers ----

  /**
   * Claims the next slot if it is free.
   *
   * @return the slot's sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException if there is no consumer yet, if the only producer already has an
   *     open claim, or if stalled producers hold all slots
   */
  public final long tryClaim() {
    return tryClaim(1);
  }

  /**
   * Claims the next slots, all of them or none.
   *
   * @param count the number of slots, from 1 to the capacity; with a stall limit at most 65,535
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is out of range
   * @throws IllegalStateException as for {@link #tryClaim()}
   */
  public abstract long tryClaim(int count);

  /**
   * Claims the next slot. While the ring is full, {@link RingOptions#onFull()} determines what
   * happens.
   *
   * @return the slot's sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException as for {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim() throws InterruptedException {
    return claim(1);
  }

  /**
   * Claims the next slots, all of them or none. While the ring is full, {@link
   * RingOptions#onFull()} determines what happens.
   *
   * @param count the number of slots, from 1 to the capacity; with a stall limit at most 65,535
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is out of range
   * @throws IllegalStateException as for {@link #tryClaim()}
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

  /** Refuses a claim that finds no room if the options say so, and counts it. */
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

  /**
   * Makes claims throw instead of waiting for room if {@code condition} holds, because the calling
   * thread might wait for itself.
   */
  final void refuseWaitsIf(BooleanSupplier condition) {
    isCalledByHandler = condition;
  }

  /** Throws if a claim of {@code count} slots would wait for its own thread. */
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
   * Claims the next slots, all of them or none. While the ring is full, the call waits up to a time
   * limit.
   *
   * @param count the number of slots, from 1 to the capacity; with a stall limit at most 65,535
   * @param timeout how long to wait, regardless of {@link RingOptions#onFull()}; zero or less tries
   *     once
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is out of range
   * @throws IllegalStateException as for {@link #tryClaim()}
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
   * Publishes a claim of one slot.
   *
   * @param sequence the sequence that the claim returned
   * @throws IllegalArgumentException if no claim of one slot is open at that sequence
   * @throws IllegalStateException if the only producer has no open claim, or if the claim was given
   *     up because it was open for longer than the stall limit. If the claim was given up, its
   *     event is lost, and the claim has ended
   */
  public final void commit(long sequence) {
    commit(sequence, 1);
  }

  /**
   * Publishes a claim of several slots.
   *
   * @param first the first sequence, which the claim returned
   * @param count the number of slots that were claimed
   * @throws IllegalArgumentException if no claim of that many slots is open at that sequence. With
   *     many producers, counts of 65,535 and more are not distinguished, and a wrong count would
   *     block the ring
   * @throws IllegalStateException if the only producer has no open claim, or if the claim was given
   *     up because it was open for longer than the stall limit. If the claim was given up, its
   *     events are lost, and the claim has ended
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
   * Aborts a claim of one slot. No consumer sees that slot. With many producers, the slot is free
   * again once consumers have passed it.
   *
   * @param sequence the sequence that the claim returned
   * @throws IllegalArgumentException if no claim of one slot is open at that sequence
   * @throws IllegalStateException if the only producer has no open claim
   */
  public final void abort(long sequence) {
    abort(sequence, 1);
  }

  /**
   * Aborts a claim of several slots.
   *
   * @param first the first sequence, which the claim returned
   * @param count the number of slots that were claimed
   * @throws IllegalArgumentException if no claim of that many slots is open at that sequence
   * @throws IllegalStateException if the only producer has no open claim
   */
  public abstract void abort(long first, int count);

  /** Starts recording publication times. Called before the first claim. */
  final void noteTimes(SampledTimes sampled) {
    times = sampled;
  }

  /** Records the time of events that are about to be published, if latencies are measured. */
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

  /** Returns how far the first consumers may read, or {@link Long#MAX_VALUE} if stamps decide. */
  abstract long reach();

  /** Returns whether no event will come at {@code sequence} or after it. */
  abstract boolean isEnd(long sequence);

  // ---- end ----

  /**
   * Closes the sequencer to producers and wakes all waiting threads. After the call, no claim
   * succeeds, but consumers still get all remaining events. Repeated calls are allowed. With one
   * producer, the call makes all threads of the process execute a fence. The fence takes tens of
   * microseconds, or hundreds of microseconds in a process with a thousand threads. On a JVM that
   * is not derived from HotSpot, each claim executes a fence instead.
   */
  public final void complete() {
    closeToProducers();
    life.complete(); // release B: what is claimed, which is final
    wakeAll();
  }

  /** Wakes all waiting threads, because the end is known, or nearer than it seemed. */
  final void wakeAll() {
    producers.signal();
    graph.signalAll();
  }

  abstract void closeToProducers();

  /** Completes, and ends consumers at once even if events remain. */
  final void stop() {
    life.complete(); // required by drain; claims still succeed, but consumers find the end anyway
    // before claims fail, so that a producer whose claim fails finds the end; orders what was done
    // before
    life.drain();
    complete();
  }

  /**
   * Returns whether no claim can succeed any more and the set of claims is final. For one producer.
   */
  final boolean isEndKnown() {
    return life.isCompleted(); // acquire B: what is claimed is final
  }

  /** Returns whether {@link #stop} was called. */
  final boolean isStopped() {
    return life.isDrained();
  }

  /** Stops because a consumer failed. Only the first cause is kept. */
  final void fail(Throwable failure) {
    // release A: the object; atomic: the first one is kept
    Throwable _ = (Throwable) CAUSE.compareAndExchangeRelease(this, (Throwable) null, failure);
    stop();
  }

  /** Returns the cause passed to the first {@link #fail}, or null. */
  final @Nullable Throwable failure() {
    return (Throwable) CAUSE.getAcquire(this); // acquire A: the object
  }

  /**
   * Returns whether the sequencer is completed or closed.
   *
   * @return true if no claim can succeed any more
   */
  public abstract boolean isCompleted();

  /**
   * Returns whether no more events will come. A closed sequencer is drained. Any other sequencer is
   * drained once it is completed, no claim is open, and the last consumers have released or passed
   * all slots. Once this method has returned true, the caller sees everything that the last
   * consumers did before they released or passed the slots.
   *
   * @return whether both sides can stop
   */
  public final boolean isDrained() {
    return isStopped() || isEnd(slowest()); // acquire: Gate.slowest does
  }

  /**
   * Waits until the sequencer is drained. This method does not complete the sequencer.
   *
   * @param timeout how long to wait
   * @return false if the timeout passed first
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean awaitDrained(Duration timeout) throws InterruptedException {
    return Waiters.awaitUnsignalled(this::isDrained, Checks.nanos("timeout", timeout));
  }

  /**
   * Completes the sequencer, wakes all waiting threads, and frees the memory of the sequencer and
   * its ring. Consumers see the end at once, even if events remain. Repeated calls are allowed.
   *
   * <p>Stop both sides first, for example with {@link #complete} and {@link #awaitDrained}. A
   * thread that is still working may get an {@link IllegalStateException}. If closing cuts short a
   * memory access of that thread, the JDK leaves the thread's interrupt status set.
   */
  @Override
  public final void close() {
    close(this);
  }

  /** Closes the sequencer of the ring {@code owner}, which owns the memory. */
  final void close(Object owner) {
    stop();
    if (life.close() && memory != null) {
      memory.close(owner);
    }
  }

  // ---- queries ----

  /**
   * Returns how many slots there are.
   *
   * @return the capacity
   */
  public final int capacity() {
    return options.capacity();
  }

  /**
   * Returns the end of the claimed sequences.
   *
   * @return the next sequence to be claimed, as visible to the calling thread
   */
  public abstract long claimedEnd();

  /**
   * Returns the end of the sequences whose claims have all been committed, aborted or given up.
   * With many producers, the call reads the stamp of each slot, starting at the slowest consumer.
   *
   * @return the first sequence that is unclaimed or whose claim is still open
   */
  public abstract long publishedEnd();

  /**
   * Returns how many slots are free.
   *
   * @return an estimate, or the capacity if there is no consumer yet
   */
  public final int remainingCapacity() {
    return (int) Math.clamp(slowest() + capacity() - claimedEnd(), 0L, capacity());
  }

  /**
   * Returns the position of the slowest of the last consumers, or 0 if there is no consumer yet.
   */
  final long slowest() {
    return gates.length == 0 ? 0 : Gate.slowest(gates);
  }

  /**
   * Returns whether the ring is congested. The ring becomes congested when {@link OnFull#SIGNAL}
   * makes a claim fail. The ring stays congested until a call to this method finds at least half of
   * the slots free.
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
   * <p>With many producers, the call counts the published slots by reading the stamp of each slot,
   * starting at the slowest consumer. Once the sequencer is closed, the call reports all claimed
   * slots as published.
   */
  @Override
  public final void readMetrics(long[] values) {
    METRICS.read(this, values);
  }

  private long ofClaims(ToLongFunction<SharedClaims> count) {
    return claims == null ? 0 : count.applyAsLong(claims);
  }

  /**
   * Returns whether there is one producer or many, the capacity, the positions of claims and of the
   * slowest consumer, and the state.
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
