package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.RecordLayout;

/** One producer, one consumer. */
final class SpscSlots extends RecordSlots {
  /*
   * A commit stamps its slot with the sequence after it. Commits are in order, so a stamp tells that
   * all records before it are published too; now and then the consumer reads one some slots ahead.
   *
   *   field         writer             write mode  read by
   *   stamp         producer           release     consumer and viewers: acquire
   *   put           producer           opaque      producer: plain; any: opaque
   *   head          consumer           release     consumer: plain; producer, through the gate:
   *                                                acquire; any: opaque
   *   taker.limit   consumer           plain       consumer: plain
   *   gate's limit  producer, closers  see Gate    producer
   *
   * put is twice the number of records put, plus 1 while a claim is open. Invariant: head <= put / 2
   * for whoever has acquired the head; put / 2 <= head + capacity.
   *
   * A  STAMP.setRelease in publish      ->  STAMP.getAcquire in          slot bytes, and put, of
   *                                           isPublished, stateAt         this and all commits before
   * B  head.setRelease in free          ->  head.getAcquire in           the slot is free again
   *                                           Gate.slowest
   * D  put.setOpaque in claimNext,      ->  gate.close, Jvm.fenceAll     one sees the other: the
   *    then gate.admits                       in closeToProducers, then    claim, or that the gate is
   *                                           put.getOpaque in isConsumed  closed
   *
   * Completion is exact at no cost to the producer, because the closer makes the producer's fence (D).
   */
  private static final int STEP = 16; // records between looks ahead, at most

  private final Sequence put = new Sequence();
  private final Cursor taker = new Cursor();
  private final Gate gate;
  private final int ahead; // how far to look ahead, a power of two, less 1

  SpscSlots(RecordLayout layout, QueueOptions options) {
    super(layout, options, true, true, WaitStrategy.FOREVER);
    this.gate = new Gate(capacity, head);
    this.ahead = (int) Math.min(ring.mask() + 1, STEP) - 1;
  }

  @Override
  long claimNext() {
    long word = put.getPlain(); // plain: only the producer writes it
    put.setOpaque(word + 1); // opaque: before the gate is read; the closer orders it, D
    long sequence = word >> 1;
    return gate.admits(sequence + 1) ? sequence : refused(word); // acquire B: slot is free
  }

  private long refused(long word) {
    put.setOpaque(word); // opaque: taken back
    if (!gate.isClosed()) {
      return NONE;
    }
    consumerWaiters.signal(); // a consumer may have waited for the claim to end
    return CLOSED;
  }

  @Override
  boolean publish(long sequence) {
    put.setOpaque(2 * (sequence + 1)); // opaque: the next store releases it
    // release A: slot bytes and put; linearizes
    Ring.STAMP.setRelease(ring.memory(), ring.offset(sequence), sequence + 1);
    return true;
  }

  @Override
  long pollNext() {
    long sequence = head.getPlain(); // plain: only the consumer writes it
    return sequence < taker.limit() || hasMore(sequence) ? sequence : NONE;
  }

  /** Whether there is a record. If one some slots ahead is published, so are all before it. */
  private boolean hasMore(long sequence) {
    return ((sequence & ahead) == 0 && isPublished(sequence + ahead)) || isPublished(sequence);
  }

  private boolean isPublished(long sequence) {
    // acquire A: sees publish, hence the slot bytes; linearizes
    long end = (long) Ring.STAMP.getAcquire(ring.memory(), ring.offset(sequence));
    if (end <= sequence) {
      return false;
    }
    taker.limit(end);
    return true;
  }

  @Override
  void free(long sequence) {
    head.setRelease(sequence + 1); // release B: the reads of the slot
  }

  @Override
  long end() {
    return put.getOpaque() >> 1; // opaque: callers order it
  }

  @Override
  void closeToProducers() {
    gate.close();
    Jvm.fenceAll(); // fence D: the gate is closed, before put is read
  }

  @Override
  boolean isConsumed() {
    long word = put.getOpaque(); // opaque: final, or to be taken back, by fence D
    return 2 * head.getOpaque() == word; // opaque: out of date at worst
  }

  @Override
  State stateAt(long sequence) {
    // acquire A: sees publish, hence the slot bytes
    long end = (long) Ring.STAMP.getAcquire(ring.memory(), ring.offset(sequence));
    return end == sequence + 1 ? State.RECORD : State.UNKNOWN;
  }
}
