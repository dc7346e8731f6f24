package dev.millrace.queues;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.RecordConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of a {@link KFifoQueue}. It has a cell in hand where other consumers have a sequence.
 *
 * @param <T> the view of a record
 */
final class KFifoConsumer<T> extends RecordConsumer<T> {
  private final KFifoQueue<T> queue;

  KFifoConsumer(KFifoQueue<T> queue, T view) {
    super(queue, queue.ring, new Cursor(), view, 1, queue.consumerWaiters, queue.producerWaiters);
    this.queue = queue;
  }

  @Override
  public @Nullable T tryPoll() {
    long call = beginPoll(own);
    return endPoll(own, call, queue.tryTake());
  }

  @Override
  public int tryPoll(int limit) {
    long call = beginPoll(own, limit);
    return endPoll(own, call, queue.tryTake()) == null ? 0 : 1;
  }

  @Override
  public void release() {
    long call = beginRelease(own);
    long cell = own.next();
    own.next(own.end());
    queue.giveBack(cell);
    endRelease(call);
  }

  @Override
  public boolean isDrained() {
    return queue.isDrained();
  }
}
