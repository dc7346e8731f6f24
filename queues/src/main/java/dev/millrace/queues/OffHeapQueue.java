package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
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
public abstract sealed class OffHeapQueue<F extends Flyweight> extends QueueSampling<F>
    permits SingleConsumerQueue, MpmcQueue {
  /** Returned instead of an offset: no slot is free. */
  public static final int FULL = -1;

  /** Returned instead of an offset: no record is there. */
  public static final int EMPTY = -2;

  /** Returned instead of an offset or a count: closed and, for a consumer, drained. */
  public static final int CLOSED = -3;

  final OnFull onFull;

  OffHeapQueue(
      QueueOptions options,
      Function<MemorySegment, F> flyweights,
      boolean oneProducer,
      boolean oneConsumer) {
    super(options, flyweights, oneProducer, oneConsumer);
    this.onFull = options.onFull();
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
   * Refuses a flyweight that holds an open claim, or a poll as a run of so many records below 0; a
   * kind whose flyweights hold nothing need not look.
   */
  void checkHandsFree(Flyweight flyweight) {
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
    try {
      long offset = claimSlots(count);
      orderClaim();
      return offset;
    } catch (IllegalStateException e) {
      noneIfFreed(e); // it looked at a slot when all was over
      return CLOSED;
    }
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
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
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
   * @throws IllegalArgumentException if the flyweight is not one of this queue's
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
    signalConsumers(); // also if aborted: other producers may wait for its slot
    return ended;
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
   * Claims a run of free slots, waiting as the producer's strategy says until all are free. Waiting
   * is not fair: other producers' shorter claims may take the slots as they get free, time and
   * again.
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
        if (onFull == OnFull.DROP_NEWEST) {
          countDropped(count);
          return false;
        }
        if (onFull == OnFull.DROP_OLDEST && dropOldest()) {
          countDropped(1);
          continue;
        }
        step = producerWaiters.pause(step, deadline, count);
        if (step == Waiters.TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      producerWaiters.leave(step);
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
      producerWaiters.leave(step);
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
        if (isDrained() || isEmpty()) {
          return false;
        }
        step = consumerWaiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          throw new TimeoutException("a producer must end the oldest claim in time: " + this);
        }
      }
      return true;
    } finally {
      consumerWaiters.leave(step);
    }
  }

  // ---- an end without loss, of queues whose claims are short ----

  /**
   * Completes, such that the end comes behind each claim that succeeds, however late it is
   * committed. So a producer must end each of its claims, and soon.
   */
  void completeExactly() {
    complete();
  }

  /** Once exactly complete: whether no claim is open and consumers have come past all. */
  boolean isPassed() {
    return endSequence() <= firstSequence();
  }

  /** Once exactly complete: says that all is drained, if it is, in place of a consumer. */
  final void endIfConsumed() {
    if (!isDrained() && isPassed() && isConsumed()) {
      setDrained();
      wakeAll();
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
      consumerWaiters.leave(step);
    }
  }

  /**
   * The counters of the kinds of many producers; the consumed may be behind what is to be taken
   * off.
   */
  final Counters countersOf(Claims claims, long consumed, long committedInside) {
    long had = Math.max(0, consumed);
    return new Counters(
        claims.claimedCount(),
        had + committedInside,
        had,
        claims.abortedCount(),
        droppedCount(),
        claims.refusedCount(),
        claims.stalledCount(),
        claims.outOfUseCount(),
        highWater());
  }

  private static long limit(Waiters waiters) {
    return waiters.strategy().timeLimitNanos();
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
   * @param refused records whose commit or abort came after the claim had been given up
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
}
