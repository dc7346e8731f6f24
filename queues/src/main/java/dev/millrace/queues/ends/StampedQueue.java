package dev.millrace.queues.ends;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.StallWatch;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;

/**
 * What the queues with many producers have in common: slots that are claimed by moving a tail, and
 * published by their stamps.
 *
 * @param <T> the view of a record
 */
abstract sealed class StampedQueue<T> extends OffHeapQueue<T> permits MpscQueue, MpmcQueue {
  /*
   * A  head.setRelease in MpscConsumer.free and     ->  head.getAcquire in    the tail that let the
   *    head.weakCompareAndSetRelease in                 isEmpty               head get so far
   *    MpmcConsumer.take
   */
  final FlyweightType<T> type;
  final Stamps stamps;
  final Claims claims;
  final Sequence head = new Sequence();
  final boolean canStall;

  /** Makes a queue; with a stamp for each slot of a run, or one for all. */
  StampedQueue(
      FlyweightType<T> type, QueueOptions options, boolean oneConsumer, boolean stampsEach) {
    this(type, options, oneConsumer, stampsEach, stallWatch(options));
  }

  private StampedQueue(
      FlyweightType<T> type,
      QueueOptions options,
      boolean oneConsumer,
      boolean stampsEach,
      StallWatch stalls) {
    // a consumer that looks for stalled claims must wake up often enough to find them in time
    super(
        type,
        options,
        false,
        oneConsumer,
        stalls == null ? WaitStrategy.FOREVER : stalls.lookNanos(),
        0);
    this.type = type;
    this.stamps = Stamps.of(ring.memory(), ring.strideBytes(), options.capacity());
    this.claims = new Claims(stamps, stalls, stampsEach);
    this.canStall = stalls != null;
  }

  private static StallWatch stallWatch(QueueOptions options) {
    long nanos = options.stallNanos();
    return nanos == WaitStrategy.FOREVER ? null : new StallWatch(nanos);
  }

  @Override
  final void closeToProducers() {
    claims.close();
  }

  @Override
  public final boolean isCompleted() {
    return claims.isClosed();
  }

  @Override
  final boolean isEndKnown() {
    return claims.isClosing() && claims.isClosed(); // from the moment when claims are refused
  }

  /** Whether at some moment of the call all that was claimed had been taken. */
  final boolean isEmpty() {
    long first = head.getAcquire(); // acquire A: hence a tail that is not behind it
    return claims.end() <= first;
  }

  @Override
  public final int sizeEstimate() {
    long first = head.getOpaque(); // opaque: an estimate
    return size(first, claims.end());
  }
}
