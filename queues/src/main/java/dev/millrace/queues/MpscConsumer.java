package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Claims;
import dev.millrace.core.internal.Stamps;

/**
 * The consumer of an {@link MpscQueue}. Each method that does not wait is wait-free, but that one
 * may pass over as many aborted claims as there are.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Consumer
public final class MpscConsumer<T> extends QueueConsumer<T> {
  /*
   * The protocol stands in MpscQueue.
   *
   * A  STAMP.setRelease in            ->  stamp.getAcquire in        slot bytes
   *    MpscProducer.publish                Stamps.read
   * B  head.setRelease in free        ->  head.getAcquire in         slots are free again; in
   *                                        Gate.slowest, and in       firstInUse what the
   *                                        MpscQueue.firstInUse       consumer did
   */
  private final MpscQueue<T> queue;
  private final Claims claims;
  private final Stamps stamps;
  private final Sequence head;

  MpscConsumer(MpscQueue<T> queue) {
    super(queue, ANY_RUN);
    this.queue = queue;
    this.claims = queue.claims;
    this.stamps = queue.stamps;
    this.head = queue.head;
  }

  @Override
  protected long next() {
    return head.getPlain(); // plain: only the consumer writes it
  }

  @Override
  boolean take(int limit) {
    long sequence = next();
    if (sequence >= own.limit()) {
      if (!isPublished()) {
        return false;
      }
      sequence = next(); // behind slots that hold no record
    }
    long most = sequence + Math.min(limit, ring.contiguous(sequence));
    if (own.limit() < most) {
      lookOn(most);
    }
    own.end(Math.min(most, own.limit()));
    return true;
  }

  /** Whether there is a record; passes over slots that hold none. */
  private boolean isPublished() {
    try {
      while (true) {
        long sequence = next();
        long word = stamps.read(ring.offset(sequence)); // acquire A; linearizes
        if (stamps.isCommitted(word, sequence)) {
          own.limit(sequence + Stamps.countOf(word));
          return true;
        }
        int gap = claims.gapAt(sequence, word);
        if (gap == 0) {
          return false;
        }
        if (gap > 0) {
          pass(sequence, word, gap);
        }
      }
    } catch (IllegalStateException e) {
      return false; // the memory is freed: the queue is closed
    }
  }

  private void pass(long sequence, long word, int count) {
    if (Stamps.stateOf(word) == Stamps.LET_GO) {
      // claimers come here only after the head has passed
      stamps.mark(ring.offset(sequence), stamps.word(sequence, count, Stamps.ABORTED));
      claims.backInUse(count);
    }
    queue.countPassed(count);
    own.end(sequence + count);
    free(sequence, count);
    signalProducers();
  }

  /** Looks for further records behind those that were seen. */
  private void lookOn(long end) {
    try {
      own.limit(stamps.committedEnd(own.limit(), end)); // acquire A
    } catch (IllegalStateException e) {
      // the memory is freed: it stays at what was seen
    }
  }

  @Override
  void free(long sequence, int count) {
    head.setRelease(sequence + count); // release B: the reads of the slots
  }

  /** Up to where records are committed, as it has last seen; for other threads. */
  long seenEnd() {
    return own.limitSeen();
  }
}
