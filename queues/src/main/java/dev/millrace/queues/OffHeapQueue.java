package dev.millrace.queues;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.StallWatch;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The one vocabulary of the bounded queues of fixed-size records in off-heap memory; who may be on
 * its sides, and what that costs, is the kinds' difference.
 *
 * <p>A producer <i>claims</i> a slot, writes the record into it through a flyweight, and
 * <i>commits</i> or <i>aborts</i>. A consumer <i>polls</i> a record, reads it in place, and
 * <i>releases</i> the slot; or it <i>drains</i> the queue through a handler. Operations named
 * {@code try…} never wait; {@code claim} and {@code poll} wait as the side's {@link
 * dev.millrace.core.WaitStrategy} says. All are there for one record and for a run of records;
 * those that do not wait also without a flyweight, as an offset into {@link #memory()}.
 *
 * <p><b>Life.</b> {@link #complete()} closes the queue to its producers, whose claims then throw
 * {@link IllegalStateException}. Consumers go on to the last committed record; then they are told
 * by value ({@link #CLOSED}, or false and {@link #isDrained()}). {@link #close()} is for the owner,
 * once both sides have stopped, and frees the memory; {@link #abandon()} gives up what is left.
 * Every access through a flyweight throws {@link IllegalStateException} once the memory is freed.
 *
 * <p><b>Seeing it run.</b> {@link #counters()}, {@link #sizeEstimate()} and {@link #snapshot} read
 * what is there anyway; no operation counts for them while all goes well.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public abstract sealed class OffHeapQueue<F extends Flyweight> implements AutoCloseable
    permits SingleConsumerQueue, MpmcQueue {
  /*
   * A  DRAIN.setRelease in finish, abandon  ->  DRAIN.getAcquire in isDrained  what was done before
   * B  releaseFence in claimOrdered         ->  acquireFence in copyTo         that the slot was left,
   *                                                                            before its new bytes
   *
   * Where others may be amid an access when a consumer finds the end, the memory stays until
   * close, for the JDK interrupts a thread whose access it cuts short. Then the consumer that
   * finishes and the owner that closes may come at the same time, and each looks for the other:
   * drained and closed are written, a full fence, closed and drained are read.
   *
   * C  CLOSE.getAndSetRelease, fullFence  ->  DRAIN.setRelease, fullFence      one sees the other
   *    in close                               in finish
   */

  /** Returned instead of an offset: no slot is free. */
  public static final int FULL = -1;

  /** Returned instead of an offset: no record is there. */
  public static final int EMPTY = -2;

  /** Returned instead of an offset or a count: closed and, for a consumer, drained. */
  public static final int CLOSED = -3;

  final MemorySegment memory;
  final long strideBytes;
  final long mask;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;
  final boolean signalsProducer;
  final boolean signalsConsumer;

  /** Finds stalled claims; null if claims may be open for ever. */
  final StallWatch stalls;

  private final NativeMemory owned;
  private final Function<MemorySegment, F> flyweights;
  private final QueueOptions.WhenFull whenFull;
  private final Sequence dropped = new Sequence();
  private final Sequence highWater = new Sequence();

  @SuppressWarnings("unused") // through CLOSE
  private boolean closed;

  @SuppressWarnings("unused") // through DRAIN
  private boolean drained;

  @SuppressWarnings("unused") // through FREE
  private boolean freed;

  OffHeapQueue(
      QueueOptions options,
      Function<MemorySegment, F> flyweights,
      boolean oneProducer,
      boolean oneConsumer) {
    Checks.notNull("options", options);
    Checks.notNull("flyweights", flyweights);
    F sample = Checks.notNull("flyweight", flyweights.apply(MemorySegment.NULL));
    this.flyweights = flyweights;
    this.whenFull = options.whenFull();
    this.strideBytes = Ring.strideBytes(sample.layout().sizeBytes());
    this.mask = options.capacity() - 1L;
    // who looks for stalled claims must not sleep for longer than a look is worth
    this.stalls =
        options.stallNanos() == WaitStrategy.FOREVER ? null : new StallWatch(options.stallNanos());
    long rest = stalls == null ? WaitStrategy.FOREVER : stalls.lookNanos();
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, WaitStrategy.FOREVER);
    this.consumerWaiters = new Waiters(options.consumerWaits(), oneConsumer, rest);
    this.signalsProducer = producerWaiters.needSignals();
    this.signalsConsumer = consumerWaiters.needSignals();
    this.owned = NativeMemory.allocate(options.capacity() * strideBytes);
    this.memory = owned.segment();
  }

  /**
   * Makes a flyweight for one thread.
   *
   * @return the flyweight, on no record of yours yet
   * @throws IllegalStateException if the memory is freed
   */
  public final F newFlyweight() {
    if (isDrained()) {
      throw new IllegalStateException("queue must not be drained: " + this);
    }
    F flyweight = flyweights.apply(memory);
    flyweight.slots(Ring.STAMP_BYTES, strideBytes, capacity());
    return flyweight;
  }

  // ---- producer ----

  /**
   * Claims a free slot, if there is one.
   *
   * @param flyweight is moved onto the slot, whose bytes are what a former record left there; if
   *     there is no slot, it is on no record
   * @return whether a slot was claimed; then {@link #commit(Flyweight)} or {@link
   *     #abort(Flyweight)} must follow
   * @throws IllegalStateException if the queue is closed, or a claim is open
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
   */
  public final boolean tryClaim(F flyweight) {
    return tryClaim(flyweight, 1);
  }

  /**
   * Claims a run of free slots: all of them or none.
   *
   * @param flyweight is moved onto the first slot; {@link Flyweight#next()} moves it along the run
   * @param count how many slots, from 1 to the capacity
   * @return whether they were claimed
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException if the queue is closed, or a claim is open
   */
  public final boolean tryClaim(F flyweight, int count) {
    checkOwn(flyweight);
    checkHandsFree(flyweight);
    long offset = claimOrdered(count);
    if (offset < 0) {
      return declined(flyweight, offset);
    }
    hold(flyweight, offset, count);
    return true;
  }

  /** Moves the flyweight onto what was claimed. */
  abstract void hold(F flyweight, long offset, int count);

  /**
   * Refuses a flyweight that holds an open claim, or a poll as a run of so many records below 0.
   */
  static void checkHandsFree(Flyweight flyweight) {
    int count = flyweight.runCount();
    if (count != 0) {
      throw new IllegalStateException(
          (count > 0 ? "claim must be committed or aborted" : "poll must be released")
              + " before the next: "
              + flyweight);
    }
  }

  private boolean declined(F flyweight, long code) {
    flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would write on a former record
    if (code == CLOSED) {
      throw new IllegalStateException("queue must be open to claim: " + this);
    }
    return false;
  }

  final void checkOwn(F flyweight) {
    checkOn(memory, flyweight);
  }

  /** Refuses a flyweight on other memory, and null, before anything is changed. */
  @SuppressWarnings({
    "ReferenceEquality",
    "MemorySegmentReferenceEquality"
  }) // the very segment that it was made with
  static void checkOn(MemorySegment memory, Flyweight flyweight) {
    if (flyweight.memory() != memory) {
      throw new IllegalArgumentException(
          "flyweight must be made by newFlyweight() of the same: flyweight=" + flyweight);
    }
  }

  /**
   * Claims a free slot, if there is one, and tells where it is.
   *
   * @return the record's offset in {@link #memory()}, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalStateException if a claim is open
   */
  public final long tryClaim() {
    return claimOrdered(1);
  }

  private long claimOrdered(int count) {
    long offset = claimSlots(count);
    VarHandle.releaseFence(); // release B: that the slots were left, before what is written there
    return offset;
  }

  /** Claims a run; returns the first record's offset, or {@link #FULL} or {@link #CLOSED}. */
  abstract long claimSlots(int count);

  /**
   * Publishes what was claimed, be it one record or a run.
   *
   * @param flyweight the flyweight that the claim was made with; it is on no record of yours then
   * @return whether consumers will see it: false only if the queue has a stall limit and passed
   *     over the claim
   * @throws IllegalStateException if nothing is claimed, or the memory is freed; then no consumer
   *     will see the record
   */
  public abstract boolean commit(F flyweight);

  /**
   * Publishes the record that {@link #tryClaim()} returned the offset of.
   *
   * @param offset the record's offset
   * @return whether consumers will see it: false only if the queue has a stall limit and passed
   *     over the claim
   * @throws IllegalStateException if nothing is claimed there, or the memory is freed; then no
   *     consumer will see the record
   * @throws IllegalArgumentException if the offset is not that of a claim
   */
  public abstract boolean commit(long offset);

  /**
   * Gives back what was claimed, be it one slot or a run; consumers see nothing of it. Where many
   * producers claim, the slots are free again when a consumer has come past them.
   *
   * @param flyweight the flyweight that the claim was made with
   * @throws IllegalStateException if nothing is claimed
   */
  public abstract void abort(F flyweight);

  /**
   * Gives back the slot that {@link #tryClaim()} returned the offset of.
   *
   * @param offset the slot's offset
   * @throws IllegalStateException if nothing is claimed
   * @throws IllegalArgumentException if another offset is claimed
   */
  public abstract void abort(long offset);

  /** Ends the claim that a flyweight holds, for the kinds of many producers. */
  final boolean endClaim(Claims claims, F flyweight, long state) {
    checkOwn(flyweight);
    int count = flyweight.runCount();
    if (count <= 0) {
      throw noneOpen("claim");
    }
    long offset = flyweight.runOffset() - Ring.STAMP_BYTES;
    flyweight.moveToRun(Ring.NOWHERE, 0); // or a second commit might end another's claim
    return endClaim(claims, offset, count, state);
  }

  /** Ends the claim of an offset, for the kinds of many producers. */
  final boolean endClaim(Claims claims, long recordOffset, long state) {
    return endClaim(claims, checkSlot(recordOffset), 0, state);
  }

  private boolean endClaim(Claims claims, long slotOffset, int count, long state) {
    boolean ended = claims.end(slotOffset, count, state);
    if (signalsConsumer) {
      consumerWaiters.signal(); // also if aborted: other producers may wait for its slot
    }
    return ended;
  }

  /** Checks that a record lies at an offset; returns where its slot begins. */
  final long checkSlot(long recordOffset) {
    long offset = recordOffset - Ring.STAMP_BYTES;
    if (offset < 0 || offset > mask * strideBytes || offset % strideBytes != 0) {
      throw new IllegalArgumentException("offset must be that of a record: offset=" + recordOffset);
    }
    return offset;
  }

  /**
   * Claims a free slot, waiting for one as the producer's strategy says.
   *
   * @param flyweight is moved onto the slot
   * @return false only if the strategy's time limit passed, or the record was dropped
   * @throws IllegalStateException if the queue is or gets closed, or a claim is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean claim(F flyweight) throws InterruptedException {
    return tryClaim(flyweight) || awaitClaim(flyweight, 1, limit(producerWaiters));
  }

  /**
   * Claims a run of free slots, waiting as the producer's strategy says until all are free.
   *
   * @param flyweight is moved onto the first slot; {@link Flyweight#next()} moves it along the run
   * @param count how many slots, from 1 to the capacity
   * @return false only if the strategy's time limit passed, or the record was dropped
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException if the queue is or gets closed, or a claim is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean claim(F flyweight, int count) throws InterruptedException {
    return tryClaim(flyweight, count) || awaitClaim(flyweight, count, limit(producerWaiters));
  }

  /**
   * Claims a free slot, waiting for one no longer than the given time.
   *
   * @param flyweight is moved onto the slot
   * @param timeout how long to wait, instead of the strategy's limit
   * @param unit the timeout's unit
   * @return false if the time passed, or the record was dropped
   * @throws IllegalStateException if the queue is or gets closed, or a claim is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean claim(F flyweight, long timeout, TimeUnit unit) throws InterruptedException {
    Checks.notNull("unit", unit);
    return tryClaim(flyweight) || awaitClaim(flyweight, 1, unit.toNanos(timeout));
  }

  private boolean awaitClaim(F flyweight, int count, long limitNanos) throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (!tryClaim(flyweight, count)) {
        if (whenFull == QueueOptions.WhenFull.DROP_NEWEST) {
          dropped.getAndAddAcquire(count); // atomic: a count
          return false;
        }
        if (whenFull == QueueOptions.WhenFull.DROP_OLDEST && dropOldest()) {
          dropped.getAndAddAcquire(1); // atomic: a count
          continue;
        }
        step = producerWaiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      producerWaiters.leave();
    }
  }

  /**
   * Claims a free slot, or tells truthfully that the queue is full. {@link #tryClaim(Flyweight)}
   * may also say so while the oldest slot is in the hands of a consumer, though others are free;
   * this waits for that consumer, as the producer's strategy says, instead of a false answer.
   *
   * @param flyweight is moved onto the slot
   * @return false only if at some moment of the call as many records as fit were claimed and not
   *     taken
   * @throws IllegalStateException if the queue is or gets closed, or a claim is open
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws TimeoutException if the strategy's time limit passed while it waited
   */
  public final boolean strictClaim(F flyweight) throws InterruptedException, TimeoutException {
    if (tryClaim(flyweight)) {
      return true;
    }
    long deadline = Waiters.deadline(limit(producerWaiters));
    long step = 0;
    try {
      while (!tryClaim(flyweight)) {
        if (isFull()) {
          return false;
        }
        step = producerWaiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          throw new TimeoutException("a consumer must release the oldest record in time: " + this);
        }
      }
      return true;
    } finally {
      producerWaiters.leave();
    }
  }

  /** Whether no slot is free, as a producer that was told so now finds beyond doubt. */
  abstract boolean isFull();

  /** Takes the oldest record out as a consumer does; false if there is none. */
  boolean dropOldest() {
    throw new AssertionError("refused at construction");
  }

  // ---- consumer ----

  /**
   * Takes the next record, if there is one. Where many producers claim, the answer that there is
   * none may only mean that the next one is still being written, though later ones are committed;
   * {@link #strictPoll} does not say so then.
   *
   * @param flyweight is moved onto the record, which stays in place until {@link
   *     #release(Flyweight)}
   * @return whether there was one
   * @throws IllegalStateException if a poll is open
   */
  public final boolean tryPoll(F flyweight) {
    checkOwn(flyweight);
    checkHandsFree(flyweight);
    long offset = tryPoll();
    if (offset < 0) {
      flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would read a former record
      return false;
    }
    holdPolled(flyweight, offset, 1);
    return true;
  }

  /** Moves the flyweight onto what was polled. */
  abstract void holdPolled(F flyweight, long offset, int count);

  /**
   * Takes the next record, if there is one, and tells where it is.
   *
   * @return the record's offset in {@link #memory()}, or {@link #EMPTY} or {@link #CLOSED}
   * @throws IllegalStateException if a poll is open
   */
  public abstract long tryPoll();

  /**
   * Takes the next records, up to a limit: at least one if there is one, in the sense of {@link
   * #tryPoll(Flyweight)}. Fewer than the limit does not mean that there are no more.
   *
   * @param flyweight is moved onto the first; {@link Flyweight#next()} moves it along the run. The
   *     records stay in place until {@link #release(Flyweight)}
   * @param limit how many at the most, at least 1
   * @return how many, 0 if there is none, {@link #CLOSED} if there will be none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if a poll is open
   */
  public final int tryPoll(F flyweight, int limit) {
    checkOwn(flyweight);
    checkHandsFree(flyweight);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    int count = pollRun(flyweight, limit);
    if (count <= 0) {
      flyweight.moveTo(Ring.NOWHERE);
    }
    return count;
  }

  /** Opens a poll of up to {@code limit} records, moves the flyweight there; returns how many. */
  abstract int pollRun(F flyweight, int limit);

  /**
   * Frees the slots of what was polled, be it one record or a run.
   *
   * @param flyweight the flyweight that the poll was made with
   * @throws IllegalStateException if nothing is polled
   */
  public abstract void release(F flyweight);

  /**
   * Frees the slot of the record that {@link #tryPoll()} returned the offset of.
   *
   * @param offset the record's offset
   * @throws IllegalStateException if nothing is polled
   * @throws IllegalArgumentException if another offset is polled
   */
  public abstract void release(long offset);

  /**
   * Consumes the next records in place, up to a limit: at least one if there is one. Fewer than the
   * limit does not mean that there are no more. Their slots are freed together, in the end.
   *
   * @param flyweight is moved onto each record in turn
   * @param handler is given the flyweight for each record; must not use the queue's consumer side,
   *     nor wait for a slot of the same queue, for none is freed before it returns
   * @param limit how many at the most, at least 1
   * @return how many, 0 if there was none, {@link #CLOSED} if there will be none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if a poll is open
   * @throws RuntimeException what the handler throws; that record counts as consumed, the later
   *     ones stay in the queue
   */
  public abstract int drain(F flyweight, Consumer<? super F> handler, int limit);

  /**
   * Takes the next record, waiting for one as the consumer's strategy says.
   *
   * @param flyweight is moved onto the record
   * @return false if the strategy's time limit passed, or the queue is closed and drained
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean poll(F flyweight) throws InterruptedException {
    return tryPoll(flyweight) || awaitPoll(flyweight, 1, limit(consumerWaiters)) > 0;
  }

  /**
   * Takes the next records, up to a limit, waiting for the first as the consumer's strategy says.
   *
   * @param flyweight is moved onto the first; {@link Flyweight#next()} moves it along the run
   * @param limit how many at the most, at least 1
   * @return how many, 0 if the strategy's time limit passed, {@link #CLOSED} if there will be none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final int poll(F flyweight, int limit) throws InterruptedException {
    int count = tryPoll(flyweight, limit);
    return count != 0 ? count : awaitPoll(flyweight, limit, limit(consumerWaiters));
  }

  /**
   * Takes the next record, waiting for one no longer than the given time.
   *
   * @param flyweight is moved onto the record
   * @param timeout how long to wait, instead of the strategy's limit
   * @param unit the timeout's unit
   * @return false if the time passed, or the queue is closed and drained
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public final boolean poll(F flyweight, long timeout, TimeUnit unit) throws InterruptedException {
    Checks.notNull("unit", unit);
    return tryPoll(flyweight) || awaitPoll(flyweight, 1, unit.toNanos(timeout)) > 0;
  }

  /**
   * Takes the next record, or tells truthfully that there is none: it waits, as the consumer's
   * strategy says, while a claim is open that may hide records committed later. So with respect to
   * this method the queue is linearizable.
   *
   * @param flyweight is moved onto the record
   * @return false only if at some moment of the call there was no record and no open claim, or the
   *     queue is closed and drained
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws TimeoutException if the strategy's time limit passed while it waited
   */
  public final boolean strictPoll(F flyweight) throws InterruptedException, TimeoutException {
    if (tryPoll(flyweight)) {
      return true;
    }
    long deadline = Waiters.deadline(limit(consumerWaiters));
    long step = 0;
    try {
      while (!tryPoll(flyweight)) {
        if (isEmpty()) {
          return false;
        }
        step = consumerWaiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          throw new TimeoutException("a producer must end the oldest claim in time: " + this);
        }
      }
      return true;
    } finally {
      consumerWaiters.leave();
    }
  }

  /** Whether no record and no claim is there, as a consumer that got none now finds for sure. */
  abstract boolean isEmpty();

  private int awaitPoll(F flyweight, int limit, long limitNanos) throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (true) {
        int count = tryPoll(flyweight, limit);
        if (count != 0) {
          return count;
        }
        step = consumerWaiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return 0;
        }
      }
    } finally {
      consumerWaiters.leave();
    }
  }

  // ---- any thread ----

  /**
   * Closes the queue to its producers and wakes who waits: the producers' last word. Consumers go
   * on to the last record committed before. May be repeated.
   *
   * <p>Any thread may complete. The kinds say what becomes of a claim that overlaps it.
   */
  public final void complete() {
    closeToProducers();
    wakeAll();
  }

  /**
   * Closes the queue for its owner, once: completes it, and frees the memory if all committed
   * records are consumed. <b>If some are left, it frees nothing</b>: a consumer does when it has
   * drained them, or {@link #abandon()} does.
   *
   * <p>Close after both sides have stopped. A thread that is still at work gets an {@link
   * IllegalStateException} or is told by value, whatever the moment; but the JDK sets the interrupt
   * status of a thread whose access to the memory it cuts short.
   *
   * @throws IllegalStateException if it was closed before
   */
  @Override
  public final void close() {
    // atomic: one close gets through
    if ((boolean) CLOSE.getAndSetRelease(this, true)) {
      throw new IllegalStateException("queue must be closed only once: " + this);
    }
    complete();
    VarHandle.fullFence(); // fence C: closed before the look whether it is drained
    if (isDrained() || isConsumed()) {
      DRAIN.setRelease(this, true); // release A: what the owner did before
      freeMemory();
    }
  }

  /**
   * Completes the queue and frees its memory at once; records still in it are lost. For consumers
   * that cannot go on. May be called before or after {@link #close()}, and again; to threads at
   * work it does what {@link #close()} does.
   */
  public final void abandon() {
    closeToProducers();
    DRAIN.setRelease(this, true); // release A: what the caller did before
    try {
      freeMemory();
    } catch (RuntimeException e) {
      DRAIN.setOpaque(this, false); // opaque: lent to I/O, so consumers may go on
      throw e;
    } finally {
      wakeAll();
    }
  }

  /** Lets no claim succeed from now on. */
  abstract void closeToProducers();

  /**
   * Whether no committed record is left, nor in the hands of a consumer; asked after {@link
   * #closeToProducers()}.
   */
  boolean isConsumed() {
    return committedInside(firstSequence()) == 0;
  }

  /** Whether nobody can be amid an access when a consumer finds the end. */
  abstract boolean freesAtEnd();

  /** Called by a consumer once all is consumed and nothing more can come. */
  final void finish() {
    DRAIN.setRelease(this, true); // release A: all that consumers did
    VarHandle.fullFence(); // fence C: drained before the look whether it is closed
    // opaque: the fence orders it
    if (freesAtEnd() || (boolean) CLOSE.getOpaque(this)) {
      freeMemory();
    }
  }

  /** Frees the memory, unless that was done; what still uses it gets an exception. */
  private void freeMemory() {
    // atomic: one of them frees it
    if (!(boolean) FREE.getAndSetRelease(this, true)) {
      try {
        owned.close();
      } catch (RuntimeException e) {
        FREE.setOpaque(this, false); // opaque: lent to I/O, so may be tried again
        throw e;
      }
    }
  }

  private void wakeAll() {
    producerWaiters.signal();
    consumerWaiters.signal();
  }

  /**
   * Whether the queue is closed to its producers.
   *
   * @return whether it was completed, closed or abandoned
   */
  public abstract boolean isClosed();

  /**
   * Whether the end was found: all records are consumed and no more can come, or they were
   * abandoned. What consumers did before happens before this returns true.
   *
   * @return whether consumers can stop
   */
  public final boolean isDrained() {
    return (boolean) DRAIN.getAcquire(this); // acquire A: sees true, hence what consumers did
  }

  /**
   * The number of records that fit.
   *
   * @return the capacity
   */
  public final int capacity() {
    return (int) (mask + 1);
  }

  /**
   * About how many records are in the queue: exact while nobody uses it, otherwise off by what is
   * put and taken during the call, within 0..capacity. Where many producers claim, claims count as
   * records, be they open or aborted, until a consumer has come past them.
   *
   * @return the estimate; 0 once drained
   */
  public final int sizeEstimate() {
    if (isDrained()) {
      return 0;
    }
    long from = firstSequence();
    return (int) Math.clamp(endSequence() - from, 0L, mask + 1);
  }

  /** Up to which sequence all slots are free again, or taken by consumers; opaque. */
  abstract long firstSequence();

  /** Up to which sequence slots are claimed; opaque. */
  abstract long endSequence();

  /**
   * What a sequence's slot holds, seen by any thread.
   *
   * @return how many committed records from there on, or less than 0 for as many slots that hold
   *     none, or 0 if that cannot be told
   */
  abstract long recordsAt(long sequence);

  /** Whether no consumer has freed the record of a sequence. */
  abstract boolean isStillThere(long sequence);

  /**
   * What the kind alone counts: see {@link Counters}.
   *
   * @param first the first sequence, as seen before
   * @param committedInside how many records were there from it on
   */
  abstract Counters ownCounters(long first, long committedInside);

  /**
   * Counts of what has happened so far, taken from the sequences and stamps that are there anyway.
   * Exact while nobody uses the queue, otherwise not of one moment, and off by what happens during
   * the call. Takes time in proportion to the queue's size; for a thread that samples now and then.
   *
   * @return the counts, also after the end
   */
  public final Counters counters() {
    long first = firstSequence();
    long committedInside = committedInside(first);
    long size = Math.clamp(endSequence() - first, 0L, mask + 1);
    long high = highWater.getOpaque(); // opaque: a count
    // atomic: the highest of several samplers' stays
    while (size > high && !highWater.weakCompareAndSetPlain(high, size)) {
      high = highWater.getOpaque(); // opaque: a count
    }
    return ownCounters(first, committedInside);
  }

  private long committedInside(long first) {
    long count = 0;
    long end = endSequence();
    for (long sequence = first; sequence < end && !isDrained(); ) {
      long records = countAt(sequence);
      count += Math.max(0, records);
      sequence += records == 0 ? end - sequence : Math.abs(records);
    }
    return count;
  }

  private long countAt(long sequence) {
    try {
      return recordsAt(sequence);
    } catch (IllegalStateException e) {
      noneIfFreed(e);
      return 0;
    }
  }

  final long droppedCount() {
    return dropped.getOpaque(); // opaque: a count
  }

  final int highWater() {
    return (int) highWater.getOpaque(); // opaque: a count
  }

  /**
   * Shows the committed records that nobody has taken, oldest first, and leaves them where they
   * are: for debugging. Each is copied and then looked at again; what was taken meanwhile, or could
   * not be seen for a claim of unknown length before it, is left out. Allocates, and takes time in
   * proportion to the queue's size. Any thread may ask.
   *
   * @param viewer is given a flyweight on the copy of each record, which is overwritten afterwards
   * @return how many were shown
   */
  public final int snapshot(Consumer<? super F> viewer) {
    Checks.notNull("viewer", viewer);
    int shown = 0;
    try (NativeMemory copy = NativeMemory.allocate(strideBytes)) {
      F flyweight = flyweights.apply(copy.segment());
      long end = endSequence();
      long sequence = firstSequence();
      while (sequence < end && !isDrained()) {
        long records = countAt(sequence);
        for (long i = 0; i < records; i++) {
          if (copyTo(copy.segment(), sequence + i)) {
            flyweight.moveTo(Ring.STAMP_BYTES);
            viewer.accept(flyweight);
            shown++;
          }
        }
        if (records == 0) {
          break;
        }
        sequence += Math.abs(records);
      }
    }
    return shown;
  }

  private boolean copyTo(MemorySegment copy, long sequence) {
    try {
      copySlot(copy, slotOffset(sequence));
      VarHandle.acquireFence(); // acquire B: the copy before the second look
      return isStillThere(sequence);
    } catch (IllegalStateException e) {
      return noneIfFreed(e);
    }
  }

  /** Copies bytes that a producer may be writing; a second look tells afterwards. */
  @Speculative
  private void copySlot(MemorySegment copy, long offset) {
    MemorySegment.copy(
        memory, offset + Ring.STAMP_BYTES, copy, Ring.STAMP_BYTES, strideBytes - Ring.STAMP_BYTES);
  }

  /** A look at freed memory finds no record; any other failure is what it is. */
  final boolean noneIfFreed(IllegalStateException e) {
    if (!isDrained()) {
      throw e;
    }
    return false;
  }

  /**
   * The memory of the slots, for use with {@link #tryClaim()} and {@link #tryPoll()}.
   *
   * @return the segment that offsets refer to
   */
  public final MemorySegment memory() {
    return memory;
  }

  final IllegalStateException noneOpen(String what) {
    return new IllegalStateException(what + " must be open: none is, " + this);
  }

  /** Where the slot of a sequence begins, with its stamp. */
  final long slotOffset(long sequence) {
    return (sequence & mask) * strideBytes;
  }

  final long recordOffset(long sequence) {
    return slotOffset(sequence) + Ring.STAMP_BYTES;
  }

  private static long limit(Waiters waiters) {
    return waiters.strategy().timeLimitNanos();
  }

  /** Returns kind, capacity, size and state, for debugging. */
  @Override
  public final String toString() {
    String state = isDrained() ? "drained" : isClosed() ? "closed" : "open";
    return getClass().getSimpleName()
        + "[capacity="
        + capacity()
        + ", size~"
        + sizeEstimate()
        + ", "
        + state
        + "]";
  }

  /**
   * What has happened in a queue so far.
   *
   * @param claimed slots that producers claimed; in an {@link SpscQueue} those given back are not
   *     counted
   * @param committed records that consumers have had, or will
   * @param consumed records that consumers have had, in an {@link MpmcQueue} also those that they
   *     have in hand
   * @param aborted slots that were claimed and given back; 0 in an {@link SpscQueue}
   * @param dropped records dropped because the queue was full
   * @param refused records whose commit came after the claim had been given up
   * @param stalled slots whose claims were given up because they were open for too long
   * @param outOfUse slots that are out of use now, because the producer of a claim that was given
   *     up may still write there
   * @param highWater the largest number of slots in use that was seen when counters were asked for
   * @since 0.1.0
   */
  public record Counters(
      long claimed,
      long committed,
      long consumed,
      long aborted,
      long dropped,
      long refused,
      long stalled,
      int outOfUse,
      int highWater) {}

  private static final VarHandle CLOSE = flag("closed");
  private static final VarHandle DRAIN = flag("drained");
  private static final VarHandle FREE = flag("freed");

  private static VarHandle flag(String name) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, OffHeapQueue.class, boolean.class)
        .withInvokeExactBehavior();
  }
}
