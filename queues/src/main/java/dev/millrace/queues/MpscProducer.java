package dev.millrace.queues;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.MpscRing;
import dev.millrace.core.internal.ring.RecordProducer;
import org.jspecify.annotations.Nullable;

/**
 * One of any number of producers of an {@link MpscQueue}. {@code tryClaim} is lock-free: it repeats
 * an attempt only if another producer claimed first. Commit and abort are wait-free.
 *
 * <p>In a queue with a stall limit, the consumer may give up a claim that stays open for too long.
 * For a claim that was given up, {@link #commit} throws, and {@link #abort} only lets the queue use
 * the claim's slots again.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class MpscProducer<T> extends RecordProducer<T> {
  private final MpscQueue<T> queue;
  private final MpscRing protocol;

  MpscProducer(MpscQueue<T> queue, MpscRing protocol, T view) {
    super(queue, queue.ring, new Cursor(), view, queue.producerWaiters, queue.consumerWaiters);
    this.queue = queue;
    this.protocol = protocol;
  }

  @Override
  public @Nullable T tryClaim() {
    long call = beginClaim(own);
    return endClaim(call, protocol.tryClaim(own, 1));
  }

  @Override
  public int tryClaim(int limit) {
    long call = beginClaim(own, limit);
    return endClaimOfRun(own, call, protocol.tryClaim(own, limit));
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if no claim is open, or if the claim was given up because it was
   *     open for longer than the stall limit. If the claim was given up, its records are lost, and
   *     no claim is open afterwards
   */
  @Override
  public void commit() {
    long call = beginEnd(own);
    endCommit(call, protocol.commit(ring, own));
  }

  @Override
  public void abort() {
    long call = beginEnd(own);
    protocol.abort(ring, own);
    endAbort(call);
  }

  @Override
  protected boolean tryRefuse(int count) {
    return queue.state.tryRefuse(count);
  }
}
