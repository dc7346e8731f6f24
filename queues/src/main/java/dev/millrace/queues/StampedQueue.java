package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.RevocableClaims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.FlyweightType;
import java.util.List;

/**
 * Common part of the queues with many producers: slots are claimed by moving a tail, and published
 * by their stamps.
 *
 * @param <T> the view of a record
 */
abstract sealed class StampedQueue<T> extends OffHeapQueue<T>
    permits MpscQueue, MpmcQueue, MessageQueue {
  /*
   * A  head.setRelease in MpscConsumer.free and     ->  head.getAcquire in    the tail that let the
   *    head.weakCompareAndSetRelease in                 isEmpty               head get so far
   *    MpmcConsumer.take
   * B  STAMP.setRelease in MpscProducer.publish,    ->  stamp.getAcquire in   what was done with a
   *    MpmcProducer.stamp and                           Stamps.read           slot before it was left
   *    MpmcConsumer.stampFree
   */
  static final List<String> COUNTERS =
      commonAnd("claimed", "committed", "consumed", "aborted", "refused", "stalled");
  static final List<String> GAUGES = List.of("size", "capacity", "highWater", "outOfUse");

  final Stamps stamps;
  final Claims claims;
  final RevocableClaims revocable; // null without a stall limit
  private final Gate gate; // null with many producers

  /**
   * How many slots consumers have passed without a record for them: slots that hold none, and
   * dropped records.
   */
  private final Sequence passed = new Sequence();

  /** Makes a queue; with a stamp for each slot of a run, or one for all. */
  StampedQueue(
      FlyweightType<T> type, QueueOptions options, boolean oneConsumer, boolean stampsEach) {
    super(type, options, false, oneConsumer, 0);
    this.stamps = Stamps.of(ring.memory(), ring.strideBytes(), ring.mask() + 1);
    this.gate = null;
    this.claims = new Claims(stamps, options.stallNanos(), stampsEach);
    this.revocable = claims.revocable();
  }

  /** Makes a queue without a type, in memory that is there: see {@link OffHeapQueue}. */
  StampedQueue(
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      NativeMemory memory,
      Ring ring,
      Sequence head,
      Sequence tail,
      Gate gate) {
    super(null, options, oneProducer, oneConsumer, memory, ring, head);
    this.stamps = Stamps.of(ring.memory(), ring.strideBytes(), ring.mask() + 1);
    this.gate = gate;
    this.claims = new Claims(stamps, options.stallNanos(), false, tail, gate);
    this.revocable = claims.revocable();
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
    // from the moment when claims are refused; with a gate, once its closer has executed the fence
    return gate == null ? claims.isClosed() : super.isEndKnown();
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
      return claims.isEmptyFrom(firstInUse(claims.end())); // acquire B
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
    // FREE counts the slots of the turn before
    boolean isOfTurn =
        stamps.compareTurn(word, sequence) == 0 && Stamps.stateOf(word) != Stamps.FREE;
    return isOfTurn || Stamps.isGivenUp(word) ? Math.min(-1, -Stamps.countOf(word)) : -1;
  }

  /** Counts slots that were passed without giving a consumer a record. */
  final void countPassed(int count) {
    passed.getAndAddAcquire(count); // atomic: a count
  }

  @Override
  public List<String> counters() {
    return COUNTERS;
  }

  @Override
  public List<String> gauges() {
    return GAUGES;
  }

  @Override
  final void readMetrics(long[] values, int counters, int gauges) {
    super.readMetrics(values, counters, gauges);
    long first = head.getOpaque(); // opaque: a count
    long consumed = Math.max(0, first - passed.getOpaque()); // opaque: a count, perhaps ahead
    values[counters + 1] = claims.claimedCount();
    values[counters + 2] = consumed + committedFrom(first);
    values[counters + 3] = consumed;
    values[counters + 4] = claims.abortedCount();
    values[counters + 5] = claims.refusedCount();
    values[counters + 6] = claims.stalledCount();
    values[gauges + 3] = claims.outOfUseCount();
  }
}
