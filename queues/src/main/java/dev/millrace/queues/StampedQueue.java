package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.FlyweightType;
import java.util.List;

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
   * B  STAMP.setRelease in MpscProducer.publish,    ->  stamp.getAcquire in   what was done with a
   *    MpmcProducer.stamp and                           Stamps.read           slot before it was left
   *    MpmcConsumer.stampFree
   */
  static final List<Metric> METRICS =
      commonAnd(
          Metric.counter("claimed"),
          Metric.counter("committed"),
          Metric.counter("consumed"),
          Metric.counter("aborted"),
          Metric.counter("refused"),
          Metric.counter("stalled"),
          Metric.gauge("outOfUse"));

  final Stamps stamps;
  final Claims claims;
  final boolean canStall;

  /**
   * How many slots consumers have come past that held nothing for them: none, or what is dropped.
   */
  private final Sequence passed = new Sequence();

  /** Makes a queue; with a stamp for each slot of a run, or one for all. */
  StampedQueue(
      FlyweightType<T> type, QueueOptions options, boolean oneConsumer, boolean stampsEach) {
    super(type, options, false, oneConsumer, 0);
    this.stamps = Stamps.of(ring.memory(), ring.strideBytes(), options.capacity());
    this.claims = new Claims(stamps, stalls, stampsEach);
    this.canStall = stalls != null;
  }

  @Override
  final void closeToProducers() {
    claims.close();
  }

  @Override
  public boolean isCompleted() {
    return claims.isClosed();
  }

  @Override
  final boolean isEndKnown() {
    return claims.isClosing() && claims.isClosed(); // from the moment when claims are refused
  }

  @Override
  final boolean isEmpty() {
    long first = head.getAcquire(); // acquire A: hence a tail that is not behind it
    return claims.end() <= first;
  }

  /** From which sequence on slots may be in use once no claim succeeds any more. */
  abstract long firstInUse(long end);

  /** Whether no slot holds a record or an open claim; a run's turn ends with its last slot. */
  @Override
  final boolean isConsumed() {
    try {
      long end = claims.end(); // final
      long sequence = firstInUse(end);
      int empty = 1;
      while (sequence < end && empty > 0) {
        long word = stamps.read(stamps.offset(sequence)); // acquire B
        empty = stamps.compareTurn(word, sequence) > 0 ? 1 : claims.emptyAt(sequence); // acquire B
        sequence += empty;
      }
      return sequence >= end;
    } catch (IllegalStateException e) {
      return true; // the memory is freed: the queue is closed
    }
  }

  // ---- seen from outside ----

  @Override
  final long endPosition() {
    return claims.end();
  }

  @Override
  final long stampedAt(long sequence) {
    long word = stamps.read(stamps.offset(sequence)); // acquire: slot bytes, as for a consumer
    if (stamps.isCommitted(word, sequence)) {
      return Stamps.countOf(word);
    }
    boolean counts = stamps.compareTurn(word, sequence) == 0 || Stamps.isGivenUp(word);
    return counts ? Math.min(-1, -Stamps.countOf(word)) : -1;
  }

  /** Notes that slots are passed which no consumer has had a record from. */
  final void countPassed(int count) {
    passed.getAndAddAcquire(count); // atomic: a count
  }

  @Override
  public List<Metric> metrics() {
    return METRICS;
  }

  @Override
  final void readOwnMetrics(long[] values, int from) {
    long first = head.getOpaque(); // opaque: a count
    long consumed = Math.max(0, first - passed.getOpaque()); // opaque: a count, perhaps ahead
    values[from] = claims.claimedCount();
    values[from + 1] = consumed + committedFrom(first);
    values[from + 2] = consumed;
    values[from + 3] = claims.abortedCount();
    values[from + 4] = claims.refusedCount();
    values[from + 5] = claims.stalledCount();
    values[from + 6] = claims.outOfUseCount();
  }
}
