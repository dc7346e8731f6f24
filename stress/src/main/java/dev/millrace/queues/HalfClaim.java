package dev.millrace.queues;

import dev.millrace.core.internal.ring.Stamps;
import java.lang.foreign.MemorySegment;

/**
 * A claim of a {@link MessageQueue} with a stall limit, in the steps of {@code
 * RevocableClaims.tryClaim} and {@code MessageProducer.claimCells}, so that its producer can stop
 * between any two of them.
 */
public final class HalfClaim {
  private static final int NEAR = 64; // cells from the end of the memory, to which others go on
  private static final int MOST_SPINS = 1 << 14;

  private final MessageQueue queue;
  private final int count;
  private long sequence;
  private long seen;

  /**
   * Makes one that has claimed nothing.
   *
   * @param queue with a stall limit, of many producers
   * @param count how many cells it is for
   */
  public HalfClaim(MessageQueue queue, int count) {
    this.queue = queue;
    this.count = count;
  }

  /**
   * Moves the tail, and marks nothing: the stamps do not show the claim.
   *
   * @return false if another producer was faster, or the cells are not free or out of use, which
   *     are skipped
   * @throws IllegalStateException if the queue was completed
   */
  public boolean advance() {
    Stamps stamps = queue.stamps;
    sequence = queue.shared.tail();
    if (sequence < 0) {
      throw new IllegalStateException("queue is completed, it takes no more records: " + queue);
    }
    if (!queue.shared.tryAdmit(sequence + count)) {
      return false;
    }
    seen = stamps.peek(stamps.offset(sequence));
    for (long cell = sequence; cell < sequence + count; cell++) {
      long word = stamps.peek(stamps.offset(cell));
      if (Stamps.isGivenUp(word)) {
        long end = cell + Stamps.countOf(word);
        if (queue.shared.tryAdmit(end)) {
          queue.shared.revocable().skip(sequence, cell, end);
        }
        return false;
      }
    }
    return queue.shared.tryAdvance(sequence, sequence + count);
  }

  /**
   * Marks what {@link #advance} has claimed.
   *
   * @return false if it was given up
   */
  public boolean mark() {
    return queue.shared.revocable().mark(sequence, count, seen);
  }

  /**
   * Claims and marks cells that go round the end of the memory.
   *
   * @return false if those that are next do not, or are not free
   * @throws IllegalStateException if the queue was completed, or there are not so many in a row
   */
  public boolean claimRound() {
    for (int i = 0; queue.ring.contiguous(queue.shared.end()) > NEAR && i < MOST_SPINS; i++) {
      Thread.onSpinWait();
    }
    if (queue.ring.contiguous(queue.shared.end()) > NEAR || !claim()) {
      return false;
    }
    if (queue.ring.contiguous(sequence) < count) {
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
  public boolean claim() {
    sequence = queue.shared.tryClaim(count);
    if (queue.shared.isClosed()) {
      throw new IllegalStateException("queue is completed, it takes no more records: " + queue);
    }
    return sequence >= 0;
  }

  /**
   * Gives cells back that are marked.
   *
   * @return false if they were given up
   */
  public boolean abort() {
    return queue.shared.revocable().end(sequence, count, Stamps.ABORTED);
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
  public static MemorySegment memoryOf(MessageQueue queue) {
    return queue.ring.memory();
  }
}
