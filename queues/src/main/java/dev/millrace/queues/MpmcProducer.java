package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.RevocableClaims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Stamps;
import dev.millrace.core.internal.Waiters;

/**
 * A producer of an {@link MpmcQueue}, one of any number. Claims that do not wait are lock-free: one
 * is retried only when another producer claimed meanwhile. Commit and abort are wait-free.
 *
 * <p>In a queue with a stall limit a claim may be given up while it is open: then {@link #commit}
 * throws, and an abort changes nothing.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class MpmcProducer<T> extends QueueProducer<T> {
  /*
   * MpmcQueue describes the protocol.
   *
   * A  STAMP.setRelease in stamp      ->  stamp.getAcquire in        slot bytes
   *                                        Stamps.read
   * B  STAMP.setRelease in            ->  stamp.getAcquire in        slots are free again
   *    MpmcConsumer.stampFree               Stamps.read
   */
  private final MpmcQueue<T> queue;
  private final Claims claims;
  private final Stamps stamps;
  private final RevocableClaims revocable; // null without a stall limit
  private final MpmcConsumer<T> dropping; // or null
  private final boolean wakesDroppers;
  private final Waiters.Attempt strictly = this::claimsStrictly;

  MpmcProducer(MpmcQueue<T> queue, OnFull onFull) {
    super(queue);
    this.queue = queue;
    this.claims = queue.claims;
    this.stamps = queue.stamps;
    this.revocable = queue.revocable;
    this.dropping = onFull == OnFull.DROP_OLDEST ? queue.newConsumer() : null;
    this.wakesDroppers = dropping != null && queue.producerWaiters.needSignals();
  }

  @Override
  boolean claimSlots(int limit) {
    long first = revocable == null ? 0 : claims.tail();
    while (true) {
      long sequence = claims.tail();
      if (sequence < 0) {
        return false;
      }
      long free = freeEnd(sequence, limit); // acquire B: slots are free
      if (free > sequence) {
        if (claims.tryAdvance(sequence, free) && isMarked(sequence, free)) {
          own.next(sequence);
          own.end(free);
          return true;
        }
      } else if (isInUse(sequence, sequence - first)) {
        return false;
      }
    }
  }

  /** The end of the slots free from a sequence on, within the limit and the end of the ring. */
  private long freeEnd(long sequence, int limit) {
    long free = stamps.word(sequence, 0, Stamps.FREE);
    if (stamps.read(ring.offset(sequence)) != free) {
      return sequence;
    }
    long end = sequence + 1;
    if (limit > 1) { // a single claim, the usual one, has no loop
      long most = sequence + Math.min(Math.min(limit, Stamps.MAX_COUNT), ring.contiguous(sequence));
      while (end < most && stamps.read(ring.offset(end)) == free) {
        end++;
      }
    }
    return end;
  }

  /** With a stall limit, marks a claim, so that consumers can tell it from free slots. */
  private boolean isMarked(long sequence, long end) {
    return revocable == null
        || revocable.mark(sequence, (int) (end - sequence), stamps.word(sequence, 0, Stamps.FREE));
  }

  /**
   * Whether the slot at the tail, as it was read, is in use. If it is out of use instead, moves the
   * tail past it, unless this call has moved it by a whole lap already.
   */
  private boolean isInUse(long sequence, long moved) {
    long word = stamps.read(ring.offset(sequence)); // acquire B
    if (stamps.compareTurn(word, sequence) >= 0) {
      return false; // another claim came first, or it is free now
    }
    if (revocable == null) {
      return true;
    }
    long most = queue.head.getOpaque() + ring.mask() + 1; // opaque: the head only grows
    if (moved <= ring.mask() && revocable.trySkip(sequence, word, most)) {
      return false;
    }
    revocable.checkLeft(1);
    return true;
  }

  @Override
  boolean publish(long sequence, int count, long state) {
    boolean isPublished = true;
    if (revocable != null) {
      isPublished = revocable.end(sequence, count, state); // release A: as below
    } else {
      stamp(sequence, count, state);
    }
    if (wakesDroppers) {
      queue.producerWaiters.signal(); // a producer that drops the oldest may wait for this one
    }
    return isPublished;
  }

  private void stamp(long sequence, int count, long state) {
    stamps.publishBehind(sequence, count, state);
    // release A: slot bytes; linearizes. The JIT has just checked view.memory()
    Ring.STAMP.setRelease(view.memory(), ring.offset(sequence), stamps.word(sequence, 1, state));
    if (state == Stamps.ABORTED) {
      claims.countAborted(count);
    }
  }

  @Override
  protected boolean makesRoom() {
    if (dropping == null || isOldestInHand() || dropping.tryPoll() == null) {
      return false;
    }
    dropping.release();
    queue.countPassed(1);
    queue.countDropped(1);
    return true;
  }

  /** Whether the slot at the tail is in a consumer's hand, so that dropping others is in vain. */
  private boolean isOldestInHand() {
    long oldest = claims.tail() - ring.mask() - 1;
    return queue.head.getOpaque() > oldest // opaque: the head only grows
        && stamps.isCommitted(stamps.read(ring.offset(oldest)), oldest); // acquire B
  }

  /**
   * Claims a record, or reports exactly that the queue is full. {@link #tryClaim()} may also report
   * full while a consumer holds the oldest slot and others are free; this method waits for that
   * consumer.
   *
   * @return the view, positioned on the record; null only if at some moment of the call the records
   *     claimed and not taken filled the queue
   * @throws IllegalStateException if a claim is open, or the queue is completed before or during
   *     the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  @SuppressWarnings("unchecked") // the view was made for T
  public T strictClaim() throws InterruptedException {
    if (!claimsStrictly()) {
      waitFor(strictly);
    }
    return own.end() == own.next() ? null : (T) view;
  }

  private boolean claimsStrictly() {
    return tryClaim() != null || queue.isFull();
  }
}
