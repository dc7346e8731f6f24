package dev.millrace.queues;

import dev.millrace.core.internal.Stamps;

/**
 * A producer of a {@link KFifoQueue}. What is in hand is a cell, where others have a sequence.
 *
 * @param <T> the view of a record
 */
final class KFifoProducer<T> extends QueueProducer<T> {
  private final KFifoQueue<T> queue;

  KFifoProducer(KFifoQueue<T> queue) {
    super(queue);
    this.queue = queue;
  }

  @Override
  boolean claimSlots(int limit) {
    long cell = queue.claim();
    if (cell == FreeCells.CLOSED) {
      queue.complete(); // so that all producers are refused from now on
    }
    if (cell < 0) {
      return false;
    }
    own.next(cell);
    own.end(cell + 1);
    return true;
  }

  @Override
  boolean publish(long cell, int count, long state) {
    if (state == Stamps.COMMITTED) {
      queue.put(cell);
    } else {
      queue.giveBack(cell);
      queue.producerWaiters.signal();
    }
    return true;
  }
}
