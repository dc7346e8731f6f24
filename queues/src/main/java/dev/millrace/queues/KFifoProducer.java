package dev.millrace.queues;

import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Cursor;
import dev.millrace.flyweight.internal.RecordProducer;

/**
 * A producer of a {@link KFifoQueue}, one of any number. Claims that do not wait, commit and abort
 * are lock-free. A run is one record long.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class KFifoProducer<T> extends RecordProducer<T> {
  // The protocol stands in KFifoQueue. What is in hand is a cell, in place of a sequence.
  private final KFifoQueue<T> queue;
  private final boolean signals;

  KFifoProducer(KFifoQueue<T> queue, T view) {
    super(queue, queue.ring, new Cursor(), view, queue.producerWaiters);
    this.queue = queue;
    this.signals = queue.consumerWaiters.needSignals();
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryClaim() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw isOpen();
    }
    long cell = queue.claim();
    if (cell >= 0) {
      own.next(cell);
      own.end(cell + 1);
      view.moveTo(ring.recordOffset(cell));
    } else if (cell == FreeCells.CLOSED) {
      queue.complete(); // so that all producers are refused from now on
      throw completed();
    }
    assert role.end(call);
    return cell >= 0 ? (T) view : null;
  }

  @Override
  public int tryClaim(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return tryClaim() == null ? 0 : 1;
  }

  @Override
  public void commit() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    queue.put(end());
    assert role.end(call);
    if (signals) {
      queue.consumerWaiters.signal();
    }
  }

  @Override
  public void abort() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    queue.giveBack(end());
    assert role.end(call);
  }

  private long end() {
    long cell = own.next();
    if (own.end() == cell) {
      throw noneOpen();
    }
    own.end(cell);
    view.leave();
    return cell;
  }

  /** Aborts an open claim, if there is one. The queue and its other producers go on. */
  @Override
  public void close() {
    if (own.end() != own.next()) {
      abort();
    }
  }

  @Override
  protected boolean refuses(int count) {
    return queue.refuses(count);
  }
}
