package dev.millrace.queues;

import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.internal.RecordConsumer;

/**
 * Common part of the consumers of queues that admit many producers. How records are found and how
 * their slots are freed differs by kind.
 *
 * @param <T> the view of a record
 */
abstract sealed class QueueConsumer<T> extends RecordConsumer<T>
    permits MpscConsumer, MpmcConsumer, KFifoConsumer {
  private final OffHeapQueue<T> queue;
  private final boolean signals;
  private final Waiters.Attempt strictly = this::pollsStrictly;

  QueueConsumer(OffHeapQueue<T> queue, int handlerRun) {
    super(
        queue,
        queue.ring,
        queue.type.newFlyweight(queue.ring.memory()),
        queue.consumerWaiters,
        handlerRun);
    this.queue = queue;
    this.signals = queue.producerWaiters.needSignals();
  }

  /**
   * Takes the next adjacent records, up to a limit, and notes them in {@link #own}. Returns false
   * if there is none.
   */
  abstract boolean take(int limit);

  /** Frees the slots of the records in hand, and notes that none are. */
  abstract void free(long sequence, int count);

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public final T tryPoll() {
    return pollUpTo(1) ? (T) view : null;
  }

  @Override
  public final int tryPoll(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return pollUpTo(limit) ? (int) (own.end() - next()) : 0;
  }

  private boolean pollUpTo(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != next()) {
      throw isOpen();
    }
    boolean isPolled = take(limit);
    if (isPolled) {
      view.moveTo(ring.recordOffset(next()));
    }
    assert role.end(call);
    return isPolled;
  }

  /**
   * Takes the next record, or tells truthfully that there is none: waits while a claim is open that
   * may hide records committed later. So with respect to this method the queue is linearizable.
   *
   * @return the view, on the record; null only if at some moment of the call there was neither a
   *     record nor an open claim
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  @SuppressWarnings("unchecked") // the view was made for T
  public final T strictPoll() throws InterruptedException {
    if (!pollsStrictly()) {
      waitFor(strictly);
    }
    return own.end() == next() ? null : (T) view;
  }

  private boolean pollsStrictly() {
    return tryPoll() != null || queue.isEmpty();
  }

  @Override
  public final void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = next();
    long end = own.end();
    if (end <= sequence) {
      throw noneOpen();
    }
    view.leave();
    free(sequence, (int) (end - sequence));
    assert role.end(call);
    signalProducers();
  }

  @Override
  public boolean isDrained() {
    return queue.isDrained();
  }

  /** Wakes a producer that waits for a free slot. */
  final void signalProducers() {
    if (signals) {
      queue.producerWaiters.signal();
    }
  }
}
