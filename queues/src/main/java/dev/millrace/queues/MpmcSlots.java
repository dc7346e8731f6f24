package dev.millrace.queues;

import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.RecordLayout;

/** Many producers, many consumers: a slot's stamp tells whose turn it is. */
final class MpmcSlots extends StampedSlots {
  /*
   * A slot is handed round by its stamp alone: free for the claim of its sequence, committed for its
   * consumer, free for the next turn. Tail and head only share out the sequences.
   *
   *   field         writer             write mode         read by
   *   stamp         the slot's owner   release, or an     all: acquire
   *                                    exchange
   *   claims' tail  producers, closer  exchange: release  all: acquire
   *   head          consumers          exchange: release  all: opaque, then a fence where it is
   *                                                       compared
   *   limit         producers          see GatedClaims    producers
   *
   * Invariant: head <= tail <= head + capacity. If the capacity is that of the ring, the stamps see
   * to that; else producers must not reach the limit either, a head that one of them has seen plus
   * the capacity.
   *
   * A  STAMP.setRelease in           ->  stamp.getAcquire in Stamps.read  slot bytes
   *    StampedSlots.publish
   * B  STAMP.setRelease in free      ->  stamp.getAcquire in Stamps.read  slot is free again; what
   *                                                                       the consumer did
   * D  head.weakCompareAndSetRelease ->  VarHandle.acquireFence in        the tail that let it get
   *    in pollNext                         RecordSlots.isEmpty              so far
   */
  private final boolean isLimited;
  private final GatedClaims producers;

  MpmcSlots(RecordLayout layout, QueueOptions options) {
    super(layout, options, false, true);
    this.isLimited = capacity <= ring.mask();
    this.producers = new GatedClaims(claims, capacity, head);
  }

  // ---- producers ----

  @Override
  long claimSlot() {
    long first = revocable == null ? 0 : claims.tail();
    while (true) {
      long sequence = claims.tail();
      if (sequence < 0) {
        return CLOSED;
      }
      if (isLimited && !producers.admits(sequence + 1)) {
        return NONE;
      }
      long free = stamps.word(sequence, 0, Stamps.FREE);
      if (stamps.read(ring.offset(sequence)) == free) { // acquire B: slot is free
        if (claims.tryAdvance(sequence, sequence + 1)
            && (revocable == null || revocable.mark(sequence, 1, free))) {
          return sequence;
        }
      } else if (isInUse(sequence, sequence - first)) {
        return NONE;
      }
    }
  }

  /**
   * Whether the slot of the tail as it was seen is in use. If it is out of use instead, moves the
   * tail past it, unless this call has moved it by a whole lap already.
   */
  private boolean isInUse(long sequence, long moved) {
    long word = stamps.read(ring.offset(sequence)); // acquire B
    if (stamps.compareTurn(word, sequence) >= 0) {
      return false; // another claim came first, or it is free now
    }
    long most = head.getOpaque() + ring.mask() + 1; // opaque: the head only grows
    return revocable == null || moved > ring.mask() || !revocable.trySkip(sequence, word, most);
  }

  // ---- consumers ----

  @Override
  long pollNext() {
    while (true) {
      long sequence = head.getOpaque(); // opaque: the exchange confirms it
      // acquire A: sees publish, hence the slot bytes
      if (stamps.isCommitted(stamps.read(ring.offset(sequence)), sequence)) {
        // release D: what was claimed before; linearizes the poll
        if (head.weakCompareAndSetRelease(sequence, sequence + 1)) {
          return sequence;
        }
      } else if (!isMoving(sequence)) {
        return NONE;
      }
    }
  }

  /** Whether the head has moved on from a slot without a record, or can be moved past it. */
  private boolean isMoving(long sequence) {
    int ready = claims.ready(sequence, 1);
    if (ready < 0 && ready != Claims.LOOK_AGAIN) {
      pass(sequence);
    }
    return ready != 0;
  }

  private void pass(long sequence) {
    long word = stamps.peek(ring.offset(sequence)); // of this turn, if the head is still here
    // atomic: one consumer passes. What a poll before has released goes on through this exchange
    if (!head.weakCompareAndSetPlain(sequence, sequence + 1)) {
      return;
    }
    if (!Stamps.isGivenUp(word)) {
      free(sequence);
    }
    signalProducers(); // also of what is out of use: claims skip it, or find that no slot is left
  }

  @Override
  void free(long sequence) {
    long word = stamps.word(sequence + ring.mask() + 1, 0, Stamps.FREE);
    Ring.STAMP.setRelease(ring.memory(), ring.offset(sequence), word); // release B: its reads
  }

  // ---- the end ----

  @Override
  boolean isExhausted() {
    return isEndKnown() && isEmpty();
  }

  @Override
  long firstInUse(long end) {
    return Math.max(0, end - ring.mask() - 1); // consumers may still read what the head has passed
  }
}
