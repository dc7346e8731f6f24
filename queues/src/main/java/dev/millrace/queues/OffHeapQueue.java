package dev.millrace.queues;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
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
 * {@link IllegalStateException}. Consumers go on to the last committed record; the one that finds
 * the end frees the memory and is told by value ({@link #CLOSED}, or false and {@link
 * #isDrained()}). {@link #close()} is for the owner, once both sides have stopped; {@link
 * #abandon()} gives up what is left. Every access through a flyweight throws {@link
 * IllegalStateException} once the memory is freed.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public abstract sealed class OffHeapQueue<F extends Flyweight> implements AutoCloseable
    permits SpscQueue {
  /*
   * A  FREE.getAndSetRelease in freeMemory  ->  FREE.getAcquire in isDrained  the consumer's work
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

  private final NativeMemory owned;
  private final Function<MemorySegment, F> flyweights;

  @SuppressWarnings("unused") // through CLOSE
  private boolean closed;

  @SuppressWarnings("unused") // through FREE
  private boolean freed;

  OffHeapQueue(QueueOptions options, Function<MemorySegment, F> flyweights) {
    Checks.notNull("options", options);
    Checks.notNull("flyweights", flyweights);
    F sample = Checks.notNull("flyweight", flyweights.apply(MemorySegment.NULL));
    this.flyweights = flyweights;
    this.strideBytes = Ring.strideBytes(sample.layout().sizeBytes());
    this.mask = options.capacity() - 1L;
    this.producerWaiters = new Waiters(options.producerWaits());
    this.consumerWaiters = new Waiters(options.consumerWaits());
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
    long offset = claimSlots(count);
    if (offset < 0) {
      return declined(flyweight, offset);
    }
    flyweight.moveTo(offset);
    return true;
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
    return claimSlots(1);
  }

  /** Claims a run; returns the first record's offset, or {@link #FULL} or {@link #CLOSED}. */
  abstract long claimSlots(int count);

  /**
   * Publishes what was claimed, be it one record or a run.
   *
   * @param flyweight the flyweight that the claim was made with
   * @throws IllegalStateException if nothing is claimed, or the memory is freed; then the consumer
   *     will not see the record
   */
  public abstract void commit(F flyweight);

  /**
   * Publishes the record that {@link #tryClaim()} returned the offset of.
   *
   * @param offset the record's offset
   * @throws IllegalStateException if nothing is claimed, or the memory is freed; then the consumer
   *     will not see the record
   * @throws IllegalArgumentException if another offset is claimed
   */
  public abstract void commit(long offset);

  /**
   * Gives back what was claimed, be it one slot or a run; the consumer sees nothing of it.
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

  /**
   * Claims a free slot, waiting for one as the producer's strategy says.
   *
   * @param flyweight is moved onto the slot
   * @return false only if the strategy's time limit passed
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
   * @return false only if the strategy's time limit passed
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
   * @return false if the time passed
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

  // ---- consumer ----

  /**
   * Takes the next record, if there is one.
   *
   * @param flyweight is moved onto the record, which stays in place until {@link
   *     #release(Flyweight)}
   * @return whether there was one
   * @throws IllegalStateException if a poll is open
   */
  public final boolean tryPoll(F flyweight) {
    checkOwn(flyweight);
    long offset = tryPoll();
    if (offset < 0) {
      flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would read a former record
      return false;
    }
    flyweight.moveTo(offset);
    return true;
  }

  /**
   * Takes the next record, if there is one, and tells where it is.
   *
   * @return the record's offset in {@link #memory()}, or {@link #EMPTY} or {@link #CLOSED}
   * @throws IllegalStateException if a poll is open
   */
  public abstract long tryPoll();

  /**
   * Takes the next records, up to a limit: at least one if there is one. Fewer than the limit does
   * not mean that there are no more.
   *
   * @param flyweight is moved onto the first; {@link Flyweight#next()} moves it along the run. The
   *     records stay in place until {@link #release(Flyweight)}
   * @param limit how many at the most, at least 1
   * @return how many, 0 if there is none, {@link #CLOSED} if there will be none
   * @throws IllegalArgumentException if the limit is below 1
   * @throws IllegalStateException if a poll is open
   */
  public abstract int tryPoll(F flyweight, int limit);

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
   * on to the last record committed before; then the memory is freed. May be repeated.
   *
   * <p>Any thread may complete. The kinds say what becomes of a commit that overlaps it. A producer
   * that is still writing when the consumer frees the memory gets an {@link IllegalStateException},
   * as with {@link #close()}.
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
    if (isConsumed()) {
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
    try {
      freeMemory();
    } finally {
      wakeAll();
    }
  }

  /** Lets no claim succeed from now on. */
  abstract void closeToProducers();

  /** Whether all committed records are consumed; asked after {@link #closeToProducers()}. */
  abstract boolean isConsumed();

  /** Frees the memory, unless that was done; what still uses it gets an exception. */
  final void freeMemory() {
    // release A: all that the consumer did before it found the end
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
    producerWaiters.wake();
    consumerWaiters.wake();
  }

  /**
   * Whether the queue is closed to its producers.
   *
   * @return whether it was completed, closed or abandoned
   */
  public abstract boolean isClosed();

  /**
   * Whether the memory is freed: all records are consumed, or were abandoned. What the thread that
   * freed it did before happens before this returns true.
   *
   * @return whether the consumer can stop
   */
  public final boolean isDrained() {
    return (boolean) FREE.getAcquire(this); // acquire A: sees true, hence what the consumer did
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
   * About how many committed records are in the queue: exact while nobody uses it, otherwise off by
   * what is put and taken during the call, within 0..capacity.
   *
   * @return the estimate; 0 once drained
   */
  public abstract int sizeEstimate();

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

  private static final VarHandle CLOSE = flag("closed");
  private static final VarHandle FREE = flag("freed");

  private static VarHandle flag(String name) {
    return ConstantBootstraps.fieldVarHandle(
            MethodHandles.lookup(), name, VarHandle.class, OffHeapQueue.class, boolean.class)
        .withInvokeExactBehavior();
  }
}
