package dev.millrace.queues.ends;

import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.internal.RecordProducer;

/**
 * A producer of an {@link MpscQueue}, one of any number. Claims that do not wait are lock-free: a
 * try is repeated only when another producer claimed meanwhile. Commit and abort are wait-free.
 *
 * <p>In a queue with a stall limit a claim may be given up while it is open: then {@link #commit}
 * throws, and an abort changes nothing.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class MpscProducer<T> extends RecordProducer<T> {
  /*
   * The protocol stands in MpscQueue.
   *
   * A  STAMP.setRelease in end        ->  stamp.getAcquire in        slot bytes
   *                                        Stamps.read
   * B  head.setRelease in             ->  head.getAcquire in         slots are free again
   *    MpscConsumer.free                   Gate.slowest
   */
  private final MpscQueue<T> queue;
  private final GatedClaims slots;
  private final Claims claims;
  private final Stamps stamps;
  private final boolean canStall;
  private final boolean signals;

  MpscProducer(MpscQueue<T> queue, T view, boolean drops) {
    super(queue, queue.ring, new Cursor(), view, queue.producerWaiters, drops);
    this.queue = queue;
    this.slots = queue.slots;
    this.claims = queue.claims;
    this.stamps = queue.stamps;
    this.canStall = queue.canStall;
    this.signals = queue.consumerWaiters.needSignals();
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryClaim() {
    return claimUpTo(1) ? (T) view : null;
  }

  @Override
  public int tryClaim(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return claimUpTo(limit) ? (int) (own.end() - own.next()) : 0;
  }

  private boolean claimUpTo(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw isOpen();
    }
    boolean isClaimed = slots.tryClaim(own, limit); // acquire B: slots are free
    if (isClaimed) {
      view.moveTo(ring.recordOffset(own.next()));
    } else if (queue.isCompleted()) {
      throw completed();
    }
    assert role.end(call);
    return isClaimed;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if no claim is open, or it was given up since it was open for
   *     longer than the stall limit; then the records are lost, and no claim is open any more
   */
  @Override
  public void commit() {
    if (!end(Stamps.COMMITTED)) {
      throw new IllegalStateException(
          "claim must be committed within the stall limit: it was given up, " + queue);
    }
  }

  @Override
  public void abort() {
    end(Stamps.ABORTED);
  }

  private boolean end(long state) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = own.next();
    long end = own.end();
    if (end == sequence) {
      throw noneOpen();
    }
    own.next(end);
    view.leave();
    boolean isEnded = true;
    int count = (int) (end - sequence);
    if (canStall) {
      isEnded = claims.end(ring.offset(sequence), count, state); // release A: as below
    } else {
      // release A: slot bytes; linearizes. The view's own memory is what the JIT has just checked
      Ring.STAMP.setRelease(
          view.memory(), ring.offset(sequence), stamps.word(sequence, count, state));
    }
    assert role.end(call);
    if (signals) {
      queue.consumerWaiters.signal();
    }
    return isEnded;
  }

  /** Aborts an open claim, if there is one. The queue and its other producers go on. */
  @Override
  public void close() {
    if (own.end() != own.next()) {
      abort();
    }
  }
}
