package dev.millrace.queues;

import dev.millrace.core.Handler;
import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.internal.Checks;

/**
 * A consumer of an {@link MpmcQueue}, one of any number. Polls that do not wait are lock-free: one
 * is retried only when another consumer came first. Release is wait-free.
 *
 * <p>{@link #drain} and {@link #forEach} take records one by one, so if a handler throws, the
 * records after it stay in the queue for all consumers. A loop over {@link #at} takes a whole run
 * at once.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class MpmcConsumer<T> extends SharingConsumer<T> {
  /*
   * MpmcQueue describes the protocol.
   *
   * A  STAMP.setRelease in             ->  stamp.getAcquire in        slot bytes
   *    MpmcProducer.stamp                  Stamps.read
   * B  STAMP.setRelease in stampFree   ->  stamp.getAcquire in        slots are free again; in
   *                                        Stamps.read                isConsumed what the
   *                                                                   consumer did
   * C  head.weakCompareAndSetRelease   ->  head.getAcquire in         the tail that let it get
   *    in take                             StampedQueue.isEmpty       so far
   */
  private final MpmcQueue<T> queue;
  private final Claims claims;
  private final Stamps stamps;
  private final Sequence head;

  MpmcConsumer(MpmcQueue<T> queue) {
    super(queue);
    this.queue = queue;
    this.claims = queue.claims;
    this.stamps = queue.stamps;
    this.head = queue.head;
  }

  @Override
  protected long next() {
    return own.next();
  }

  /** {@inheritDoc} Passes over slots that hold none. */
  @Override
  boolean take(int limit) {
    try {
      while (true) {
        long sequence = head.getOpaque(); // opaque: the exchange confirms it
        int most = limit == 1 ? 1 : (int) Math.min(limit, ring.contiguous(sequence));
        int ready = claims.ready(sequence, most); // acquire A
        if (ready == 0) {
          return false;
        }
        if (ready > 0) {
          // release C: what was claimed before; linearizes the poll
          if (head.weakCompareAndSetRelease(sequence, sequence + ready)) {
            own.next(sequence);
            own.end(sequence + ready);
            return true;
          }
        } else if (ready != Claims.LOOK_AGAIN) {
          pass(sequence, -ready);
        }
      }
    } catch (IllegalStateException e) {
      return false; // the memory is freed: the queue is closed
    }
  }

  @Override
  public int drain(Handler<? super T> handler, int limit) {
    Checks.notNull("handler", handler);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    int done = 0;
    while (done < limit && tryPoll() != null) {
      handleOne(handler);
      done++;
    }
    return done;
  }

  @SuppressWarnings("unchecked") // the view was made for T
  private void handleOne(Handler<? super T> handler) {
    long sequence = own.next();
    own.end(HANDLING);
    try {
      handler.handle((T) view);
    } finally {
      own.end(sequence + 1);
      release();
    }
  }

  private void pass(long sequence, int count) {
    long word = stamps.peek(ring.offset(sequence)); // of this turn, if the head is still here
    // atomic: only one consumer passes. What an earlier poll released goes on through this exchange
    if (!head.weakCompareAndSetPlain(sequence, sequence + count)) {
      return;
    }
    queue.countPassed(count);
    if (!Stamps.isGivenUp(word)) {
      stampFree(sequence, count);
    }
    signalProducers(); // also of what is out of use: claims skip it, or find that no slot is left
  }

  @Override
  void free(long sequence, int count) {
    own.next(sequence + count);
    stampFree(sequence, count);
  }

  private void stampFree(long sequence, int count) {
    long offset = ring.offset(sequence);
    long word = stamps.word(sequence + ring.mask() + 1, 0, Stamps.FREE);
    try {
      // release B: the reads of all the slots. The JIT has just checked view.memory()
      Ring.STAMP.setRelease(view.memory(), offset, word);
      for (int i = 1; i < count; i++) {
        // opaque: whoever claims it has the tail from the claim of the first
        Ring.STAMP.setOpaque(view.memory(), offset + ring.distance(i), word);
      }
    } catch (IllegalStateException e) {
      // the memory is freed: the queue is closed
    }
  }

  /**
   * Whether nothing more will come: the producers have completed, and each record has been taken,
   * though another consumer may still have some in hand. {@link MpmcQueue#isDrained} is true only
   * once those are released.
   */
  @Override
  public boolean isDrained() {
    return queue.isExhausted();
  }
}
