package dev.millrace.queues.ends;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;

/**
 * What the queues have in common whose records lie in a ring, in the order of their sequences: all
 * that can be seen of them from outside.
 *
 * @param <T> the view of a record
 */
abstract sealed class RingQueue<T> extends OffHeapQueue<T> permits SpscQueue, StampedQueue {
  final Sequence head = new Sequence();

  RingQueue(
      FlyweightType<T> type,
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      long consumerRestNanos) {
    super(type, options, oneProducer, oneConsumer, consumerRestNanos, 0);
  }

  /** Up to which sequence slots are claimed, at least. */
  abstract long claimedEnd();

  /**
   * Up to which sequence a consumer has seen that all are committed; may be behind the head. It may
   * be in the midst of a run, of which no stamp tells.
   */
  abstract long seenEnd();

  /** As {@link #recordsAt}, by the stamp of a sequence's slot. */
  abstract long stampedAt(long sequence);

  @Override
  final long size() {
    long first = head.getOpaque(); // opaque: an estimate
    return claimedEnd() - first;
  }

  @Override
  final long firstPosition() {
    return head.getOpaque(); // opaque: what is freed since is found not to be there
  }

  @Override
  final long endPosition() {
    return claimedEnd();
  }

  @Override
  final long recordsAt(long position) {
    long seen = seenEnd();
    return position < seen ? seen - position : stampedAt(position);
  }

  @Override
  final long markAt(long position) {
    return position;
  }

  @Override
  final long slotOffset(long mark) {
    return ring.offset(mark);
  }

  @Override
  final boolean isStillThere(long position, long mark) {
    return head.getOpaque() <= position; // opaque: a fence orders it, see Snapshot
  }
}
