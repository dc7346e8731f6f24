package dev.millrace.queues;

import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.ring.RingProtocol;
import dev.millrace.core.internal.ring.SharedClaims;
import dev.millrace.flyweight.FlyweightType;

/**
 * The common part of the queues whose records go through a {@link RingProtocol}.
 *
 * @param <T> the view of a record
 */
abstract sealed class RingQueue<T> extends OffHeapQueue<T> permits SpscQueue, MpscQueue, MpmcQueue {
  /** The metrics of queues with one producer. */
  static final Metrics<OffHeapQueue<?>> NUMBERED =
      METRICS
          .counter("claimed", queue -> ring(queue).claimedCount())
          .counter("committed", queue -> ring(queue).committedCount())
          .counter("consumed", queue -> ring(queue).consumedCount());

  /** The metrics of queues whose producers share claims. */
  static final Metrics<OffHeapQueue<?>> SHARED =
      NUMBERED
          .counter("aborted", queue -> claims(queue).abortedCount())
          .counter("stalled", queue -> claims(queue).stalledCount())
          .counter("refused", queue -> claims(queue).refusedCount())
          .gauge("outOfUse", queue -> claims(queue).outOfUseCount());

  private static RingQueue<?> ring(OffHeapQueue<?> queue) {
    return (RingQueue<?>) queue;
  }

  @SuppressWarnings("NullAway") // called for queues of many producers
  private static SharedClaims claims(OffHeapQueue<?> queue) {
    return ring(queue).protocol().sharedClaims();
  }

  /*
   * A  head.setRelease in MpscRing.release  ->  head.getAcquire in     the rest of the run that
   *    and SpscRing.release                     firstPosition          the head is inside
   */
  RingQueue(FlyweightType<T> type, QueueOptions options, boolean oneProducer, boolean oneConsumer) {
    super(type, options, oneProducer, oneConsumer, 0);
  }

  /** Returns the protocol. */
  abstract RingProtocol protocol();

  // ---- the end ----

  @Override
  final void closeToProducers() {
    protocol().close();
  }

  @Override
  public boolean isCompleted() {
    return protocol().isClosed();
  }

  @Override
  final boolean isEndKnown() {
    // shared claims are final once new ones are rejected; a sole producer's claims are final only
    // after the closing thread's fence
    return protocol().sharedClaims() == null ? super.isEndKnown() : protocol().isClosed();
  }

  @Override
  final boolean isConsumed() {
    return protocol().isConsumed();
  }

  @Override
  final void memoryFreed() {
    protocol().forget();
  }

  // ---- seen from outside ----

  @Override
  final long size() {
    long first = protocol().head().getOpaque(); // opaque: an estimate
    return protocol().end() - first;
  }

  @Override
  final long firstPosition() {
    return protocol().head().getAcquire(); // acquire A: the run that it is inside
  }

  @Override
  final long endPosition() {
    return protocol().end();
  }

  @Override
  final long seenEnd() {
    return protocol().seenEnd();
  }

  @Override
  final long stampedAt(long sequence) {
    return protocol().recordsAt(sequence);
  }

  @Override
  final long markAt(long sequence) {
    long first = protocol().head().getOpaque(); // opaque: a fence orders it in Snapshot
    return first <= sequence ? sequence + 1 : 0;
  }

  private long claimedCount() {
    SharedClaims claims = protocol().sharedClaims();
    return claims == null ? protocol().end() : claims.claimedCount();
  }

  /** Returns how many records were consumed, given the sequence of the first one that was not. */
  private long consumedBefore(long first) {
    return Math.max(0, first - protocol().passedCount()); // read at different moments
  }

  private long consumedCount() {
    return consumedBefore(protocol().head().getOpaque()); // opaque: a count
  }

  private long committedCount() {
    long first = protocol().head().getOpaque(); // opaque: a count
    return consumedBefore(first) + committedFrom(first);
  }
}
