package dev.millrace.core.internal.ring;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The stamps of a ring whose slots many threads claim: one word next to each record that says whose
 * turn the slot is, and the changes from state to state.
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
 * <p>A stamp may stand for a run of slots: it is that of the first slot, and its count is the
 * length of the run. Only that stamp then changes; the stamps of the other slots keep what they
 * held.
 *
 * <p>Where consumers free slots one by one, they write FREE of the next turn. Where one consumer's
 * sequence determines what is free, they write nothing, and every word of an earlier turn means
 * FREE, except on slots that were given up.
 *
 * <p>The turn takes 45 bits and is compared modulo 2<sup>45</sup>, so it may wrap. A word would be
 * taken for one of a later turn only if its slot had been in the middle of runs, and so unstamped,
 * for more than 2<sup>44</sup> turns: at a billion records a second 9.8 hours for a ring of two
 * slots and half a year for one of a thousand.
 *
 * <p>A record, because HotSpot trusts the finals of records.
 *
 * @param memory the slots, from offset 0
 * @param strideBytes from one slot to the next
 * @param turnShift the logarithm of the capacity
 */
public record Stamps(MemorySegment memory, long strideBytes, int turnShift) {
  /*
   * A  setRelease in publish, or             ->  getAcquire in read, or       slot bytes
   *    compareAndExchangeRelease in exchange     acquireFence in committedEnd
   * B  setRelease in publish, or             ->  getAcquire in read           slot is free again, or
   *    compareAndExchangeRelease in exchange                                  was let go
   */

  /** May be claimed. */
  public static final long FREE = 0;

  /** Is being written. */
  public static final long CLAIMED = 1;

  /** Is whole. */
  public static final long COMMITTED = 2;

  /** Holds no record. */
  public static final long ABORTED = 3;

  /** Was given up by a consumer while it was being written. */
  public static final long ABANDONED = 4;

  /** The same, and its producer has noticed. */
  public static final long LET_GO = 5;

  /** What is read instead of a word once the memory is freed; its state is none of the above. */
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
   * Returns the stamp, in a given state, of a slot that is used for a sequence. It stands for
   * {@code count} slots, at most {@link #MAX_COUNT}.
   */
  public long word(long sequence, long count, long state) {
    return (sequence >>> turnShift << TURN_SHIFT) | (count << STATE_BITS) | state;
  }

  /** The same word in another state. */
  public static long changed(long word, long state) {
    return (word & ~STATES) | state;
  }

  /** A word's state, one of those above. */
  public static long stateOf(long word) {
    return word & STATES;
  }

  /** How many slots a word stands for. */
  public static int countOf(long word) {
    return (int) (word >>> STATE_BITS) & MAX_COUNT;
  }

  private static long uncounted(long word) {
    return word & ~((long) MAX_COUNT << STATE_BITS);
  }

  /**
   * Whether a word says that its slots were given up, so that they must be passed over: its state
   * is {@link #ABANDONED} or {@link #LET_GO}.
   */
  public static boolean isGivenUp(long word) {
    long state = stateOf(word);
    return state == ABANDONED || state == LET_GO;
  }

  /**
   * Compares the turn of a word with that of a sequence whose slot it was read from. Returns 0 if
   * they are the same, a negative number if the word is of an earlier turn, a positive one if it is
   * of a later turn.
   */
  public long compareTurn(long word, long sequence) {
    return (word >>> TURN_SHIFT << TURN_SHIFT) - (sequence >>> turnShift << TURN_SHIFT);
  }

  /** Whether a word, read from the slot of a sequence, says that its record is whole. */
  public boolean isCommitted(long word, long sequence) {
    return uncounted(word) == word(sequence, 0, COMMITTED);
  }

  /**
   * Whether a word, read from the slot of a sequence, says that it was aborted: this slot and the
   * others that the word counts hold no record.
   */
  public boolean isAborted(long word, long sequence) {
    return uncounted(word) == word(sequence, 0, ABORTED);
  }

  /**
   * Whether a word, read from the slot of a sequence, says that the slots it counts were aborted or
   * given up: they hold no record and, as far as any thread can see, never will.
   */
  public boolean isEmpty(long word, long sequence) {
    return isAborted(word, sequence) || isGivenUp(word);
  }

  // ---- slots ----

  /** How many slots there are, a power of two. */
  public long capacity() {
    return 1L << turnShift;
  }

  /** Where a sequence's slot begins, with its stamp; in bytes. */
  public long offset(long sequence) {
    return (sequence & (capacity() - 1)) * strideBytes;
  }

  /**
   * Reads the stamp of a slot, or {@link #FREED}, and with it what was done before it was written.
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
   * Reads a stamp, or {@link #FREED}, without ordering anything: the reader's own, or one that an
   * exchange will confirm.
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
   * Changes a stamp that another thread may want to change as well. Returns whether it was as
   * expected and was changed; false also if the memory is freed.
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
   * Publishes the slots of a claimed run after its first one, in the state given, with a stamp for
   * each. The caller publishes the first one afterwards, so that a consumer that finds it finds
   * all.
   */
  public void publishBehind(long sequence, int count, long state) {
    for (long behind = sequence + count - 1; behind > sequence; behind--) {
      // false if the memory is freed, which publishing the first slot will find too
      boolean _ = publish(offset(behind), word(behind, 1, state));
    }
  }

  /**
   * Returns how far records are committed without a gap from a sequence on, which is the first of a
   * run: the end of the last committed run, or the sequence itself if none is. Stops at the limit,
   * but takes runs that go beyond it whole.
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

  /** Returned by {@link #ready}: the stamp has changed. */
  public static final int LOOK_AGAIN = Integer.MIN_VALUE;

  /**
   * Returns what consumers find at the next sequence to consume, given the stamp of its slot as
   * read:
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
   * What consumers find at a sequence, for threads that only inspect the ring: how many records are
   * committed from there on; or minus the number of slots that hold none and never will; or 0 if
   * neither is known, because it is not published yet, or already taken. The bytes of the records
   * found are visible.
   */
  public long recordsAt(long sequence) {
    long word = read(offset(sequence)); // acquire A: slot bytes
    if (isCommitted(word, sequence)) {
      return countOf(word);
    }
    return isEmpty(word, sequence) ? -Math.max(1, countOf(word)) : 0;
  }

  /**
   * Whether no slot from one sequence to another holds a record or an open claim; if so, what was
   * done with the slots before is visible. The first sequence is not in the middle of a claimed
   * run; the second is the one up to which slots are claimed, and final. True once the memory is
   * freed.
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
