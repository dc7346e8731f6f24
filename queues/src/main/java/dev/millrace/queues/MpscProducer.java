package dev.millrace.queues;

import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.RevocableClaims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Stamps;

/**
 * A producer of an {@link MpscQueue}, one of any number. Claims that do not wait are lock-free: one
 * is retried only when another producer claimed meanwhile. Commit and abort are wait-free.
 *
 * <p>In a queue with a stall limit a claim may be given up while it is open: then {@link #commit}
 * throws, and an abort changes nothing.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class MpscProducer<T> extends QueueProducer<T> {
  /*
   * MpscQueue describes the protocol.
   *
   * A  STAMP.setRelease in publish    ->  stamp.getAcquire in        slot bytes
   *                                        Stamps.read
   * B  head.setRelease in             ->  head.getAcquire in         slots are free again
   *    MpscConsumer.free                   Gate.slowest
   */
  private final GatedClaims slots;
  private final Claims claims;
  private final Stamps stamps;
  private final RevocableClaims revocable; // null without a stall limit

  MpscProducer(MpscQueue<T> queue) {
    super(queue);
    this.slots = queue.slots;
    this.claims = queue.claims;
    this.stamps = queue.stamps;
    this.revocable = queue.revocable;
  }

  @Override
  boolean claimSlots(int limit) {
    return slots.tryClaim(own, limit); // acquire B: slots are free
  }

  @Override
  boolean publish(long sequence, int count, long state) {
    if (revocable != null) {
      return revocable.end(sequence, count, state); // release A: as below
    }
    // release A: slot bytes; linearizes. The JIT has just checked view.memory()
    Ring.STAMP.setRelease(
        view.memory(), ring.offset(sequence), stamps.word(sequence, count, state));
    if (state == Stamps.ABORTED) {
      claims.countAborted(count);
    }
    return true;
  }
}
