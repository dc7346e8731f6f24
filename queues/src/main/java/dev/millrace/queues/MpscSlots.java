package dev.millrace.queues;

import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.GatedClaims;
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
   *    StampedSlots.publish
   * B  head.setRelease in free         ->  head.getAcquire in Gate.slowest  slots are free again
   */
  private final GatedClaims producers;

  MpscSlots(RecordLayout layout, QueueOptions options) {
    super(layout, options, true, false);
    this.producers = new GatedClaims(claims, capacity, head);
  }

  @Override
  long claimSlot() {
    return producers.tryClaim(1); // acquire B: slot is free
  }

  @Override
  long pollNext() {
    while (true) {
      long sequence = head.getPlain(); // plain: only the consumer writes it
      int ready = claims.ready(sequence, 1); // acquire A; linearizes
      if (ready >= 0) {
        return ready > 0 ? sequence : NONE;
      }
      if (ready != Claims.LOOK_AGAIN) { // it holds none because its producer stalled
        free(sequence);
        signalProducers();
      }
    }
  }

  @Override
  void free(long sequence) {
    head.setRelease(sequence + 1); // release B: the reads of the slot
  }

  @Override
  long firstInUse(long end) {
    return head.getOpaque(); // opaque: out of date at worst
  }
}
