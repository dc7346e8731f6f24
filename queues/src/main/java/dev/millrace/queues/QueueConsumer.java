package dev.millrace.queues;

import dev.millrace.core.internal.RecordConsumer;
import dev.millrace.core.internal.Waiters;

/**
 * Common part of the consumers of queues that admit many producers.
 *
 * <p>Public methods are not final, so that javac adds bridges to the public subclasses.
 *
 * @param <T> the view of a record
 */
abstract sealed class QueueConsumer<T> extends RecordConsumer<T>
    permits MpscConsumer, SharingConsumer {
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
   * Takes the next record, or reports exactly that there is none: waits while an open claim may
   * hide records committed later. So with respect to this method the queue is linearizable.
   *
   * @return the view, on the record; null only if at some moment of the call there was neither a
   *     record nor an open claim, or the queue was closed
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  @SuppressWarnings("unchecked") // the view was made for T
  public T strictPoll() throws InterruptedException {
    if (!pollsStrictly()) {
      waitFor(strictly);
    }
    return own.end() == next() ? null : (T) view;
  }

  private boolean pollsStrictly() {
    return tryPoll() != null || queue.isEmpty() || queue.isDrained();
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
