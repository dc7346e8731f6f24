package dev.millrace.queues;

import dev.millrace.core.internal.ring.RingProtocol;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.internal.QueueState;

/**
 * Common part of the queues whose records go through a {@link RingProtocol}.
 *
 * @param <T> the view of a record
 */
abstract sealed class RingQueue<T> extends OffHeapQueue<T> permits SpscQueue, MpscQueue, MpmcQueue {
  /*
   * A  head.setRelease in MpscRing.release  ->  head.getAcquire in     the rest of the run that
   *    and SpscRing.release                     firstPosition          the head is inside
   */
  RingQueue(FlyweightType<T> type, QueueOptions options, boolean oneProducer, boolean oneConsumer) {
    super(type, options, oneProducer, oneConsumer, 0);
  }

  /** The protocol. */
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
    // shared claims are final as soon as they are refused; one producer's after the closer's fence
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

  @Override
  final void readMetrics(long[] values, int counters, int gauges) {
    super.readMetrics(values, counters, gauges);
    RingProtocol protocol = protocol();
    readConsumed(
        values, counters, protocol.head().getOpaque(), protocol.passedCount()); // opaque: a count
    if (protocol.sharedClaims() == null) {
      values[counters + 1] = protocol.end();
    } else {
      QueueState.readClaims(values, counters, gauges, protocol.sharedClaims());
    }
  }
}
