package dev.millrace.queues;

import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.RecordLayout;

/** Many producers, one consumer: its head tells the producers which slots are free. */
final class MpscSlots extends StampedSlots {
  /*
   *   field            writer             write mode  read by
   *   stamp            producer           release     consumer and viewers: acquire
   *   claims' tail     producers, closer  release     producers and any: acquire
   *   head             consumer           release     consumer: plain; producers, through the limit:
   *                                                   acquire; any: opaque, then a fence
   *   producers' limit producers          release     producers: acquire
   *
   * Invariant: head <= tail <= head + capacity.
   *
   * A  STAMP.setRelease in             ->  stamp.getAcquire in Stamps.read  slot bytes
   *    StampedSlots.commit
   * B  head.setRelease in free         ->  head.getAcquire in Gate.slowest  slots are free again
   */
  private final GatedClaims producers;
  private final Role consumer = new Role("RecordQueue.mpsc allows one consumer at a time");

  MpscSlots(RecordLayout layout, QueueOptions options) {
    super(layout, options, true, false);
    this.producers = new GatedClaims(claims, stamps, canStall, capacity, head);
  }

  @Override
  long claimSlot() {
    return producers.tryClaim(1); // acquire B: slot is free
  }

  @Override
  long tryPoll() {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    long sequence = nextRecord();
    assert consumer.end(call);
    return sequence;
  }

  /** Where the next record is, behind slots that hold none because their producer stalled. */
  private long nextRecord() {
    try {
      while (true) {
        long sequence = head.getPlain(); // plain: only the consumer writes it
        // acquire A: sees commit, hence the slot bytes; linearizes
        long word = stamps.read(ring.offset(sequence));
        if (stamps.isCommitted(word, sequence)) {
          return sequence;
        }
        int gap = claims.gapAt(sequence, word);
        if (gap == 0) {
          return NONE;
        }
        if (gap > 0) {
          pass(sequence, word);
        }
      }
    } catch (IllegalStateException e) {
      return NONE; // the memory is freed: the queue is drained
    }
  }

  private void pass(long sequence, long word) {
    if (Stamps.stateOf(word) == Stamps.LET_GO) {
      // producers come here only after the head has passed
      stamps.mark(ring.offset(sequence), stamps.word(sequence, 1, Stamps.ABORTED));
      claims.backInUse(1);
    }
    free(sequence);
  }

  @Override
  void release(long sequence) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    free(sequence);
    assert consumer.end(call);
  }

  private void free(long sequence) {
    head.setRelease(sequence + 1); // release B: the reads of the slot
    if (signalsProducers) {
      producerWaiters.signal();
    }
  }

  @Override
  long firstInUse(long end) {
    return head.getOpaque(); // opaque: out of date at worst
  }
}
