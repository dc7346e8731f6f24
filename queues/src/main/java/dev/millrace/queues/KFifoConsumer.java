package dev.millrace.queues;

/**
 * A consumer of a {@link KFifoQueue}. What is in hand is a cell, where others have a sequence.
 *
 * @param <T> the view of a record
 */
final class KFifoConsumer<T> extends QueueConsumer<T> {
  private final KFifoQueue<T> queue;

  KFifoConsumer(KFifoQueue<T> queue) {
    super(queue, 1);
    this.queue = queue;
  }

  @Override
  protected long next() {
    return own.next();
  }

  @Override
  boolean take(int limit) {
    try {
      long cell = queue.take();
      if (cell == KFifoQueue.NOWHERE) {
        return false;
      }
      own.next(cell);
      own.end(cell + 1);
      return true;
    } catch (IllegalStateException e) {
      return false; // the memory is freed: the queue is closed
    }
  }

  @Override
  void free(long cell, int count) {
    own.next(cell + count);
    try {
      queue.giveBack(cell);
    } catch (IllegalStateException e) {
      // the memory is freed: the queue is closed
    }
  }
}
