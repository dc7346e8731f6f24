package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link SharedClaims} for claims that consumers may give up. It marks and ends them,
 * and keeps claimers off the slots that are out of use. {@link Revocation} is the consumers' part.
 *
 * <p>Every change to a slot that both producer and consumer may attempt is an exchange, so the
 * later one learns that it was second. A producer that finds its claim given up lets go of the
 * slots and writes nothing more. Until then they are out of use: claimers skip them and consumers
 * pass over them. The first stamp of a run that was given up stays in place and counts the run's
 * slots, so the sequences of claimers and consumers never stop in the middle of it.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 */
public final class RevocableClaims {
  /*
   * Invariant: what is marked CLAIMED or ABANDONED keeps its count until its claimer ends it.
   *
   * Where several processes claim, a claimer announces its claim before it moves the tail, confirms
   * it before the mark, and withdraws the announcement once the claim has ended. A thread that
   * finds a claim open therefore finds all claimers that may have made it, and a thread that finds
   * it marked finds the one that did.
   *
   * Claimers check for slots that are out of use only while some are.
   */
  private final SharedClaims claims;
  private final Stamps stamps;
  private final Revocation revocation;
  private final boolean areUsedAgain; // slots out of use, if their claimer dies

  final Sequence skipped;
  final Sequence refused;

  RevocableClaims(
      SharedClaims claims, Revocation revocation, ClaimWords words, boolean areUsedAgain) {
    this.claims = claims;
    this.stamps = claims.stamps;
    this.revocation = revocation;
    this.areUsedAgain = areUsedAgain;
    this.skipped = words.skipped();
    this.refused = words.refused();
  }

  // ---- claiming ----

  /**
   * Claims a run of slots up to the first one that is out of use, and marks the run, so that its
   * stamp counts the slots. Moves the tail past slots that are out of use. Returns the first
   * sequence, {@link Ring#NONE} or {@link Ring#CLOSED}.
   *
   * <p>The run has at least {@code least} and at most {@code most} slots. If these differ, its
   * slots are contiguous in memory. Throws {@link IllegalStateException} if stalled producers have
   * left no room for it.
   */
  long tryClaim(int least, int most) {
    return tryClaim(least, most, null);
  }

  /** Does the same for a claimer that announces its claims; null if there is no other process. */
  long tryClaim(int least, int most, Claimers.@Nullable Claimer own) {
    long claimed = claim(least, most, own);
    if (own != null && claimed < 0) {
      own.withdraw();
    }
    return claimed;
  }

  private long claim(int least, int most, Claimers.@Nullable Claimer own) {
    long first = claims.tail();
    while (true) {
      long sequence = claims.tail();
      if (sequence < 0) {
        return Ring.CLOSED;
      }
      long free =
          claims.admitted(least == most ? sequence + most : claims.contiguousEnd(sequence, most));
      if (free - sequence < least) {
        return full(least);
      }
      // read after the check for free slots and before the claim; the mark exchanges it
      long seen = stamps.peek(stamps.offset(sequence));
      long hole = firstGivenUp(sequence, free);
      if (hole - sequence >= least) {
        if (tryMake(sequence, hole, seen, own)) {
          return sequence;
        }
      } else {
        long end = hole + Math.max(1, Stamps.countOf(stamps.peek(stamps.offset(hole))));
        boolean hasGoneRound = sequence - first >= stamps.capacity();
        if (hasGoneRound || claims.admitted(end) < end) {
          return full(least);
        }
        if (own != null) {
          own.declare(sequence, hole); // empty, if the hole is first
        }
        skip(sequence, hole, end); // false if another thread moved the tail, which will do
      }
    }
  }

  private boolean tryMake(long sequence, long end, long seen, Claimers.@Nullable Claimer own) {
    if (own != null) {
      own.declare(sequence, end);
    }
    if (!claims.tryAdvance(sequence, end)) {
      return false;
    }
    if (own != null) {
      own.confirm();
    }
    return mark(sequence, (int) (end - sequence), seen);
  }

  private long full(int count) {
    if (!areUsedAgain) {
      checkLeft(count);
    }
    return Ring.NONE;
  }

  private long firstGivenUp(long sequence, long end) {
    if (!revocation.isAnyOutOfUse()) {
      return end;
    }
    long hole = sequence;
    while (hole < end && !Stamps.isGivenUp(stamps.peek(stamps.offset(hole)))) {
      hole++;
    }
    return hole;
  }

  /**
   * Moves the tail past slots that are out of use, in a ring where stamps say which slots are free.
   * {@code sequence} is the tail as read, and {@code word} is the stamp of its slot, which is of an
   * earlier turn. {@code most} is how far the tail may be moved. Returns whether the slots are out
   * of use, so that the caller must try again. Returns false also if the tail may not be moved that
   * far.
   */
  public boolean trySkip(long sequence, long word, long most) {
    long end = sequence + Stamps.countOf(word);
    if (!Stamps.isGivenUp(word) || end > most) {
      return false;
    }
    if (isUnchanged(sequence, word)) {
      skip(sequence, sequence, end); // false if another thread moved the tail, which will do
    }
    return true;
  }

  /** Returns whether the latest value of a stamp is still {@code word}, as it was read. */
  boolean isUnchanged(long sequence, long word) {
    return stamps.exchange(stamps.offset(sequence), word, word);
  }

  /**
   * Moves the tail from {@code sequence}, as read, to {@code end}, the end of the slots that are
   * out of use. The first of these is at {@code hole}. Relinquishes the slots before it. Returns
   * whether it has moved the tail. May fail spuriously.
   */
  public boolean skip(long sequence, long hole, long end) {
    if (!claims.tryAdvance(sequence, end)) {
      return false;
    }
    SharedClaims.add(skipped, end - hole + relinquish(sequence, hole));
    return true;
  }

  /**
   * Marks a run that was just claimed. {@code seen} is the stamp that its first slot had before the
   * claim. Returns false if a consumer has already given up the run. Then nothing is claimed.
   */
  public boolean mark(long sequence, int count, long seen) {
    if (exchange(sequence, seen, count, Stamps.CLAIMED)) {
      return true;
    }
    claims.countAborted(relinquish(sequence + 1, sequence + count));
    return false;
  }

  /**
   * Returns how many slots a claim has, if its claimer has not ended it yet; 0 if the memory is
   * freed.
   */
  int countAt(long sequence) {
    long word = stamps.peek(stamps.offset(sequence));
    return word == Stamps.FREED ? 0 : Stamps.countOf(word);
  }

  /**
   * Relinquishes claimed slots that were never marked, so that consumers pass over them. Returns
   * how many it relinquished. Slots that a consumer has already passed over are not touched.
   */
  int relinquish(long sequence, long end) {
    int count = 0;
    for (long left = sequence; left < end; left++) {
      long word = stamps.peek(stamps.offset(left));
      long turn = stamps.compareTurn(word, left);
      boolean isUnmarked = turn < 0 || (turn == 0 && Stamps.stateOf(word) == Stamps.FREE);
      if (isUnmarked && exchange(left, word, 1, Stamps.ABORTED)) {
        count++;
      }
    }
    return count;
  }

  /**
   * Throws {@link IllegalStateException} if a claim of {@code count} slots cannot succeed before a
   * stalled producer continues, because no {@code count} usable slots are left in a row. If several
   * processes claim, it returns false instead, because the stalled producers may be dead, and their
   * slots are used again.
   */
  public boolean checkLeft(int count) {
    return checkLeft(count, false);
  }

  /**
   * Does the same. If {@code isContiguous}, the slots must also be contiguous in memory, so the row
   * must not go round the end of the ring.
   */
  public boolean checkLeft(int count, boolean isContiguous) {
    boolean isLeft = !revocation.isAnyOutOfUse() || isLeft(count, isContiguous);
    if (!isLeft && !areUsedAgain) {
      throw noRoom(count);
    }
    return isLeft;
  }

  private boolean isLeft(int count, boolean isContiguous) {
    // the count may be too high for a moment
    if (revocation.outOfUseCount() >= claims.bound && revocation.givenUpCount() >= claims.bound) {
      return false; // even if there are more slots: those are not to be used
    }
    long capacity = stamps.capacity();
    long inRow = 0;
    long first = claims.end(); // not in the middle of a run that was given up
    for (long slot = first; slot < first + 2 * capacity; slot++) { // twice, as a row may wrap
      if (isContiguous && (slot & (capacity - 1)) == 0) {
        inRow = 0;
      }
      long word = stamps.peek(stamps.offset(slot));
      inRow = Stamps.isGivenUp(word) ? 0 : inRow + 1;
      slot += Stamps.isGivenUp(word) ? Math.max(1, Stamps.countOf(word)) - 1 : 0;
      if (inRow >= count) {
        return true;
      }
    }
    return false;
  }

  private IllegalStateException noRoom(int count) {
    return new IllegalStateException(
        count == 1
            ? "no room left: stalled producers hold all of it, capacity=" + claims.bound
            : "no room left for %d in a row: stalled producers hold %d of %d"
                .formatted(count, revocation.outOfUseCount(), claims.bound));
  }

  // ---- ending a claim ----

  /**
   * Ends a claim as {@link Stamps#COMMITTED} or {@link Stamps#ABORTED}. Returns false if the claim
   * had already been given up or the memory is freed. Throws {@link IllegalStateException} if no
   * claim is open there.
   */
  public boolean end(long sequence, int count, long state) {
    long offset = stamps.offset(sequence);
    long word = stamps.peek(offset);
    if (word == Stamps.FREED) {
      return false;
    }
    long found = Stamps.stateOf(word);
    if (found != Stamps.CLAIMED && found != Stamps.ABANDONED) {
      throw new IllegalStateException("no open claim: sequence=" + sequence);
    }
    if (found == Stamps.ABANDONED || !publish(sequence, word, count, state)) {
      letGo(offset);
      SharedClaims.add(refused, count);
      return false;
    }
    if (state == Stamps.ABORTED) {
      claims.countAborted(count);
    }
    return true;
  }

  /**
   * Aborts a claim whose claimer has stopped. Does nothing if it had not marked or had ended it.
   */
  public void endLeft(long sequence) {
    long word = stamps.peek(stamps.offset(sequence));
    if (Stamps.stateOf(word) == Stamps.CLAIMED || Stamps.stateOf(word) == Stamps.ABANDONED) {
      boolean _ = end(sequence, Stamps.countOf(word), Stamps.ABORTED); // false if given up
    }
  }

  private boolean publish(long sequence, long word, int count, long state) {
    long ended = Stamps.changed(word, state);
    if (claims.stampsEach) {
      stamps.publishBehind(sequence, count, state);
      ended = stamps.word(sequence, 1, state);
    }
    return stamps.exchange(stamps.offset(sequence), word, ended);
  }

  private void letGo(long offset) {
    long word;
    do {
      word = stamps.peek(offset);
    } while (word != Stamps.FREED
        && !stamps.exchange(offset, word, Stamps.changed(word, Stamps.LET_GO)));
  }

  private boolean exchange(long sequence, long word, int count, long state) {
    return stamps.exchange(stamps.offset(sequence), word, stamps.word(sequence, count, state));
  }
}
