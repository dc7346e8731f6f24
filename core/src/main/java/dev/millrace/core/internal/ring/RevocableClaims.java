package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;

/**
 * The part of {@link SharedClaims} for a stall limit. It marks and ends claims that consumers may
 * give up, and says what becomes of their slots.
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
   * Between claim and mark, the stamp does not show the claim. A consumer that gives it up then
   * sets the slot to ABORTED; the mark fails, and no byte was written.
   *
   * Invariant: what is marked CLAIMED or ABANDONED keeps its count until its claimer ends it.
   *
   * Where several processes claim, a claimer announces its claim before it moves the tail, confirms
   * it before the mark, and takes the announcement back once the claim has ended. A consumer that
   * finds a claim open for some time asks for its claimer's fate. It gives up a claim of the dead as
   * it does a stalled one. The slots of a marked claim are free again at once if its claimer cannot
   * write any more.
   *
   * Claimers check for slots that are out of use only while some claim is kept. Kept is raised
   * before a claim is given up, so for a moment it may be too high; outOfUse, for which claims are
   * refused, is raised after it.
   */
  private final SharedClaims claims;
  private final Stamps stamps;
  private final StallWatch stalls;

  final Sequence skipped;
  final Sequence refused;
  final Sequence stalled;
  private final Sequence outOfUse;
  private final Sequence kept; // claims whose slots are out of use
  private final Claimers claimers; // null unless several processes claim
  private final StallWatch deaths; // likewise; when to ask for the fate of a claimer
  private long deadEnd; // the only consumer's: behind what it has given up of the dead

  RevocableClaims(SharedClaims claims, StallWatch stalls, ClaimWords words, Claimers claimers) {
    this.claims = claims;
    this.stamps = claims.stamps;
    this.stalls = stalls;
    this.skipped = words.skipped();
    this.refused = words.refused();
    this.stalled = words.stalled();
    this.outOfUse = words.outOfUse();
    this.kept = words.kept();
    this.claimers = claimers;
    this.deaths = claimers == null ? null : new StallWatch(claimers.patienceNanos());
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

  /** The same, for a claimer that announces its claims; null if there is no other process. */
  long tryClaim(int least, int most, Claimers.Claimer own) {
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
        if (own != null) {
          own.declare(sequence, hole);
        }
        if (claims.tryAdvance(sequence, hole)) {
          if (own != null) {
            own.confirm();
          }
          if (mark(sequence, (int) (hole - sequence), seen)) {
            return sequence;
          }
        }
      } else {
        long end = hole + Math.max(1, Stamps.countOf(stamps.peek(stamps.offset(hole))));
        boolean hasGoneRound = sequence - first >= stamps.capacity();
        if (hasGoneRound || claims.admitted(end) < end) {
          return full(least);
        }
        if (own != null) {
          own.declare(sequence, hole); // nothing, if the hole is first
        }
        skip(sequence, hole, end); // false if another thread moved the tail, which will do
      }
    }
  }

  private long full(int count) {
    checkLeft(count);
    return Ring.NONE;
  }

  private long firstGivenUp(long sequence, long end) {
    if (kept.getOpaque() == 0) { // opaque: the slots were found free before, by an acquire
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
   * stalled producer continues, because no {@code count} usable slots are left in a row. Does not
   * throw if several processes claim: a producer that has stopped may then be dead, and its slots
   * are used again.
   */
  public void checkLeft(int count) {
    checkLeft(count, false);
  }

  /**
   * Does the same. If {@code isContiguous}, the slots must also be contiguous in memory, so the row
   * must not go round the end of the ring.
   */
  public void checkLeft(int count, boolean isContiguous) {
    if (claimers != null || outOfUse.getOpaque() == 0) { // opaque: a count
      return;
    }
    if (outOfUseCount() >= claims.bound) {
      throw noRoom(count); // even if there are more slots: those are not to be used
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
      slot += Stamps.isGivenUp(word) ? Stamps.countOf(word) - 1 : 0;
      if (inRow >= count) {
        return;
      }
    }
    throw noRoom(count);
  }

  private IllegalStateException noRoom(int count) {
    return new IllegalStateException(
        count == 1
            ? "no room left: stalled producers hold all of it, capacity=" + claims.bound
            : "no room left for %d in a row: stalled producers hold %d of %d"
                .formatted(count, outOfUseCount(), claims.bound));
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

  /** Aborts a claim whose claimer has stopped, unless it has ended it. */
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

  // ---- consuming ----

  /**
   * Returns what {@link SharedClaims#ready} finds at a slot that is neither committed nor aborted,
   * and not of a later turn. Stamps slots that were given up in an earlier turn again for this
   * turn: as out of use, or as aborted if they were let go. It does so before any thread passes
   * them, because claimers of the next turn act on the stamp.
   */
  int ready(long sequence, long word) {
    if (!Stamps.isGivenUp(word)) {
      if (claimers != null && giveUpIfDead(sequence, word)) {
        return Stamps.LOOK_AGAIN;
      }
      // reading the tail takes its cache line from the producers
      return stalls.isDue() ? giveUpIfStalled(sequence, word) : 0;
    }
    if (claims.end() <= sequence) {
      return 0;
    }
    if (stamps.compareTurn(word, sequence) == 0) {
      return -Stamps.countOf(word);
    }
    boolean isLetGo = Stamps.stateOf(word) == Stamps.LET_GO;
    int count = Stamps.countOf(word);
    long state = isLetGo ? Stamps.ABORTED : Stamps.ABANDONED;
    if (exchange(sequence, word, count, state) && isLetGo) {
      SharedClaims.add(outOfUse, -count);
      SharedClaims.add(kept, -1);
    }
    return Stamps.LOOK_AGAIN;
  }

  private int giveUpIfStalled(long sequence, long word) {
    if (claims.end() <= sequence) {
      stalls.checkNone();
      return 0;
    }
    if (!stalls.hasStalled(sequence)) {
      return 0;
    }
    if (Stamps.stateOf(word) == Stamps.CLAIMED && stamps.compareTurn(word, sequence) == 0) {
      abandon(sequence, word);
    } else if (exchange(sequence, word, 1, Stamps.ABORTED)) {
      SharedClaims.add(stalled, 1);
    }
    return Stamps.LOOK_AGAIN;
  }

  /** Gives up a claim whose claimer is dead; returns whether the stamp has changed. */
  private boolean giveUpIfDead(long sequence, long word) {
    boolean isOfTheDead = sequence == deadEnd; // the rest of a claim that is not marked
    if (!isOfTheDead && !deaths.isDue()) {
      return false;
    }
    if (claims.end() <= sequence) {
      deaths.checkNone();
      return false;
    }
    if (!isOfTheDead && !deaths.hasStalled(sequence)) {
      return false;
    }
    deaths.checkNone(); // so that it takes as long before the next question
    deadEnd = 0;
    boolean isMarked =
        Stamps.stateOf(word) == Stamps.CLAIMED && stamps.compareTurn(word, sequence) == 0;
    Claimers.Fate fate = claimers.fateOf(sequence, isMarked);
    if (fate != Claimers.Fate.DEAD && fate != Claimers.Fate.FENCED) {
      return false;
    }
    if (isMarked && fate == Claimers.Fate.FENCED) {
      abandon(sequence, word);
    } else {
      int count = isMarked ? Stamps.countOf(word) : 1;
      if (exchange(sequence, word, count, Stamps.ABORTED)) {
        SharedClaims.add(stalled, count);
      }
      deadEnd = isMarked ? 0 : sequence + 1;
    }
    return true;
  }

  /**
   * Lets go of the slots of a claim that was given up, because its claimer will never act again.
   * Not for a claimer that has ended the claim itself.
   */
  public void letGoOf(long sequence) {
    long offset = stamps.offset(sequence);
    long word = stamps.peek(offset);
    while (Stamps.stateOf(word) == Stamps.ABANDONED
        && !stamps.exchange(offset, word, Stamps.changed(word, Stamps.LET_GO))) {
      word = stamps.peek(offset); // of the next turn
    }
  }

  /**
   * Counts again what is out of use. For the only consumer, because one before it may have died
   * between a change and its count.
   */
  public void recount() {
    long runs = 0;
    long slots = 0;
    for (long slot = 0; slot < stamps.capacity(); slot++) {
      long word = stamps.peek(stamps.offset(slot)); // given up if it is the first of such a run
      runs += Stamps.isGivenUp(word) ? 1 : 0;
      slots += Stamps.isGivenUp(word) ? Stamps.countOf(word) : 0;
    }
    kept.setOpaque(runs); // opaque: a count
    outOfUse.setOpaque(slots); // opaque: a count
  }

  /** Gives up a marked claim, whose slots are out of use until its claimer lets go of them. */
  private void abandon(long sequence, long word) {
    int count = Stamps.countOf(word);
    SharedClaims.add(kept, 1); // first, so that a claimer that sees the slots freed sees this
    if (exchange(sequence, word, count, Stamps.ABANDONED)) {
      SharedClaims.add(stalled, count);
      SharedClaims.add(outOfUse, count);
    } else {
      SharedClaims.add(kept, -1);
    }
  }

  private boolean exchange(long sequence, long word, int count, long state) {
    return stamps.exchange(stamps.offset(sequence), word, stamps.word(sequence, count, state));
  }

  int outOfUseCount() {
    return (int) Math.max(0, outOfUse.getOpaque()); // opaque: a count
  }
}
