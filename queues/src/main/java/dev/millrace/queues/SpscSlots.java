package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.RecordLayout;
import java.lang.invoke.VarHandle;

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
   * A  STAMP.setRelease in commit       ->  STAMP.getAcquire in          slot bytes, and put, of
   *                                           isPublished, stateAt         this and all commits before
   * B  head.setRelease in release       ->  head.getAcquire in           the slot is free again
   *                                           Gate.slowest
   * C  VarHandle.releaseFence in        ->  VarHandle.acquireFence in    that the head has passed,
   *    tryClaim                               RecordSlots.copyRecord       before new bytes
   * D  put.setOpaque in tryClaim,       ->  gate.close, Jvm.fenceAll     one sees the other: the
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
  private final Role producer = new Role("RecordQueue.spsc allows one producer at a time");
  private final Role consumer = new Role("RecordQueue.spsc allows one consumer at a time");

  SpscSlots(RecordLayout layout, QueueOptions options) {
    super(layout, options, true, true, WaitStrategy.FOREVER);
    this.gate = new Gate(capacity, head);
    this.ahead = (int) Math.min(ring.mask() + 1, STEP) - 1;
  }

  @Override
  long tryClaim() {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    long word = put.getPlain(); // plain: only the producer writes it
    long sequence = word >> 1;
    put.setOpaque(word + 1); // opaque: before the gate is read; the closer orders it, D
    if (!gate.admits(sequence + 1)) { // acquire B: slot is free
      long answer = refused(word);
      assert producer.end(call);
      return answer;
    }
    VarHandle.releaseFence(); // release C: that the head has passed, before new bytes
    assert producer.end(call);
    return sequence;
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
  boolean commit(long sequence) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    put.setOpaque(2 * (sequence + 1)); // opaque: the next store releases it
    // release A: slot bytes and put; linearizes
    Ring.STAMP.setRelease(ring.memory(), ring.offset(sequence), sequence + 1);
    assert producer.end(call);
    if (signalsConsumers) {
      consumerWaiters.signal();
    }
    return true;
  }

  @Override
  long tryPoll() {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    long sequence = head.getPlain(); // plain: only the consumer writes it
    boolean isThere = sequence < taker.limit() || hasMore(sequence);
    assert consumer.end(call);
    return isThere ? sequence : NONE;
  }

  /** Whether there is a record. If one some slots ahead is published, so are all before it. */
  private boolean hasMore(long sequence) {
    return ((sequence & ahead) == 0 && isPublished(sequence + ahead)) || isPublished(sequence);
  }

  private boolean isPublished(long sequence) {
    try {
      // acquire A: sees commit, hence the slot bytes; linearizes
      long end = (long) Ring.STAMP.getAcquire(ring.memory(), ring.offset(sequence));
      if (end <= sequence) {
        return false;
      }
      taker.limit(end);
      return true;
    } catch (IllegalStateException e) {
      return false; // the memory is freed: the queue is drained
    }
  }

  @Override
  void release(long sequence) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    head.setRelease(sequence + 1); // release B: the reads of the slot
    assert consumer.end(call);
    if (signalsProducers) {
      producerWaiters.signal();
    }
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
    // acquire A: sees commit, hence the slot bytes
    long end = (long) Ring.STAMP.getAcquire(ring.memory(), ring.offset(sequence));
    return end == sequence + 1 ? State.RECORD : State.UNKNOWN;
  }

  @Override
  long stalledCount() {
    return 0;
  }

  @Override
  long putCount() {
    return end();
  }

  @Override
  long gapCount() {
    return 0;
  }
}
