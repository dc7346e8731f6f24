package dev.millrace.core.internal;

import dev.millrace.core.Sequence;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The producers' side of a ring that many threads claim slots of: how far it is claimed, how claims
 * end, and what is given up when a producer stalls. Which slots are free, and so the loop that
 * claims, is up to the type that uses it.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>Stalled claims.</b> With a {@link StallWatch} each change of a slot that producer and
 * consumer may both want is an exchange, and the later one learns that it was second. A producer
 * that finds its claim given up lets go of the slots and writes nothing any more. Until then they
 * are out of use: claimers skip them, consumers pass over them. The first stamp of what was given
 * up stays where it is, for as many slots as it counts, so the sequences of claimers and consumers
 * never stop in its midst. Without a watch a commit is a store.
 */
public final class Claims {
  /*
   * The tail is the sequence to claim next; closing sets its sign, after which no exchange of a
   * claimer succeeds. So it is known exactly what was claimed before the close.
   *
   * Invariant: once negative the tail is final. Between claim and mark a stamp tells nothing of the
   * claim; a consumer that gives it up there turns the slot to ABORTED, the mark fails, and no byte
   * was written.
   *
   * A  tail.weakCompareAndSetRelease in close       ->  tail.getAcquire in        what was done
   *                                                       isClosed                  before
   * B  tail.weakCompareAndSetRelease in tryAdvance  ->  tail.getAcquire in tail,  the head that let
   *                                                       end                       it get so far
   */
  private static final long CLOSED = Long.MIN_VALUE;

  private final Stamps stamps;
  private final StallWatch stalls;
  private final boolean stampsEach;

  private final Sequence tail = new Sequence();
  private final Sequence skipped = new Sequence();
  private final Sequence aborted = new Sequence();
  private final Sequence refused = new Sequence();
  private final Sequence stalled = new Sequence();
  private final Sequence outOfUse = new Sequence();

  @SuppressWarnings("unused") // through CLOSING
  private boolean closing;

  /**
   * Makes the claims of a ring that is empty.
   *
   * @param stamps the ring's stamps
   * @param stalls finds stalled claims, or null if claims may be open for ever
   * @param stampsEach whether each slot of a run gets a stamp, or the first one for all
   */
  public Claims(Stamps stamps, StallWatch stalls, boolean stampsEach) {
    this.stamps = stamps;
    this.stalls = stalls;
    this.stampsEach = stampsEach;
  }

  // ---- claiming ----

  /**
   * The sequence to claim next.
   *
   * @return the sequence, or a negative number if closed
   */
  public long tail() {
    return tail.getAcquire(); // acquire B: sees the claims before, and what is freed since
  }

  /**
   * Claims a run of sequences.
   *
   * @param sequence the tail as seen
   * @param end the new tail
   * @return whether they are the caller's; may fail for no reason
   */
  public boolean tryAdvance(long sequence, long end) {
    // release B: that the slots are free, which was acquired before; linearizes the claim
    return tail.weakCompareAndSetRelease(sequence, end);
  }

  /**
   * Marks a run that was just claimed.
   *
   * @param sequence its first sequence
   * @param count its length
   * @param seen the first slot's stamp, as it was before the claim
   * @return false if a consumer has given it up already; then nothing is claimed
   */
  public boolean mark(long sequence, int count, long seen) {
    long offset = stamps.offset(sequence);
    long word = stamps.word(sequence, Math.min(count, Stamps.MAX_COUNT), Stamps.CLAIMED);
    if (stalls == null) {
      stamps.mark(offset, word);
      return true;
    }
    if (stamps.exchange(offset, seen, word)) {
      return true;
    }
    add(aborted, stamps.relinquish(sequence + 1, sequence + count));
    return false;
  }

  /**
   * Moves the tail past slots that are out of use.
   *
   * @param sequence the tail as seen
   * @param hole the sequence of the first such slot, from the tail on
   * @param end the sequence behind the last one
   * @return whether it has been moved; may fail for no reason
   */
  public boolean skip(long sequence, long hole, long end) {
    if (!tryAdvance(sequence, end)) {
      return false;
    }
    add(skipped, end - hole + stamps.relinquish(sequence, hole));
    return true;
  }

  // ---- ending a claim ----

  /**
   * Ends a claim.
   *
   * @param offset where the first slot begins
   * @param count how many slots, or 0 for as many as the mark says
   * @param state {@link Stamps#COMMITTED} or {@link Stamps#ABORTED}
   * @return false if it was given up before
   * @throws IllegalStateException if no claim is open there
   */
  public boolean end(long offset, int count, long state) {
    long word = stamps.peek(offset);
    int slots = count == 0 ? Stamps.countOf(word) : count;
    long found = Stamps.stateOf(word);
    if (found != Stamps.CLAIMED && found != Stamps.ABANDONED) {
      throw new IllegalStateException("claim must be open: none is at offset " + offset);
    }
    if (found == Stamps.ABANDONED || !publish(offset, word, slots, state)) {
      letGo(offset);
      add(refused, slots);
      return false;
    }
    if (state == Stamps.ABORTED) {
      add(aborted, slots);
    }
    return true;
  }

  private void letGo(long offset) {
    long word;
    do {
      word = stamps.peek(offset);
    } while (!stamps.exchange(offset, word, Stamps.changed(word, Stamps.LET_GO)));
  }

  private boolean publish(long offset, long word, int count, long state) {
    if (!stampsEach && stalls == null) {
      stamps.publishRun(offset, word, count, state);
      return true;
    }
    long first =
        stampsEach ? stamps.publishBehind(offset, word, count, state) : Stamps.changed(word, state);
    if (stalls == null) {
      stamps.publish(offset, first);
      return true;
    }
    return stamps.exchange(offset, word, first);
  }

  // ---- consuming ----

  /** Returned by {@link #gapAt} and {@link #ready}: the stamp has changed. */
  public static final int LOOK_AGAIN = Integer.MIN_VALUE;

  /**
   * What is there for consumers that stand at a sequence, be they many: for rings whose every slot
   * has a stamp. Slots that were given up in an earlier turn are stamped as what they are in this
   * one, out of use, or aborted if they were let go; that comes before anybody passes them, for
   * claimers of the next turn then act upon it.
   *
   * @param sequence the next sequence to consume
   * @param limit how many records to look for
   * @return how many records are committed there, at most the limit; or less than 0 for as many
   *     slots that may be passed since they hold none; 0 if the next is not committed yet; or
   *     {@link #LOOK_AGAIN}, also if the slot is of a later turn, so that consumers are elsewhere
   */
  public int ready(long sequence, int limit) {
    long word = stamps.read(stamps.offset(sequence));
    if (stamps.isCommitted(word, sequence)) {
      // from the next one on: this one may be taken meanwhile where consumers share what is there
      return (int) (stamps.committedEnd(sequence + 1, sequence + limit) - sequence);
    }
    long turn = stamps.compareTurn(word, sequence);
    if (turn > 0) {
      return LOOK_AGAIN;
    }
    int gap = gapAt(sequence, word);
    if (gap <= 0) {
      return gap;
    }
    if (turn < 0) {
      takeOver(sequence, word, gap);
      return LOOK_AGAIN;
    }
    return -gap;
  }

  private void takeOver(long sequence, long word, int count) {
    boolean isLetGo = Stamps.stateOf(word) == Stamps.LET_GO;
    long state = isLetGo ? Stamps.ABORTED : Stamps.ABANDONED;
    if (stamps.exchange(stamps.offset(sequence), word, stamps.word(sequence, count, state))
        && isLetGo) {
      backInUse(count);
    }
  }

  /**
   * How many slots a consumer may pass though they hold no record, because they were aborted or
   * given up; gives up the claim that is there if it has stalled.
   *
   * @param sequence the next sequence to consume
   * @param word its slot's stamp, of its turn or an earlier one, not committed
   * @return how many, 0 if none, or {@link #LOOK_AGAIN}
   */
  public int gapAt(long sequence, long word) {
    boolean isCurrent = stamps.compareTurn(word, sequence) == 0;
    if (isCurrent && Stamps.stateOf(word) == Stamps.ABORTED) {
      return Stamps.countOf(word);
    }
    if (stalls == null || end() <= sequence) {
      return 0;
    }
    if (Stamps.isGivenUp(word)) {
      return Stamps.countOf(word);
    }
    if (!stalls.hasStalled(sequence)) {
      return 0;
    }
    giveUp(sequence, word, isCurrent);
    return LOOK_AGAIN;
  }

  /**
   * How many slots hold no record and never will, as far as anybody can see: for those who do not
   * pass them.
   *
   * @param sequence a claimed sequence that no consumer has passed
   * @return how many from there on, or 0 if there is a record, or may yet be
   */
  public int emptyAt(long sequence) {
    long word = stamps.read(stamps.offset(sequence)); // acquire: what was done before it was left
    boolean isAborted =
        stamps.compareTurn(word, sequence) == 0 && Stamps.stateOf(word) == Stamps.ABORTED;
    return isAborted || Stamps.isGivenUp(word) ? Stamps.countOf(word) : 0;
  }

  /**
   * Whether a stamp is still what was read, and not only what this thread saw last: to be asked
   * before slots are passed over because they were given up.
   *
   * @param sequence the sequence whose slot it is
   * @param word the stamp as read
   * @return whether it is
   */
  public boolean confirms(long sequence, long word) {
    return stamps.exchange(stamps.offset(sequence), word, word);
  }

  private void giveUp(long sequence, long word, boolean isCurrent) {
    boolean isMarked = isCurrent && Stamps.stateOf(word) == Stamps.CLAIMED;
    long givenUp =
        isMarked
            ? Stamps.changed(word, Stamps.ABANDONED)
            : stamps.word(sequence, 1, Stamps.ABORTED);
    if (stamps.exchange(stamps.offset(sequence), word, givenUp)) {
      add(stalled, Stamps.countOf(givenUp));
      add(outOfUse, isMarked ? Stamps.countOf(givenUp) : 0);
    }
  }

  /**
   * Says that slots that were let go are in use again.
   *
   * @param count how many
   */
  public void backInUse(int count) {
    add(outOfUse, -count);
  }

  // ---- the end ----

  /** Lets no claim succeed from now on. */
  public void close() {
    CLOSING.setOpaque(this, true); // opaque: a hint
    long seen = tail.getOpaque(); // opaque: the exchange confirms it
    // release A: what was done before
    while (seen >= 0 && !tail.weakCompareAndSetRelease(seen, seen | CLOSED)) {
      seen = tail.getOpaque(); // opaque: the exchange confirms it
    }
  }

  /**
   * Whether {@link #close} was called; if so, what its caller did before is visible.
   *
   * @return whether no claim succeeds any more
   */
  public boolean isClosed() {
    return tail.getAcquire() < 0; // acquire A: sees close, hence what came before it
  }

  /**
   * Whether {@link #isClosed} may be true: for those who ask often, and would keep taking the tail
   * from the producers.
   *
   * @return whether {@link #close} has begun
   */
  public boolean isClosing() {
    return (boolean) CLOSING.getOpaque(this); // opaque: a hint
  }

  /**
   * Up to which sequence slots are claimed.
   *
   * @return the sequence, final if {@link #isClosed} was true before
   */
  public long end() {
    return tail.getAcquire()
        & ~CLOSED; // acquire B: sees the claims before, and what is freed since
  }

  /**
   * Refuses a claim that cannot succeed before a stalled producer goes on.
   *
   * @param count how many slots are to be claimed
   * @param capacity how many the ring has
   * @throws IllegalStateException if so many slots in a row are nowhere left
   */
  public void checkLeft(int count, long capacity) {
    if (stalls == null || outOfUse.getOpaque() == 0) { // opaque: a count
      return;
    }
    long inRow = 0;
    long first = end(); // not in the midst of what was given up
    for (long slot = first; slot < first + 2 * capacity; slot++) { // twice, for a row may wrap
      long word = stamps.peek(stamps.offset(slot));
      inRow = Stamps.isGivenUp(word) ? 0 : inRow + 1;
      slot += Stamps.isGivenUp(word) ? Stamps.countOf(word) - 1 : 0;
      if (inRow >= count) {
        return;
      }
    }
    throw new IllegalStateException(
        "slots must be left to claim, "
            + count
            + " in a row, but producers that stalled hold "
            + outOfUseCount()
            + " of "
            + capacity
            + ": count="
            + count);
  }

  // ---- counts ----

  /**
   * Counts slots whose producer has given them back without {@link #end}.
   *
   * @param count how many
   */
  public void countAborted(int count) {
    add(aborted, count);
  }

  /**
   * How many slots producers have claimed.
   *
   * @return the number
   */
  public long claimedCount() {
    return end() - skippedCount();
  }

  /**
   * How many slots claimers have passed over because they were out of use.
   *
   * @return the number
   */
  public long skippedCount() {
    return skipped.getOpaque(); // opaque: a count
  }

  /**
   * How many slots were claimed and given back.
   *
   * @return the number
   */
  public long abortedCount() {
    return aborted.getOpaque(); // opaque: a count
  }

  /**
   * How many records were refused because their claim had been given up.
   *
   * @return the number
   */
  public long refusedCount() {
    return refused.getOpaque(); // opaque: a count
  }

  /**
   * How many slots were given up.
   *
   * @return the number
   */
  public long stalledCount() {
    return stalled.getOpaque(); // opaque: a count
  }

  /**
   * How many slots are out of use.
   *
   * @return the number
   */
  public int outOfUseCount() {
    return (int) Math.max(0, outOfUse.getOpaque()); // opaque: a count
  }

  private static void add(Sequence count, long number) {
    count.getAndAddAcquire(number); // atomic: a count
  }

  private static final VarHandle CLOSING =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "closing", VarHandle.class, Claims.class, boolean.class)
          .withInvokeExactBehavior();
}
