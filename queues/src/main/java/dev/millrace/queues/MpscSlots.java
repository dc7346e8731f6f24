package dev.millrace.queues;

import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Role;
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
    this.producers = new GatedClaims(claims, capacity, head);
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
        int ready = claims.ready(sequence, 1); // acquire A; linearizes
        if (ready > 0) {
          return sequence;
        }
        if (ready == 0) {
          return NONE;
        }
        if (ready != Claims.LOOK_AGAIN) {
          free(sequence);
        }
      }
    } catch (IllegalStateException e) {
      return NONE; // the memory is freed: the queue is drained
    }
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
