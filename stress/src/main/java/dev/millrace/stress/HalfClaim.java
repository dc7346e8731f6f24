package dev.millrace.stress;

import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.internal.MessageQueueAccess;
import dev.millrace.queues.messages.MessageQueue;
import java.lang.foreign.MemorySegment;

/**
 * A claim of a {@link MessageQueue} with a stall limit, in the steps of {@code
 * RevocableClaims.tryClaim} and {@code MessageProducer.claimCells}, so that its producer can stop
 * between any two of them.
 */
final class HalfClaim {
  private static final int NEAR = 64; // cells from the end of the memory, to which others go on
  private static final int MOST_SPINS = 1 << 14;

  private static final MessageQueueAccess ACCESS = MessageQueueAccess.SECRET.get();

  private final MessageQueue queue;
  private final GatedClaims claims;
  private final Stamps stamps;
  private final Ring entries;
  private final int count;
  private long sequence;
  private long seen;

  /**
   * Makes one that has claimed nothing.
   *
   * @param queue with a stall limit, of many producers
   * @param count how many cells it is for
   */
  HalfClaim(MessageQueue queue, int count) {
    this.queue = queue;
    this.claims = ACCESS.claims(queue);
    this.stamps = ACCESS.stamps(queue);
    this.entries = ACCESS.entries(queue);
    this.count = count;
  }

  /**
   * Moves the tail, and marks nothing: the stamps do not show the claim.
   *
   * @return false if another producer was faster, or the cells are not free or out of use, which
   *     are skipped
   * @throws IllegalStateException if the queue was completed
   */
  boolean advance() {
    sequence = claims.tail();
    if (sequence < 0) {
      throw new IllegalStateException("queue is completed, it takes no more records: " + queue);
    }
    if (claims.admitted(sequence + count) < sequence + count) {
      return false;
    }
    seen = stamps.peek(stamps.offset(sequence));
    for (long cell = sequence; cell < sequence + count; cell++) {
      long word = stamps.peek(stamps.offset(cell));
      if (Stamps.isGivenUp(word)) {
        long end = cell + Stamps.countOf(word);
        if (claims.admitted(end) == end) {
          claims.revocable().skip(sequence, cell, end);
        }
        return false;
      }
    }
    return claims.tryAdvance(sequence, sequence + count);
  }

  /**
   * Marks what {@link #advance} has claimed.
   *
   * @return false if it was given up
   */
  boolean mark() {
    return claims.revocable().mark(sequence, count, seen);
  }

  /**
   * Claims and marks cells that go round the end of the memory.
   *
   * @return false if those that are next do not, or are not free
   * @throws IllegalStateException if the queue was completed, or there are not so many in a row
   */
  boolean claimRound() {
    for (int i = 0; entries.contiguous(claims.end()) > NEAR && i < MOST_SPINS; i++) {
      Thread.onSpinWait();
    }
    if (entries.contiguous(claims.end()) > NEAR || !claim()) {
      return false;
    }
    if (entries.contiguous(sequence) < count) {
      return true;
    }
    abort();
    return false;
  }

  /**
   * Claims and marks cells.
   *
   * @return whether there are any
   * @throws IllegalStateException as for {@link #claimRound}
   */
  boolean claim() {
    sequence = claims.tryClaim(count);
    if (claims.isClosed()) {
      throw new IllegalStateException("queue is completed, it takes no more records: " + queue);
    }
    return sequence >= 0;
  }

  /**
   * Gives cells back that are marked.
   *
   * @return false if they were given up
   */
  boolean abort() {
    return claims.revocable().end(sequence, count, Stamps.ABORTED);
  }

  /** Returns of what and for how much it is. */
  @Override
  public String toString() {
    return "HalfClaim[" + count + " cells of " + queue + "]";
  }

  /**
   * The memory of a queue.
   *
   * @param queue of any kind
   * @return all of it
   */
  static MemorySegment memoryOf(MessageQueue queue) {
    return ACCESS.entries(queue).memory();
  }
}
