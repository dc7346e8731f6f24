package dev.millrace.queues.messages;

import dev.millrace.queues.internal.RingPeers.Seat;
import org.jspecify.annotations.Nullable;

/**
 * The polls of one of many consumers in several processes. What it has in hand, it has taken in its
 * own seat, or has inherited with the seat of a dead consumer. {@link SharedConsumers} has the
 * protocol.
 *
 * <p><b>Roles.</b> One thread at a time.
 */
final class SharedPolls {
  private final MessageQueue queue;
  private final SharedWords words;
  private final SharedConsumers consumers;
  private final Seat seat;

  /** The seat whose messages are handed out again; its own one if that was inherited. */
  private @Nullable Seat inherited;

  SharedPolls(MessageQueue queue, SharedWords words, SharedConsumers consumers, Seat seat) {
    this.queue = queue;
    this.words = words;
    this.consumers = consumers;
    this.seat = seat;
    this.inherited = consumers.begin(seat) ? seat : null;
  }

  // ---- taking ----

  /** Returns where the messages begin that no consumer has taken. */
  long head() {
    return consumers.takenEnd();
  }

  /** Takes a run that was found at the head; may fail spuriously. */
  boolean tryTake(long first, long end) {
    return consumers.tryTake(seat, first, end);
  }

  /** Passes cells without a message that were found at the head; may fail spuriously. */
  boolean tryPass(long first, long end) {
    return consumers.tryPass(first, end);
  }

  /** Checks the stamp of a message that may be another consumer's; returns where it ends. */
  long endOf(long first, long sequence, long word) {
    return consumers.endOf(first, sequence, word);
  }

  /** Checks a message in hand, of a run that begins at the first; returns where it ends. */
  long checkInHand(long first, long sequence, long word, long header) {
    return words.checkMessage(first, sequence, word, header);
  }

  /** Withdraws what is announced of the messages in hand, which are released. */
  void end() {
    Seat other = inherited;
    if (other == null) {
      seat.withdraw();
    } else if (!other.equals(seat)) {
      leave(other);
    }
  }

  // ---- what dead consumers had in hand ----

  /** Returns whether the messages in hand were inherited, and so handed out before. */
  boolean isRepeated() {
    return inherited != null;
  }

  /** Inherits from a dead consumer, if there is one; keeps its seat until the poll ends. */
  boolean tryInherit() {
    if (consumers.inHandCount() > 0) {
      inherited = queue.tryInherit();
    }
    return inherited != null;
  }

  /**
   * Returns the first inherited message that is not released, or a negative number if there is
   * none, and then ends the inheritance.
   */
  long firstInherited() {
    Seat from = inherited;
    if (from == null) {
      return -1;
    }
    long end = from.claimedEnd();
    long first = consumers.firstInHand(from.claimed(), end);
    if (first < end) {
      return first;
    }
    if (from.equals(seat)) {
      inherited = null;
      seat.withdraw();
    } else {
      leave(from);
    }
    return -1;
  }

  /** Returns where the inherited messages end. */
  long inheritedEnd() {
    return inherited == null ? -1 : inherited.claimedEnd();
  }

  /** Counts messages that are about to be handed out again. */
  void countRepeated(int count) {
    words.countRepeated(count);
  }

  /** Leaves an inherited seat. Another consumer inherits what is left there. */
  private void leave(Seat other) {
    inherited = null;
    queue.abandonInherited(other);
  }
}
