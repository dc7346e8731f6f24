package dev.millrace.queues.messages;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.RevocableClaims;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.SoleClaims;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.queues.internal.RingPeers.Seat;
import java.io.UncheckedIOException;
import org.jspecify.annotations.NullUnmarked;

/**
 * A producer's claims of cells. It makes sure that they are contiguous in memory, and counts their
 * messages. It is a superclass of the producer rather than a part, so that a claim reads no
 * additional field.
 */
@NullUnmarked // which fields are null follows from the state
abstract sealed class CellClaims permits MessageProducer {
  /*
   * MessageQueue describes the protocol.
   *
   * A  STAMP.setRelease in publish    ->  STAMP.getAcquire in        header and bytes
   *                                        MessageConsumer.stampAt
   *
   * Claims of a sole producer use pair Q of SoleClaims.
   */
  final MessageQueue queue;
  final RevocableClaims revocable; // null unless claims are given up

  /** The open claim's cells. It is empty if no claim is open. */
  final Cursor own;

  final Message view;

  /** The number of messages in the open claim. */
  int count = 1;

  private final Ring ring;
  private final SoleClaims sole; // null with many producers
  private final GatedClaims shared; // null with one producer
  private final Stamps stamps;
  private final SharedWords words; // null unless several processes map the memory
  private final Seat seat; // likewise
  private final boolean signalsConsumers;
  private final boolean signalsProducers; // one that drops the oldest may wait for another

  CellClaims(MessageQueue queue, boolean dropsOldest, Seat seat) {
    this.queue = queue;
    this.ring = queue.ring;
    this.sole = queue.sole;
    this.own = sole == null ? new Cursor() : sole;
    this.shared = queue.shared;
    this.stamps = queue.stamps;
    this.words = queue.words;
    this.seat = seat;
    this.revocable = shared == null ? null : shared.revocable();
    this.signalsConsumers = queue.consumerWaiters.needSignals() || dropsOldest;
    this.signalsProducers = dropsOldest;
    this.view = new Message(ring.memory(), queue.transfers);
  }

  final boolean isClaimOpen() {
    return own.end() != own.next();
  }

  /**
   * Claims cells for up to {@code limit} messages of the same length. Several messages are claimed
   * only up to the end of the memory.
   *
   * @param cells the number of cells for each message
   * @return the first sequence, or a negative number
   */
  final long claimCells(int cells, int limit) {
    return limit == 1 || revocable != null ? claimOne(cells) : claimRun(cells, limit);
  }

  /** Returns how many cells a message of {@code length} bytes needs, including its time. */
  static int cells(int length) {
    return Math.max(1, (length + MessageQueue.CELL_BYTES - 1) >>> MessageQueue.CELL_SHIFT);
  }

  private long claimRun(int cells, int limit) {
    int most = Math.min(limit, Stamps.MAX_COUNT / cells);
    long claimed = // acquire: cells are free
        sole == null ? shared.tryClaimUpTo(own, most * cells, cells) : claimRunAlone(cells, most);
    if (claimed < 0) {
      return claimOne(cells); // this claim may wrap, or be rejected
    }
    count = (int) (own.end() - own.next()) / cells;
    return own.next();
  }

  private long claimRunAlone(int cells, int limit) {
    long most = Math.min(limit, ring.contiguous(sole.next()) / cells);
    if (words != null) {
      beginClaim(most * cells);
    }
    long claimed = sole.tryClaimUpTo(most * cells, cells); // acquire: cells are free
    if (words != null) {
      checkClaim(claimed);
    }
    return claimed;
  }

  /** Notes how far a claim will reach, so that it is found if this process dies. */
  private void beginClaim(long cells) {
    seat.check();
    words.noteTail(sole.next() + cells);
  }

  /** Notes how far a claim reaches in fact, and checks the head that has admitted it. */
  private void checkClaim(long claimed) {
    try {
      if (claimed >= 0) {
        words.checkLimit(sole.limitSeen(), sole.next());
      }
    } catch (UncheckedIOException e) {
      sole.abort();
      throw e;
    } finally {
      words.noteTail(sole.end());
    }
  }

  private long claimOne(int cells) {
    return sole != null ? claimAlone(cells) : claimShared(cells);
  }

  private long claimAlone(int cells) {
    long first = sole.next();
    int rest = (int) Math.min(ring.contiguous(first), cells); // before the end of the memory
    int left = rest == cells ? 0 : rest;
    if (words != null) {
      beginClaim(left + cells);
    }
    long claimed = sole.tryClaim(left + cells); // acquire: cells are free
    if (words != null) {
      checkClaim(claimed);
    }
    if (claimed < 0) {
      if (claimed == Ring.CLOSED) {
        queue.consumerWaiters.signal(); // they may be waiting for the claim to be taken back
      }
      return claimed;
    }
    if (left > 0) {
      publish(first, left, Stamps.ABORTED);
      sole.next(first + left);
      signal();
    }
    return first + left;
  }

  private long claimShared(int cells) {
    while (true) {
      long sequence = shared.tryClaim(own.end(), cells, seat); // acquire: cells are free
      if (sequence < 0) {
        // a queue that was closed may seem full, and its memory may be freed
        return shared.isClosed() ? Ring.CLOSED : sequence;
      }
      own.next(sequence);
      own.end(sequence + cells);
      if (ring.contiguous(sequence) >= cells) {
        return sequence;
      }
      own.next(sequence + cells);
      publish(sequence, cells, Stamps.ABORTED); // it would wrap past the end of the memory
      signal();
      if (revocable != null && !revocable.checkLeft(cells, true)) {
        return Ring.NONE; // otherwise the loop might never end
      }
    }
  }

  /**
   * Publishes cells that are claimed.
   *
   * @return false if their claim was given up
   */
  final boolean publish(long sequence, int cells, long state) {
    if (revocable != null) {
      boolean isEnded = revocable.end(sequence, cells, state); // release A: header and bytes
      if (seat != null) {
        seat.withdraw();
      }
      return isEnded;
    }
    // release A: header and bytes; linearizes
    Ring.STAMP.setRelease(
        view.memory(), queue.entry(sequence), stamps.word(sequence, cells, state));
    if (state == Stamps.ABORTED) {
      queue.countAborted(cells);
    }
    return true;
  }

  /** Leaves the queue, if others may take this producer's place. */
  final void leave() {
    if (seat != null) {
      queue.leave(seat);
    }
  }

  /** Wakes the threads that may wait for what was published. */
  final void signal() {
    if (signalsConsumers) {
      queue.consumerWaiters.signal();
      if (signalsProducers) {
        queue.producerWaiters.signal();
      }
    }
  }
}
