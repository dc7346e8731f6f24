package dev.millrace.queues;

import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.RevocableClaims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.StallWatch;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.RecordLayout;

/** Many producers: a slot is claimed by moving the tail, and published by its stamp. */
abstract sealed class StampedSlots extends RecordSlots permits MpscSlots, MpmcSlots {
  /*
   * A  STAMP.setRelease in publish    ->  stamp.getAcquire in Stamps.read   slot bytes
   */
  final Stamps stamps;
  final Claims claims;
  final RevocableClaims revocable; // null without a stall limit

  StampedSlots(RecordLayout layout, QueueOptions options, boolean oneConsumer, boolean stampsEach) {
    // a consumer that looks for stalled claims must wake up often enough to find them in time
    super(layout, options, false, oneConsumer, StallWatch.lookNanos(options.stallNanos()));
    this.stamps = Stamps.of(ring.memory(), ring.strideBytes(), ring.mask() + 1);
    this.claims = new Claims(stamps, options.stallNanos(), stampsEach);
    this.revocable = claims.revocable();
  }

  /** As {@link #tryClaim}; may throw if producers that stalled hold all, or the memory is freed. */
  abstract long claimSlot();

  @Override
  final long claimNext() {
    long sequence;
    try {
      sequence = claimSlot();
    } catch (IllegalStateException e) {
      if (isDrained()) {
        return CLOSED; // the memory is freed
      }
      throw noRoom(e);
    }
    if (sequence == NONE && claims.outOfUseCount() >= capacity) {
      throw noRoom(null);
    }
    return sequence;
  }

  private IllegalStateException noRoom(IllegalStateException cause) {
    return new IllegalStateException(
        "queue must have room, but producers that stalled hold all of it: capacity=" + capacity,
        cause);
  }

  @Override
  final boolean publish(long sequence) {
    if (revocable != null) {
      return revocable.end(sequence, 1, Stamps.COMMITTED); // release A: as below
    }
    long word = stamps.word(sequence, 1, Stamps.COMMITTED);
    // release A: slot bytes; linearizes
    Ring.STAMP.setRelease(ring.memory(), ring.offset(sequence), word);
    return true;
  }

  @Override
  final long end() {
    return claims.end();
  }

  @Override
  final void closeToProducers() {
    claims.close();
  }

  /** From which sequence on slots may be in use once no claim succeeds any more. */
  abstract long firstInUse(long end);

  @Override
  final boolean isConsumed() {
    try {
      return claims.isEmptyFrom(firstInUse(claims.end())); // acquire: what was done before
    } catch (IllegalStateException e) {
      return true; // the memory is freed: the queue is drained
    }
  }

  @Override
  final State stateAt(long sequence) {
    long word = stamps.read(ring.offset(sequence)); // acquire A
    if (stamps.isCommitted(word, sequence)) {
      return State.RECORD;
    }
    return stamps.isEmpty(word, sequence) ? State.GAP : State.UNKNOWN;
  }

  @Override
  final long stalledCount() {
    return claims.stalledCount();
  }

  @Override
  final long gapCount() {
    return claims.skippedCount() + claims.stalledCount();
  }
}
