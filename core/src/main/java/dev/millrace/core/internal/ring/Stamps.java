package dev.millrace.core.internal.ring;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The stamps of a ring whose slots many threads claim, and their changes from state to state. A
 * stamp is a word next to each record that says whose turn the slot is.
 *
 * <pre>
 *  63                          19 18              3 2     0
 * +------------------------------+-----------------+-------+
 * | turn: sequence / capacity    | count           | state |
 * +------------------------------+-----------------+-------+
 *
 *   state      meaning                                        leaves to
 *   FREE       may be claimed, or is claimed but not marked   CLAIMED by its producer, or without a
 *                                                             stall limit COMMITTED; ABORTED
 *   CLAIMED    is being written                               COMMITTED, ABORTED by its producer;
 *                                                             ABANDONED by a consumer
 *   COMMITTED  holds a complete record                        FREE of the next turn
 *   ABORTED    holds no record, no thread writes there        FREE of the next turn
 *   ABANDONED  was given up, its producer may still write     LET_GO by its producer; ABANDONED of
 *                                                             a later turn
 *   LET_GO     was given up, its producer has gone            FREE or ABORTED of a later turn
 * </pre>
 *
 * <p>A stamp may stand for a run of slots. Then it is the stamp of the first slot, and its count is
 * the length of the run. Only that stamp changes, while the stamps of the other slots keep their
 * values.
 *
 * <p>Where consumers free slots one by one, they write FREE of the next turn. But consumers of
 * messages write nothing for a claim that was aborted. Where a consumer's sequence determines which
 * slots are free, consumers write no stamps. Where nothing is written, every word of an earlier
 * turn means FREE, except on slots that were given up.
 *
 * <p>The turn takes 45 bits and is compared modulo 2<sup>45</sup>, so it may wrap. A word would be
 * taken for one of a later turn only if its slot had been in the middle of runs, and so unstamped,
 * for more than 2<sup>44</sup> turns. At a billion records a second, that takes 9.8 hours in a ring
 * of two slots and half a year in one of a thousand.
 *
 * <p>This type is a record because HotSpot trusts the final fields of records.
 *
 * @param memory the memory of the slots, the first of which is at offset 0
 * @param strideBytes the distance from one slot to the next
 * @param turnShift the binary logarithm of the capacity
 */
public record Stamps(MemorySegment memory, long strideBytes, int turnShift) {
  /*
   * A  setRelease in publish, or             ->  getAcquire in read, or       slot bytes
   *    compareAndExchangeRelease in exchange     acquireFence in committedEnd
   * B  setRelease in publish, or             ->  getAcquire in read           slot is free again, or
   *    compareAndExchangeRelease in exchange                                  was let go
   */

  /** The state of a slot that may be claimed. */
  public static final long FREE = 0;

  /** The state of a slot that is being written. */
  public static final long CLAIMED = 1;

  /** The state of a slot whose record is complete. */
  public static final long COMMITTED = 2;

  /** The state of a slot that holds no record. */
  public static final long ABORTED = 3;

  /** The state of a slot that a consumer gave up while it was being written. */
  public static final long ABANDONED = 4;

  /** The state of a slot that was given up and whose producer has noticed that. */
  public static final long LET_GO = 5;

  /** What is read instead of a word once the memory is freed. Its state is none of the above. */
  public static final long FREED = Ring.FREED;

  private static final int STATE_BITS = 3;
  private static final long STATES = (1L << STATE_BITS) - 1;
  private static final int COUNT_BITS = 16;
  private static final int TURN_SHIFT = STATE_BITS + COUNT_BITS;

  /** The most slots that one stamp can stand for. */
  public static final int MAX_COUNT = (1 << COUNT_BITS) - 1;

  private static final VarHandle STAMP = Ring.STAMP;

  /**
   * Makes the stamps of a ring whose slots begin at offset 0 and whose capacity is a power of two.
   */
  public static Stamps of(MemorySegment memory, long strideBytes, long capacity) {
    return new Stamps(memory, strideBytes, Long.numberOfTrailingZeros(capacity));
  }

  // ---- words ----

  /**
   * Returns the stamp in {@code state} of the slot of {@code sequence}. It stands for {@code count}
   * slots, at most {@link #MAX_COUNT}.
   */
  public long word(long sequence, long count, long state) {
    return (sequence >>> turnShift << TURN_SHIFT) | (count << STATE_BITS) | state;
  }

  /** Returns {@code word} with its state replaced by {@code state}. */
  public static long changed(long word, long state) {
    return (word & ~STATES) | state;
  }

  /** Returns a word's state, one of those above. */
  public static long stateOf(long word) {
    return word & STATES;
  }

  /** Returns how many slots a word stands for. */
  public static int countOf(long word) {
    return (int) (word >>> STATE_BITS) & MAX_COUNT;
  }

  private static long uncounted(long word) {
    return word & ~((long) MAX_COUNT << STATE_BITS);
  }

  /**
   * Returns whether the slots that {@code word} stands for were given up, so that they must be
   * passed over. Its state is then {@link #ABANDONED} or {@link #LET_GO}.
   */
  public static boolean isGivenUp(long word) {
    long state = stateOf(word);
    return state == ABANDONED || state == LET_GO;
  }

  /**
   * Compares the turn of {@code word} with that of {@code sequence}, from whose slot it was read.
   * Returns 0 if the turns are the same, a negative number if the word is of an earlier turn, and a
   * positive number if it is of a later turn.
   */
  public long compareTurn(long word, long sequence) {
    return (word >>> TURN_SHIFT << TURN_SHIFT) - (sequence >>> turnShift << TURN_SHIFT);
  }

  /**
   * Returns whether {@code word}, read from the slot of {@code sequence}, says that its record is
   * complete.
   */
  public boolean isCommitted(long word, long sequence) {
    return uncounted(word) == word(sequence, 0, COMMITTED);
  }

  /**
   * Returns whether {@code word}, read from the slot of {@code sequence}, says that its claim was
   * aborted. If so, the slots that the word counts hold no record.
   */
  public boolean isAborted(long word, long sequence) {
    return uncounted(word) == word(sequence, 0, ABORTED);
  }

  /**
   * Returns whether {@code word}, read from the slot of {@code sequence}, says that the slots it
   * counts were aborted or given up. If so, they hold no record and, as far as any thread can see,
   * never will.
   */
  public boolean isEmpty(long word, long sequence) {
    return isAborted(word, sequence) || isGivenUp(word);
  }

  // ---- slots ----

  /** Returns how many slots there are, a power of two. */
  public long capacity() {
    return 1L << turnShift;
  }

  /** Returns the offset in bytes of a sequence's slot, which begins with its stamp. */
  public long offset(long sequence) {
    return (sequence & (capacity() - 1)) * strideBytes;
  }

  /**
   * Reads the stamp of a slot; returns {@link #FREED} if the memory is freed. Everything done
   * before the stamp was written is visible.
   */
  public long read(long offset) {
    try {
      // acquire A, B: the slot bytes, or that the slot is free again or was let go
      return (long) STAMP.getAcquire(memory, offset);
    } catch (IllegalStateException e) {
      return FREED;
    }
  }

  /**
   * Reads a stamp without ordering anything; returns {@link #FREED} if the memory is freed. The
   * stamp must be the reader's own, or an exchange must confirm it.
   */
  public long peek(long offset) {
    try {
      return (long) STAMP.getOpaque(memory, offset); // opaque: the reader's own, or confirmed
    } catch (IllegalStateException e) {
      return FREED;
    }
  }

  /** Writes a stamp that only the writer acts on; does nothing if the memory is freed. */
  public void mark(long offset, long word) {
    try {
      STAMP.setOpaque(memory, offset, word); // opaque: only the writer acts on it
    } catch (IllegalStateException e) {
      // no thread reads it any more
    }
  }

  /** Writes a stamp that hands the slot on; returns false if the memory is freed. */
  public boolean publish(long offset, long word) {
    try {
      STAMP.setRelease(memory, offset, word); // release A, B: slot bytes, or its last use
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /**
   * Changes a stamp from {@code from} to {@code to}, though another thread may try to change it as
   * well. Returns whether this succeeded; false also if the memory is freed.
   */
  public boolean exchange(long offset, long from, long to) {
    try {
      // release A, B: slot bytes, or the last use of the slot; linearizes which thread was first
      return (long) STAMP.compareAndExchangeRelease(memory, offset, from, to) == from;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  // ---- runs ----

  /**
   * Publishes the slots of a claimed run after its first one, with a stamp in {@code state} for
   * each. The caller publishes the first slot afterwards, so that a consumer that finds it
   * published finds all the others published.
   */
  public void publishBehind(long sequence, int count, long state) {
    for (long behind = sequence + count - 1; behind > sequence; behind--) {
      // false if the memory is freed, which publishing the first slot will find too
      boolean _ = publish(offset(behind), word(behind, 1, state));
    }
  }

  /**
   * Returns how far records are committed without a gap from {@code sequence} on, which must be the
   * first of a run. The result is the end of the last committed run, or {@code sequence} itself if
   * no run is committed. Stops at {@code limit}, but includes the whole of a run that goes beyond
   * it.
   */
  public long committedEnd(long sequence, long limit) {
    long end = sequence;
    while (end < limit) {
      long word = peek(offset(end)); // opaque: the fence below orders all these reads at once
      // the usual case first: its step is constant, so the next read need not wait for this one
      if (word == word(end, 1, COMMITTED)) {
        end++;
      } else if (isCommitted(word, end)) {
        end += countOf(word);
      } else {
        break;
      }
    }
    VarHandle.acquireFence(); // acquire A: the stamps seen above before the slot bytes
    return end;
  }

  // ---- what consumers find ----

  /** The result of {@link #ready} if the stamp has changed. */
  public static final int LOOK_AGAIN = Integer.MIN_VALUE;

  /**
   * Returns what consumers find at {@code sequence}, the next one to consume. {@code word} is the
   * stamp of its slot, as read. The result is:
   *
   * <ul>
   *   <li>how many records are committed there, at most the limit, which is 1 where one stamp
   *       stands for a run;
   *   <li>or minus the number of slots that may be passed because they hold none;
   *   <li>or 0 if the next is not committed yet, or the memory is freed;
   *   <li>or {@link #LOOK_AGAIN} if the stamp has changed, or the slot is of a later turn, so that
   *       consumers are elsewhere.
   * </ul>
   */
  public int ready(long sequence, int limit, long word) {
    if (isCommitted(word, sequence)) {
      // counts from the next record on: where consumers share the records, this one may have been
      // taken by now, and a second check of it would report none
      return limit == 1 ? 1 : (int) (committedEnd(sequence + 1, sequence + limit) - sequence);
    }
    if (isAborted(word, sequence)) {
      return -countOf(word);
    }
    return word != FREED && compareTurn(word, sequence) > 0 ? LOOK_AGAIN : 0;
  }

  /**
   * Returns what consumers find at {@code sequence}, for threads that only inspect the ring. A
   * positive number says how many records are committed from there on. A negative number is minus
   * the number of slots that hold no record and never will. 0 means that neither is known, because
   * the record is not published yet or already taken. The bytes of the records found are visible.
   */
  public long recordsAt(long sequence) {
    long word = read(offset(sequence)); // acquire A: slot bytes
    if (isCommitted(word, sequence)) {
      return countOf(word);
    }
    return isEmpty(word, sequence) ? -Math.max(1, countOf(word)) : 0;
  }

  /**
   * Returns whether no slot from {@code from} to before {@code end} holds a record or an open
   * claim. If so, what was done with the slots before is visible. {@code from} must not be in the
   * middle of a claimed run. {@code end} must be the final end of the claimed sequences. Also true
   * once the memory is freed.
   */
  public boolean isEmptyBetween(long from, long end) {
    long sequence = from;
    while (sequence < end) {
      long word = read(offset(sequence)); // acquire B: the last use of the slot
      if (word == FREED) {
        return true;
      }
      boolean isConsumed = compareTurn(word, sequence) > 0;
      if (!isConsumed && !isEmpty(word, sequence)) {
        return false;
      }
      sequence += Math.max(1, countOf(word)); // the word of a single slot may have count 0
    }
    return true;
  }
}
