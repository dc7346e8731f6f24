package dev.millrace.queues;

import dev.millrace.core.internal.Checks;
import dev.millrace.flyweight.internal.RecordConsumer;

/**
 * A consumer of a {@link KFifoQueue}, one of any number. Polls that do not wait and release are
 * lock-free. A run is one record long.
 *
 * <p>Consumers are told of the end when all records are released. So a thread that holds a record
 * by one consumer should not wait by another: at the end it would wait for itself.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class KFifoConsumer<T> extends RecordConsumer<T> {
  // The protocol stands in KFifoQueue. What is in hand is a cell, in place of a sequence.
  private final KFifoQueue<T> queue;

  KFifoConsumer(KFifoQueue<T> queue, T view) {
    super(queue, queue.ring, view, queue.consumerWaiters, 1);
    this.queue = queue;
  }

  @Override
  protected long next() {
    return own.next();
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryPoll() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw isOpen();
    }
    long cell = take();
    if (cell >= 0) {
      own.next(cell);
      own.end(cell + 1);
      view.moveTo(ring.recordOffset(cell));
    }
    assert role.end(call);
    return cell >= 0 ? (T) view : null;
  }

  private long take() {
    try {
      return queue.take();
    } catch (IllegalStateException e) {
      return KFifoQueue.NOWHERE; // the memory is freed: the queue is closed
    }
  }

  @Override
  public int tryPoll(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return tryPoll() == null ? 0 : 1;
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long cell = own.next();
    if (own.end() <= cell) {
      throw noneOpen();
    }
    own.end(cell);
    view.leave();
    giveBack(cell);
    assert role.end(call);
  }

  private void giveBack(long cell) {
    try {
      queue.giveBack(cell);
    } catch (IllegalStateException e) {
      // the memory is freed: the queue is closed
    }
  }

  @Override
  public boolean isDrained() {
    return queue.isDrained();
  }
}
