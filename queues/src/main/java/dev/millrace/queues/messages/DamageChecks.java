package dev.millrace.queues.messages;

import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Checks of what is read from memory that several processes map, because any of them may have
 * written anything there.
 *
 * <p>A value that cannot be is reported by an {@link UncheckedIOException}. An {@link
 * IllegalStateException} would be taken for the end of a queue that was closed.
 */
final class DamageChecks {
  /** More than any sequence. */
  static final long MOST = Long.MAX_VALUE / 2;

  private final Ring ring;
  private final Stamps stamps;
  private final int maxLength;
  private final String name;

  DamageChecks(Ring ring, int maxLength, String name) {
    this.ring = ring;
    this.stamps = ring.stamps();
    this.maxLength = maxLength;
    this.name = name;
  }

  /** Returns a word that must be in a range. */
  long checked(String word, long value, long least, long most) {
    if (value < least || value > most) {
      throw damaged(word + " is " + value + ", not in " + least + ".." + most);
    }
    return value;
  }

  /**
   * Checks a stamp that a lone consumer has found at its head, which says that cells were published
   * there or that none were yet.
   */
  void checkStamp(long sequence, long word) {
    long turns = stamps.compareTurn(word, sequence);
    boolean isKnown = Stamps.stateOf(word) <= Stamps.LET_GO;
    boolean hasCells = Stamps.countOf(word) > 0 && Stamps.countOf(word) <= stamps.capacity();
    boolean isFree = Stamps.stateOf(word) == Stamps.FREE;
    if (!isKnown || turns > 0 || (turns == 0 && !isFree && !hasCells)) {
      throw damagedStamp(sequence, word);
    }
  }

  /** Checks a committed message of a run that begins at the first; returns where it ends. */
  long checkMessage(long first, long sequence, long word, long header) {
    long end = checkCells(first, sequence, word);
    int cells = Stamps.countOf(word);
    long bytes = Message.bytesIn(header);
    if (bytes > (long) cells << MessageQueue.CELL_SHIFT || bytes > maxLength) {
      throw damaged("message of " + bytes + " bytes in " + cells + " cells");
    }
    return end;
  }

  /** Checks a message in hand, in a run with this end; returns how many cells it has. */
  int cellsInHand(long sequence, long end, long word) {
    int cells = Stamps.countOf(word);
    if (!stamps.isCommitted(word, sequence) || cells == 0 || cells > end - sequence) {
      throw damagedStamp(sequence, word);
    }
    return cells;
  }

  /** Checks the cells of a message of a run that begins at the first; returns where it ends. */
  long checkCells(long first, long sequence, long word) {
    int cells = Stamps.countOf(word);
    long end = sequence + cells;
    if (cells == 0 || cells > ring.contiguous(sequence) || end - first > stamps.capacity()) {
      throw damaged("message of " + cells + " cells at cell " + (sequence & ring.mask()));
    }
    return end;
  }

  private UncheckedIOException damagedStamp(long sequence, long word) {
    return damaged("stamp " + Long.toHexString(word) + " of cell " + (sequence & ring.mask()));
  }

  private UncheckedIOException damaged(String what) {
    return new UncheckedIOException(new IOException("queue is damaged: " + what + ", " + name));
  }
}
