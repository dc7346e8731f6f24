package dev.millrace.queues;

import dev.millrace.core.internal.ring.RecordProducer;
import dev.millrace.core.internal.ring.SpscRing;
import org.jspecify.annotations.Nullable;

/**
 * The producer of an {@link SpscQueue}. {@code claim} may wait. All other methods are wait-free.
 * {@link #close} also completes the queue.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class SpscProducer<T> extends RecordProducer<T> {
  private final SpscQueue<T> queue;
  private final SpscRing.ProducerSide side;

  SpscProducer(SpscQueue<T> queue, SpscRing.ProducerSide side, T view) {
    super(queue, queue.ring, side, view, queue.producerWaiters, queue.consumerWaiters);
    this.queue = queue;
    this.side = side;
  }

  @Override
  public @Nullable T tryClaim() {
    long call = beginClaim(side);
    return endClaim(call, side.tryClaim(1));
  }

  @Override
  public int tryClaim(int limit) {
    long call = beginClaim(side, limit);
    long most = Math.min(limit, ring.contiguous(side.next()));
    return endClaimOfRun(side, call, side.tryClaimUpTo(most, 1));
  }

  @Override
  public void commit() {
    long call = beginEnd(side);
    endCommit(call, side.commit(ring));
  }

  @Override
  public void abort() {
    long call = beginEnd(side);
    side.abort();
    endAbort(call);
  }

  @Override
  protected void completeOwn() {
    side.closeOwn();
    queue.state.noteCompletion();
  }

  @Override
  protected boolean tryRefuse(int count) {
    return queue.state.tryRefuse(count);
  }
}
