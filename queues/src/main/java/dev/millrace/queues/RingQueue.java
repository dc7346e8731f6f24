package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.FlyweightType;

/**
 * What the queues have in common whose records lie in a ring, in the order of their sequences: all
 * that can be seen of them from outside.
 *
 * @param <T> the view of a record
 */
abstract sealed class RingQueue<T> extends OffHeapQueue<T> permits SpscQueue, StampedQueue {
  /*
   * A  head.setRelease in SpscConsumer.release  ->  head.getAcquire in  the rest of the run of what
   *    and MpscConsumer.free                          firstPosition       was released
   */
  final Sequence head = new Sequence();

  RingQueue(FlyweightType<T> type, QueueOptions options, boolean oneProducer, boolean oneConsumer) {
    super(type, options, oneProducer, oneConsumer, 0);
  }

  /** Up to which sequence slots are claimed, at least. */
  abstract long claimedEnd();

  /** As {@link #recordsAt}, by the stamp of a sequence's slot alone. */
  abstract long stampedAt(long sequence);

  @Override
  final long size() {
    long first = head.getOpaque(); // opaque: an estimate
    return claimedEnd() - first;
  }

  @Override
  final long firstPosition() {
    return head.getAcquire(); // acquire A: the run that it is in the midst of
  }

  @Override
  final long endPosition() {
    return claimedEnd();
  }

  /** A record below what was seen that no stamp tells of is in the run that the head is amid. */
  @Override
  final long recordsAt(long position, long seen) {
    long stamped = stampedAt(position);
    return stamped < 0 && position < seen ? 1 : stamped;
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
