package dev.millrace.queues;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.RecordProducer;
import org.jspecify.annotations.Nullable;

/**
 * A producer of a {@link KFifoQueue}. It has a cell in hand where other producers have a sequence.
 *
 * @param <T> the view of a record
 */
final class KFifoProducer<T> extends RecordProducer<T> {
  private final KFifoQueue<T> queue;
  private final boolean wakesProducers;

  KFifoProducer(KFifoQueue<T> queue, T view) {
    super(queue, queue.ring, new Cursor(), view, queue.producerWaiters, queue.consumerWaiters);
    this.queue = queue;
    this.wakesProducers = queue.producerWaiters.needSignals();
  }

  @Override
  public @Nullable T tryClaim() {
    long call = beginClaim(own);
    return endClaim(call, queue.tryClaim(own));
  }

  @Override
  public int tryClaim(int limit) {
    long call = beginClaim(own, limit);
    return endClaimOfRun(own, call, queue.tryClaim(own));
  }

  @Override
  public void commit() {
    long call = beginEnd(own);
    endCommit(call, queue.tryPut(leaveCell()));
  }

  @Override
  public void abort() {
    long call = beginEnd(own);
    queue.giveBack(leaveCell());
    if (wakesProducers) {
      queue.producerWaiters.signal();
    }
    endAbort(call);
  }

  private long leaveCell() {
    long cell = own.next();
    own.next(own.end());
    return cell;
  }

  @Override
  protected boolean tryRefuse(int count) {
    return queue.state.tryRefuse(count);
  }
}
