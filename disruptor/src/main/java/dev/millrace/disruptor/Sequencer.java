package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.StallWatch;
import dev.millrace.core.internal.Stamps;
import dev.millrace.core.internal.Waiters;
import dev.millrace.disruptor.SequenceConsumer.Group;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Numbers the events of a ring: hands out free slots to producers, tells consumers what is
 * published, and holds producers back behind the slowest consumer. What is in the slots is the
 * ring's: {@link RecordRing}, {@link ObjectRing}, or arrays of your own, by {@code sequence &
 * (capacity - 1)}. A claim of several sequences gets all of them or none, and they may lie on both
 * sides of the ring's end.
 *
 * <pre>{@code
 * Sequencer sequencer = Sequencer.of(RingOptions.multiProducer(1024));
 * SequenceConsumer consumer = sequencer.newConsumer(WaitStrategy.yielding());
 *
 * long sequence = sequencer.claim();                 // a producer
 * if (sequence >= 0) {
 *   prices[(int) sequence & 1023] = price;
 *   sequencer.commit(sequence);
 * }
 *
 * int count;                                         // the consumer
 * while ((count = consumer.poll(256)) > 0) {
 *   for (int i = 0; i < count; i++) {
 *     handle(prices[(int) (consumer.sequence() + i) & 1023]);
 *   }
 *   consumer.release();
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> With {@link RingOptions#singleProducer} one thread at a time claims, commits and
 * aborts, one claim at a time; otherwise any thread does, with any number of claims open. Consumers
 * have a {@link SequenceConsumer} each. All of them are made before the first claim, by a thread
 * whose making of them happens before what the others do. Any thread completes, closes and looks.
 *
 * <p><b>Progress.</b> Without other producers a claim is wait-free, with others lock-free; commit
 * and abort are wait-free. A producer that stops between claim and commit keeps consumers from all
 * later events, unless the ring has a stall limit.
 *
 * <p><b>Ordering.</b> What a producer did before commit happens before a consumer's return of that
 * sequence; what consumers did before release happens before the claim that gets the slot again.
 * Sequences are handed out from 0 without a gap, and events become visible in their order.
 *
 * <p><b>Failure.</b> Full and closed are values. {@link #complete()} lets no claim succeed from now
 * on and wakes producers that wait; consumers go on to the last event and are told of the end. With
 * many producers that is exact, whichever thread completes: each claim before it may still be
 * committed. With one producer let it complete itself, or complete after its last call: of events
 * whose claim is open then, some consumers may be told of the end before them.
 *
 * <p><b>Cost.</b> O(1) per claim, whatever its length, plus a look at each consumer when the ring
 * seems full; a commit is one store, with many producers one for each event. Nothing is allocated
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
public abstract sealed class Sequencer implements Measured, AutoCloseable
    permits SingleProducerSequencer, MultiProducerSequencer {
  /*
   * A  CAUSE.compareAndExchangeRelease        ->  CAUSE.getAcquire in failure   the failure's object
   *    in fail
   *
   * What was done before stop is ordered by the life: it is noted there as drained.
   */

  /** Returned instead of a sequence: no slot is free, or none got free in time. */
  public static final int FULL = GatedClaims.FULL;

  /** Returned instead of a sequence: completed or closed. */
  public static final int CLOSED = GatedClaims.CLOSED;

  private static final WaitStrategy DRAIN_CHECKS = new WaitStrategy(0, 0, 100_000);
  private static final List<String> COUNTERS =
      List.of("published", "dropped", "signalled", "stalled", "claimed", "aborted", "refused");
  private static final List<String> GAUGES = List.of("freeSlots", "outOfUse");

  final RingOptions options;

  /** The capacity less 1 where runs end with the ring; else a number that no sequence reaches. */
  final long runMask;

  final Waiters producers;

  /** Tells events from slots that hold none; null where all that is published is an event. */
  final Claims claims;

  private final List<Group> groups = new ArrayList<>();
  private Sequence[] gates = {};
  private Waiters[] parkedForPublication; // none before there is a consumer

  private SampledTimes times; // null unless a pipeline measures latencies

  private final Sequence dropped = new Sequence();
  private final Sequence signalled = new Sequence();

  private final Sequence congested = new Sequence(); // 1 while it is

  @SuppressWarnings("unused") // through CAUSE
  private Throwable cause;

  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory; // freed in the end; null if there is none

  Sequencer(RingOptions options, boolean isContiguous, NativeMemory memory, Claims claims) {
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
   * @param options the capacity, who produces, and what happens when it is full
   * @return the sequencer
   * @throws IllegalArgumentException if the options contradict each other
   */
  public static Sequencer of(RingOptions options) {
    return of(Checks.notNull("options", options), false, null, null);
  }

  /**
   * The same for a ring.
   *
   * @param isContiguous whether a consumer's runs end with the ring
   * @param slots where stamps have their place; null if slots are not in native memory
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
   * Makes a consumer: one that sees every event, behind the producers, or behind other consumers.
   * Producers wait for it while nobody is behind it.
   *
   * @param strategy how it waits
   * @param upstream the consumers that must be through with an event before; none for the first
   * @return the consumer
   * @throws IllegalArgumentException if one upstream is of another sequencer
   * @throws IllegalStateException if something was claimed already
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
   * @param upstream the consumers that must be through with an event before; none for the first
   * @return a consumer for each worker; behind one of them is behind all
   * @throws IllegalArgumentException if there is no worker, or one upstream is of another sequencer
   * @throws IllegalStateException if something was claimed already
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

  /** Adds a group, and sets anew whose sequences hold back producers, and who wakes whom. */
  private void add(Group group) {
    groups.add(group);
    List<Group> last = groups.stream().filter(one -> followersOf(one).isEmpty()).toList();
    gates = Group.progressOf(last);
    gateOn(gates);
    List<Group> first = groups.stream().filter(one -> one.upstream.isEmpty()).toList();
    parkedForPublication = parking(waitersOf(first));
    for (Group one : groups) {
      List<Group> followers = followersOf(one);
      one.parkedBehind = parking(followers.isEmpty() ? Stream.of(producers) : waitersOf(followers));
    }
  }

  private List<Group> followersOf(Group group) {
    return groups.stream().filter(one -> one.upstream.contains(group)).toList();
  }

  private static Stream<Waiters> waitersOf(List<Group> some) {
    return some.stream().map(group -> group.waiters);
  }

  private static Waiters[] parking(Stream<Waiters> some) {
    return some.filter(Waiters::needSignals).toArray(Waiters[]::new);
  }

  /** Whether there is a consumer. */
  final boolean hasConsumers() {
    return !groups.isEmpty();
  }

  /** Sets the sequences that hold back producers. */
  abstract void gateOn(Sequence... sequences);

  // ---- producers ----

  /**
   * Claims the next slot, if it is free.
   *
   * @return its sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException if there is no consumer yet, if one producer has a claim open, or
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
   * Claims the next slot; while the ring is full it does what {@link RingOptions#onFull()} says.
   *
   * @return its sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim() throws InterruptedException {
    return claim(1);
  }

  /**
   * Claims the next slots, all of them or none; while the ring is full it does what {@link
   * RingOptions#onFull()} says.
   *
   * @param count how many, from 1 to the capacity, with a stall limit at most 65,535
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException as {@link #tryClaim()}
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final long claim(int count) throws InterruptedException {
    long sequence = tryClaim(count);
    return sequence == FULL && !refuses(count) ? awaitClaim(count, WaitStrategy.FOREVER) : sequence;
  }

  /** Whether a claim that finds no room is refused at once; if so, counts it. */
  final boolean refuses(int count) {
    boolean isSignalled = options.onFull() == OnFull.SIGNAL;
    if (!isSignalled && options.onFull() != OnFull.DROP_NEWEST) {
      return false;
    }
    if (isSignalled) {
      congested.setOpaque(1); // opaque: a hint
    }
    Sequence refusals = isSignalled ? signalled : dropped;
    refusals.getAndAddAcquire(count); // atomic: a count
    return true;
  }

  /**
   * Claims the next slots, all of them or none, and waits for them, but not for ever.
   *
   * @param count how many, from 1 to the capacity, with a stall limit at most 65,535
   * @param timeout how long to wait, whatever the options say; zero and less to try once
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
    long step = 0;
    try {
      while (true) {
        long sequence = tryClaim(count);
        if (sequence != FULL) {
          return sequence;
        }
        step = producers.pause(step, deadline, count);
        if (step == Waiters.TIMED_OUT) {
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
   * @throws IllegalArgumentException if no claim of one slot is open there
   * @throws IllegalStateException if no claim is open, or it was given up since it was open for
   *     longer than the stall limit; then the event is lost, and the claim is over
   */
  public final void commit(long sequence) {
    commit(sequence, 1);
  }

  /**
   * Publishes slots that were claimed together.
   *
   * @param first the first sequence, which the claim returned
   * @param count how many were claimed
   * @throws IllegalArgumentException if no claim of so many slots is open there; with many
   *     producers counts from 65,535 on are not told apart, and a wrong one would stop the ring
   * @throws IllegalStateException if no claim is open, or it was given up since it was open for
   *     longer than the stall limit; then the events are lost, and the claim is over
   */
  public abstract void commit(long first, int count);

  /** For a commit of what was given up. */
  final IllegalStateException givenUp() {
    return new IllegalStateException(
        "claim must be committed within the stall limit: it was given up, " + this);
  }

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

  /** Has the times of publications noted, before the first claim. */
  final void noteTimes(SampledTimes sampled) {
    times = sampled;
  }

  /** Notes the time, if that is wanted, of events that are about to be published. */
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

  // ---- what consumers ask ----

  /** Up to where the first consumers may look; {@link Long#MAX_VALUE} if stamps tell. */
  abstract long reach();

  /** Whether nothing comes after a sequence. */
  abstract boolean isEnd(long sequence);

  // ---- end ----

  /**
   * Lets no claim succeed from now on, and wakes all who wait: the producers' last word. Consumers
   * go on to the last event. May be repeated.
   */
  public final void complete() {
    closeToProducers();
    producers.signal();
    groups.forEach(group -> group.waiters.signal());
  }

  abstract void closeToProducers();

  /** Completes, and tells consumers of the end at once, whatever is still to come. */
  final void stop() {
    life.complete();
    life.drain(); // also orders what the caller did before
    complete();
  }

  /** Whether {@link #stop} was called. */
  final boolean isStopped() {
    return life.isDrained();
  }

  /** Stops because a consumer cannot go on; the first cause stays. */
  final void fail(Throwable failure) {
    // release A: the object; atomic: the first one stays
    Throwable _ = (Throwable) CAUSE.compareAndExchangeRelease(this, (Throwable) null, failure);
    stop();
  }

  /** Why {@link #fail} was called, or null. */
  final Throwable failure() {
    return (Throwable) CAUSE.getAcquire(this); // acquire A: sees fail, hence the object
  }

  /**
   * Whether producers have completed, or it is closed.
   *
   * @return whether no claim succeeds any more
   */
  public abstract boolean isCompleted();

  /**
   * Whether nothing more will come: it is completed, no claim is open, and the last consumers have
   * released or passed all slots; or it is closed. What they did before happens before this returns
   * true.
   *
   * @return whether both sides can stop
   */
  public final boolean isDrained() {
    // acquire: Gate.slowest does; only completed are the ends of claims final
    return isStopped() || (isCompleted() && slowest() >= claimedEnd());
  }

  /**
   * Waits until it is drained; completes nothing itself.
   *
   * @param timeout how long to wait
   * @return whether it is drained
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  public final boolean awaitDrained(Duration timeout) throws InterruptedException {
    return new Waiters(DRAIN_CHECKS, true, WaitStrategy.FOREVER)
        .await(this::isDrained, Checks.nanos("timeout", timeout));
  }

  /**
   * Closes: completes, tells consumers of the end at once, whatever is still to come, wakes whoever
   * waits, and frees its memory and that of its ring. May be repeated.
   *
   * <p>Let both sides stop before: after {@link #awaitDrained} they have. Of many producers a
   * thread that is still at work may get an {@link IllegalStateException}; and where its access to
   * the memory was cut short, the JDK has set its interrupt status.
   */
  @Override
  public final void close() {
    stop();
    if (life.close() && memory != null) {
      memory.close();
    }
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
   * Up to where all claims have ended, be they committed, aborted or given up. With many producers
   * it looks at each slot from the slowest consumer on.
   *
   * @return the sequence behind the highest published one without an open claim before it
   */
  public abstract long publishedEnd();

  /**
   * How many slots are free.
   *
   * @return the number, as seen; the capacity before there is a consumer
   */
  public final int remainingCapacity() {
    return (int) Math.clamp(slowest() + capacity() - claimedEnd(), 0L, capacity());
  }

  /** Up to where the slowest of the last consumers is; 0 before there is one. */
  final long slowest() {
    return gates.length == 0 ? 0 : Gate.slowest(gates);
  }

  /**
   * Whether a claim was refused with {@link OnFull#SIGNAL}, and half of the ring was not free
   * since, as far as anybody has looked.
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
    return COUNTERS;
  }

  @Override
  public final List<String> gauges() {
    return GAUGES;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Of many producers this looks at each slot from the slowest consumer on, to tell how many are
   * published; once it is closed, what was claimed counts.
   */
  @Override
  public final void readMetrics(long[] values) {
    values[0] = publishedNow();
    values[7] = remainingCapacity();
    readCounts(values);
  }

  private long publishedNow() {
    try {
      return publishedEnd();
    } catch (IllegalStateException e) {
      return claimedEnd(); // the stamps are freed
    }
  }

  /** Reads all metrics but {@code published} and {@code freeSlots}, which need the slots. */
  final void readCounts(long[] values) {
    values[1] = dropped.getOpaque(); // opaque: a count
    values[2] = signalled.getOpaque(); // opaque: a count
    boolean hasMany = claims != null; // one producer gives back its last slots and never stalls
    values[3] = hasMany ? claims.stalledCount() : 0;
    values[4] = hasMany ? claims.claimedCount() : claimedEnd();
    values[5] = hasMany ? claims.abortedCount() : 0;
    values[6] = hasMany ? claims.refusedCount() : 0;
    values[8] = hasMany ? claims.outOfUseCount() : 0;
  }

  /** Returns who produces, capacity, how far claims and the slowest consumer are, and the state. */
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
}
