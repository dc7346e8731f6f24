package dev.millrace.queues.messages;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.Stamps;

/**
 * How far the consumers of a queue that share its messages have taken cells, and how far they have
 * released them without a gap.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
final class FreedCells {
  /*
   * Invariant: freed is never in the middle of a message that is not released, and never behind it.
   * Cells that hold no message are released as soon as the head has passed them.
   *
   * C  head.weakCompareAndSetRelease in     ->  head.getAcquire in takenEnd   the claims of what is
   *    MessageConsumer.tryTake,                                               taken, and who took it
   *    SharedConsumers.tryMove
   * D  STAMP.setRelease in                  ->  stamp.getAcquire in           cells are free again;
   *    MessageConsumer.stampFree,                 reachedFrom                 what was done with them
   *    SharedConsumers.freeLost
   * E  freed.weakCompareAndSetRelease in    ->  freed.getAcquire in end       the same, from another
   *    end                                                                    thread
   */
  private final Stamps stamps;
  private final Ring ring;
  private final Sequence head;
  private final int headShift; // the head's sequence is above so many bits
  private final Sequence freed;
  private final boolean isReadOnly;

  FreedCells(Ring ring, Sequence head, int headShift, Sequence freed) {
    this.stamps = ring.stamps();
    this.ring = ring;
    this.head = head;
    this.headShift = headShift;
    this.freed = freed;
    this.isReadOnly = ring.memory().isReadOnly();
  }

  /** Returns where the cells begin that no consumer has taken. */
  long takenEnd() {
    return head.getAcquire() >>> headShift; // acquire C: the claims of what is taken
  }

  /** Returns the end of the released cells, or an earlier one that is known already. */
  long knownEnd() {
    // opaque: readers of cells validate them, or have acquired a stamp written after it
    return freed.getOpaque();
  }

  /** Returns the end of the released cells, which what the consumers did with them precedes. */
  long end() {
    while (true) {
      long first = freed.getAcquire(); // acquire E: cells are free
      long end = reachedFrom(first);
      // release E: cells are free. opaque: if the scan stopped at a stamp of a later turn, freed
      // has moved on, which acquiring that stamp made visible
      if (end == first
          ? freed.getOpaque() == first
          : isReadOnly || freed.weakCompareAndSetRelease(first, end)) {
        return end;
      }
    }
  }

  /** Returns how far consumers have released without a gap. */
  private long reachedFrom(long first) {
    long most = head.getOpaque() >>> headShift; // opaque: the stamps say what is released
    long end = first;
    while (end < most) {
      long word = stamps.read(ring.offset(end)); // acquire D: cells are free
      int count = Stamps.countOf(word);
      boolean isFree = word == stamps.word(end + ring.mask() + 1, count, Stamps.FREE);
      boolean isEmpty = stamps.isEmpty(word, end) && stamps.compareTurn(word, end) == 0;
      if (count == 0 || !(isFree || isEmpty)) { // none has no cells, but for damage
        break;
      }
      end += count;
    }
    return end;
  }
}
