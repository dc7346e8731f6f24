package dev.millrace.queues;

import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.MpmcRing;
import dev.millrace.core.internal.ring.RecordProducer;
import org.jspecify.annotations.Nullable;

/**
 * One of any number of producers of an {@link MpmcQueue}. {@code tryClaim} is lock-free: it repeats
 * an attempt only if another producer claimed first. Commit and abort are wait-free.
 *
 * <p>In a queue with a stall limit, consumers may give up a claim that stays open for too long. For
 * a claim that was given up, {@link #commit} throws, and {@link #abort} only lets the queue use the
 * claim's slots again.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class MpmcProducer<T> extends RecordProducer<T> {
  private final MpmcQueue<T> queue;
  private final MpmcRing protocol;
  private final @Nullable MpmcConsumer<T> dropping; // or null
  private final boolean wakesDroppers;
  private final Waiters.Attempt strictly;

  MpmcProducer(MpmcQueue<T> queue, MpmcRing protocol, T view, @Nullable MpmcConsumer<T> dropping) {
    super(queue, queue.ring, new Cursor(), view, queue.producerWaiters, queue.consumerWaiters);
    this.queue = queue;
    this.protocol = protocol;
    this.dropping = dropping;
    this.wakesDroppers = dropping != null && queue.producerWaiters.needSignals();
    this.strictly = () -> tryClaim() != null || protocol.isFull();
  }

  @Override
  public @Nullable T tryClaim() {
    long call = beginClaim(own);
    return endClaim(call, protocol.tryClaim(ring, own, 1));
  }

  @Override
  public int tryClaim(int limit) {
    long call = beginClaim(own, limit);
    return endClaimOfRun(own, call, protocol.tryClaim(ring, own, limit));
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
    boolean isPublished = protocol.commit(ring, own);
    wakeDroppers();
    endCommit(call, isPublished);
  }

  @Override
  public void abort() {
    long call = beginEnd(own);
    protocol.abort(ring, own);
    wakeDroppers();
    endAbort(call);
  }

  /** Wakes producers that drop the oldest record and may be waiting for this one. */
  private void wakeDroppers() {
    if (wakesDroppers) {
      queue.producerWaiters.signal();
    }
  }

  @Override
  protected boolean tryRefuse(int count) {
    return queue.state.tryRefuse(count);
  }

  @Override
  protected boolean tryMakeRoom() {
    if (dropping == null || protocol.isOldestInHand(ring) || dropping.tryPoll() == null) {
      return false;
    }
    dropping.release();
    protocol.countPassed(1);
    queue.state.countDropped(1);
    return true;
  }

  /**
   * Claims a record, and waits while a consumer still holds the next slot. In contrast, {@link
   * #tryClaim()} reports full without waiting for the consumer. If {@code strictClaim} returns
   * null, the queue really was full.
   *
   * @return the view, positioned on the record; null only if, at some moment during the call, the
   *     queue was full of records that were claimed but not taken
   * @throws IllegalStateException if a claim is open, or the queue is completed before or during
   *     the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public @Nullable T strictClaim() throws InterruptedException {
    return claimUntil(strictly);
  }
}
