package dev.millrace.queues;

import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.RecordProducer;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.internal.Checks;

/**
 * Common part of the producers of queues that admit many. How slots are claimed and how they are
 * published differs by kind.
 *
 * <p>Public methods are not final, so that javac adds bridges to the public subclasses.
 *
 * @param <T> the view of a record
 */
abstract sealed class QueueProducer<T> extends RecordProducer<T>
    permits MpscProducer, MpmcProducer, KFifoProducer {
  private final OffHeapQueue<T> queue;
  private final boolean signals;

  QueueProducer(OffHeapQueue<T> queue) {
    super(
        queue,
        queue.ring,
        new Cursor(),
        queue.type.newFlyweight(queue.ring.memory()),
        queue.producerWaiters);
    this.queue = queue;
    this.signals = queue.consumerWaiters.needSignals();
  }

  /**
   * Claims adjacent slots, as many as are free up to a limit, and notes them in {@link #own}.
   * Returns false if none is free or the queue is completed.
   */
  abstract boolean claimSlots(int limit);

  /**
   * Ends the claim of a run of slots, which are then {@link Stamps#COMMITTED} or {@link
   * Stamps#ABORTED}. Returns false if the claim was given up before.
   */
  abstract boolean publish(long sequence, int count, long state);

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryClaim() {
    return claimUpTo(1) ? (T) view : null;
  }

  @Override
  public int tryClaim(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return claimUpTo(limit) ? (int) (own.end() - own.next()) : 0;
  }

  private boolean claimUpTo(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw isOpen();
    }
    boolean isClaimed = claimSlots(limit);
    if (isClaimed) {
      view.moveTo(ring.recordOffset(own.next()));
    } else if (queue.isCompleted()) {
      throw completed();
    }
    assert role.end(call);
    return isClaimed;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if no claim is open, or it was given up because it was open for
   *     longer than the stall limit; then the records are lost, and no claim is open any more
   */
  @Override
  public void commit() {
    if (!end(Stamps.COMMITTED)) {
      throw new IllegalStateException(
          "claim must be committed within the stall limit: it was given up, " + queue);
    }
  }

  @Override
  public void abort() {
    end(Stamps.ABORTED);
  }

  private boolean end(long state) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = own.next();
    long end = own.end();
    if (end == sequence) {
      throw noneOpen();
    }
    own.next(end);
    view.leave();
    boolean isEnded;
    try {
      isEnded = publish(sequence, (int) (end - sequence), state);
    } catch (IllegalStateException e) {
      if (state == Stamps.COMMITTED) {
        throw closed(e);
      }
      isEnded = true; // the memory is freed: there is nothing to give back
    }
    assert role.end(call);
    if (signals) {
      queue.consumerWaiters.signal();
    }
    return isEnded;
  }

  /** Aborts an open claim, if there is one. The queue and its other producers go on. */
  @Override
  public void close() {
    if (own.end() != own.next()) {
      abort();
    }
  }

  @Override
  protected final boolean refuses(int count) {
    return queue.refuses(count);
  }
}
