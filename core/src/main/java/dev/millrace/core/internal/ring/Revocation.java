package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import org.jspecify.annotations.NullUnmarked;

/**
 * The part of {@link SharedClaims} with which consumers give up claims: those that have stalled,
 * and in a ring that several processes share, those of dead claimers. {@link RevocableClaims} has
 * the claimers' part and says how the two agree.
 *
 * <p><b>Roles.</b> Any thread may call any method that does not say otherwise.
 */
@NullUnmarked // which fields are null follows from the state
public final class Revocation {
  /*
   * Between claim and mark, the stamp does not show the claim. A consumer that gives it up then
   * sets the slot to ABORTED; the mark fails, and no byte was written. The other slots of such a
   * claim are given up one by one, by consumers or by the claimer.
   *
   * A marked claim whose claimer may still write is ABANDONED, and its slots are out of use until
   * the claimer ends it. If the claimer will never act again, the claim is ABORTED and its slots
   * are free at once. If the claimer of an abandoned claim dies later, the thread that recovers its
   * place lets go of the slots.
   *
   * outOfUse is raised before a claim is given up, so a claimer that sees the slots freed sees it.
   * It may therefore be too high for a moment, or if a consumer dies, until the next one counts.
   */
  private final SharedClaims claims;
  private final Stamps stamps;
  private final StallWatch stalls;
  private final Claimers claimers; // null unless several processes claim
  private final StallWatch deaths; // likewise; says when to ask for the fate of a claimer

  final Sequence stalled;
  private final Sequence outOfUse;

  Revocation(SharedClaims claims, StallWatch stalls, ClaimWords words, Claimers claimers) {
    this.claims = claims;
    this.stamps = claims.stamps;
    this.stalls = stalls;
    this.claimers = claimers;
    this.deaths = claimers == null ? null : new StallWatch(claimers.patienceNanos());
    this.stalled = words.stalled();
    this.outOfUse = words.outOfUse();
  }

  /**
   * Returns what {@link SharedClaims#ready} finds at a slot that is neither committed nor aborted,
   * and not of a later turn. Stamps slots that were given up in an earlier turn again for this
   * turn: as out of use, or as aborted if they were let go. It does so before any thread passes
   * them, because claimers of the next turn act on the stamp.
   */
  int ready(long sequence, long word) {
    if (!Stamps.isGivenUp(word)) {
      return tryGiveUp(sequence, word) ? Stamps.LOOK_AGAIN : 0;
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
    }
    return Stamps.LOOK_AGAIN;
  }

  // ---- giving up ----

  /** Gives up a claim that has stalled, or whose claimer is dead. */
  private boolean tryGiveUp(long sequence, long word) {
    boolean isMarked =
        Stamps.stateOf(word) == Stamps.CLAIMED && stamps.compareTurn(word, sequence) == 0;
    if (claimers != null && isOverdue(deaths, sequence)) {
      Claimers.Fate fate = claimers.fateOf(sequence, isMarked);
      if (fate.isOver()) {
        giveUp(sequence, word, isMarked, fate == Claimers.Fate.FENCED);
        deaths.suspect(sequence + 1); // the rest of the claim, if it is not marked
        return true;
      }
      deaths.checkNone(); // so that the next question, a system call, comes as late
    }
    if (isOverdue(stalls, sequence)) {
      giveUp(sequence, word, isMarked, true);
      return true;
    }
    return false;
  }

  /** Returns whether the claim at the next sequence to consume has been open for too long. */
  private boolean isOverdue(StallWatch watch, long sequence) {
    if (!watch.isDue()) {
      return false; // reading the tail takes its cache line from the producers
    }
    if (claims.end() <= sequence) {
      watch.checkNone();
      return false;
    }
    return watch.hasStalled(sequence);
  }

  /** Gives up a claim, or the first slot of one that is not marked, unless it has just ended. */
  private void giveUp(long sequence, long word, boolean isMarked, boolean mayBeWritten) {
    int count = isMarked ? Stamps.countOf(word) : 1;
    boolean isKept = isMarked && mayBeWritten;
    if (isKept) {
      SharedClaims.add(outOfUse, count); // first, so that a claimer that sees the slots freed does
    }
    if (exchange(sequence, word, count, isKept ? Stamps.ABANDONED : Stamps.ABORTED)) {
      SharedClaims.add(stalled, count);
    } else if (isKept) {
      SharedClaims.add(outOfUse, -count);
    }
  }

  private boolean exchange(long sequence, long word, int count, long state) {
    return stamps.exchange(stamps.offset(sequence), word, stamps.word(sequence, count, state));
  }

  // ---- what the dead leave ----

  /**
   * Lets go of the slots of a claim that was given up and whose claimer will never act again,
   * unless it had ended the claim. Then another one may have claimed the slots since and be writing
   * them.
   */
  public void letGoOf(long sequence) {
    long offset = stamps.offset(sequence);
    boolean isDone = false;
    while (!isDone) {
      long word = stamps.read(offset); // acquire: the announcement of a later claim
      isDone =
          Stamps.stateOf(word) != Stamps.ABANDONED
              || claimers.isClaimedAgain(sequence)
              || stamps.exchange(offset, word, Stamps.changed(word, Stamps.LET_GO));
    }
  }

  /**
   * Counts again how many slots are out of use. For the only consumer, because the one before it
   * may have died between a change and its count.
   */
  public void recount() {
    outOfUse.setOpaque(givenUpCount()); // opaque: a count
  }

  // ---- slots out of use ----

  /** Returns whether any slot is out of use. */
  boolean isAnyOutOfUse() {
    return outOfUse.getOpaque() != 0; // opaque: slots were found free before, by an acquire
  }

  /** Returns how many slots are out of use, or for a moment more. */
  int outOfUseCount() {
    return (int) Math.max(0, outOfUse.getOpaque()); // opaque: a count
  }

  /** Returns the same by the stamps, each of which it reads. */
  long givenUpCount() {
    long count = 0;
    for (long slot = 0; slot < stamps.capacity(); slot++) {
      long word = stamps.peek(stamps.offset(slot)); // given up if it is the first of such a run
      count += Stamps.isGivenUp(word) ? Stamps.countOf(word) : 0;
    }
    return count;
  }
}
