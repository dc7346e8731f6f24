package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Ring;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.stream.IntStream;

/**
 * The free cells of a block of memory, for any number of threads. Each stripe has a stack, which is
 * linked through the words before the records.
 *
 * <p><b>Progress.</b> Lock-free. <b>Source.</b> Treiber, "Systems Programming: Coping with
 * Parallelism" (IBM RJ 5118, 1986), with counted tops.
 */
final class FreeCells {
  /*
   * A top names the first free cell of its stripe and counts the cells taken from it, so that a
   * thread with a stale read cannot take a cell whose link has changed since:
   *
   *   63        62..31    30..0
   *   closed    taken     cell + 1, or 0
   *
   * A free cell's link also holds the length of the list that starts at the cell, so that the cells
   * can be counted without a walk along the list:
   *
   *   61..31                    30..0
   *   cells from here on        next cell + 1, or 0
   *
   * A closed stripe gives out no cells but still takes them back, so its list only grows. All cells
   * are back once the lists of all closed stripes, read one after the other, add up to the number
   * of cells.
   *
   * Fields:
   *
   *   field     writer                 write mode              read by
   *   top       all                    exchange: release       all: acquire
   *   link      the returning thread   opaque                  all: opaque; garbage if the cell was
   *                                                            taken, which the exchange detects
   *
   * A  weakCompareAndSetRelease in put,  ->  getAcquire in take, put,    links, and what was done with
   *    take, close                            sumIfEmpty, areAllBack     the cells; which stripes are
   *                                                                      closed
   */

  static final int NONE = -1;
  static final int CLOSED = -2;

  private static final int STRIPES = 8;
  private static final int CELL_BITS = 31;
  private static final long CELL = (1L << CELL_BITS) - 1;
  private static final long TAKEN_ONE = 1L << CELL_BITS;
  private static final long LENGTH_ONE = 1L << CELL_BITS;
  private static final long CLOSED_BIT = 1L << 63;
  private static final VarHandle LINK = Ring.STAMP;

  private final MemorySegment memory;
  private final long strideBytes;
  private final long capacity;
  private final Sequence[] tops;

  /** Makes all cells of {@code memory} free. The object is not shared with other threads yet. */
  FreeCells(MemorySegment memory, long strideBytes, long capacity) {
    this.memory = memory;
    this.strideBytes = strideBytes;
    this.capacity = capacity;
    this.tops = IntStream.range(0, STRIPES).mapToObj(i -> new Sequence()).toArray(Sequence[]::new);
    for (long cell = capacity - 1; cell >= 0; cell--) {
      put(cell);
    }
  }

  /**
   * Takes a free cell.
   *
   * @param start any number; the same number starts at the same stripe
   * @return the cell; or {@link #NONE} if each stripe had no free cell when it was checked; or
   *     {@link #CLOSED}
   */
  long take(int start) {
    for (int i = 0; i < STRIPES; i++) {
      Sequence top = tops[(start + i) & (STRIPES - 1)];
      while (true) {
        long word = top.getAcquire(); // acquire A: the link, and the last use of the cell
        if (word < 0) {
          return CLOSED;
        }
        long first = word & CELL;
        if (first == 0) {
          break;
        }
        long next = link(first - 1) & CELL;
        // release A: publishes cells this thread returned earlier; otherwise a thread that sees
        // this stripe empty might miss them
        if (top.weakCompareAndSetRelease(word, taken(word) | next)) {
          return first - 1;
        }
      }
    }
    return NONE;
  }

  private static long taken(long word) {
    return ((word & ~CELL) + TAKEN_ONE) & ~CLOSED_BIT;
  }

  private long link(long cell) {
    // opaque: garbage if the cell was taken, which the exchange of the top detects
    return (long) LINK.getOpaque(memory, cell * strideBytes);
  }

  /**
   * Gives {@code cell} back. Returns whether its stripe was closed, in which case this cell may
   * have been the last one to come back.
   */
  boolean put(long cell) {
    Sequence top = tops[(int) cell & (STRIPES - 1)];
    long word;
    do {
      word = top.getAcquire(); // acquire A: the link of the first cell
      long link = ((length(word) + 1) * LENGTH_ONE) | (word & CELL);
      // opaque: a thread with a stale top may read it, but its exchange then fails
      LINK.setOpaque(memory, cell * strideBytes, link);
      // release A: the link, and what was done with the cell
    } while (!top.weakCompareAndSetRelease(word, (word & ~CELL) | (cell + 1)));
    return word < 0;
  }

  /** Returns how many cells are in the list of a stripe whose top is {@code word}. */
  private long length(long word) {
    long first = word & CELL;
    return first == 0 ? 0 : link(first - 1) / LENGTH_ONE;
  }

  /**
   * Returns whether there was no free cell at some moment during the call. The counts of taken
   * cells only grow, so two passes that find the same sum have seen the same state.
   */
  boolean areNoneLeft() {
    long sum = sumIfEmpty();
    return sum >= 0 && sum == sumIfEmpty();
  }

  private long sumIfEmpty() {
    long sum = 0;
    for (Sequence top : tops) {
      long word = top.getAcquire(); // acquire A: the first pass before the second
      if ((word & CELL) != 0) {
        return -1;
      }
      sum += (word >>> CELL_BITS) & 0xFFFF_FFFFL;
    }
    return sum;
  }

  /** Closes all stripes, so that no more cells are given out. Repeated calls are allowed. */
  void close() {
    for (Sequence top : tops) {
      long word;
      do {
        word = top.getOpaque(); // opaque: the exchange confirms it, and carries on earlier releases
        // release A: the stripes before this one are closed
      } while (word >= 0 && !top.weakCompareAndSetRelease(word, word | CLOSED_BIT));
    }
  }

  /** Returns whether all stripes are closed and all cells are back. */
  boolean areAllBack() {
    long back = 0;
    for (Sequence top : tops) {
      long word = top.getAcquire(); // acquire A: what was done with the cells
      if (word >= 0) {
        return false;
      }
      back += length(word);
    }
    return back == capacity;
  }
}
