package dev.millrace.core.internal;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The producers' side of a ring whose slots many threads claim: how far it is claimed, and what
 * consumers find there. Which slots are free, and so the claim loop, is up to the user: see {@link
 * GatedClaims}. A claimer publishes its slots through their stamps.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>Stalled claims.</b> With a stall limit, claims are marked and ended in {@link
 * #revocable()}. Without one, everything that a reader needs is in this class.
 */
public final class Claims {
  /*
   * The tail is the sequence to claim next. Closing sets its sign, after which no claimer's
   * exchange succeeds, so it is known exactly what was claimed before the close.
   *
   * A producer that is alone writes the tail without an exchange, and then asks a gate. There
   * closing closes the gate, and executes the producer's fence for it (C). After that the producer
   * moves the tail only to take back a claim that the gate refused.
   *
   * Invariant: once negative the tail is final. Non-invariant: a slot below the tail may have a
   * stamp of an earlier turn, until its claimer publishes it.
   *
   * A  tail.weakCompareAndSetRelease in close       ->  tail.getAcquire in        what was done
   *                                                       isClosed                  before
   * B  tail.weakCompareAndSetRelease in tryAdvance  ->  tail.getAcquire in tail,  the head that let
   *                                                       end                       it get so far
   * C  tail.setOpaque, then gate.admits             ->  gate.close, Jvm.fenceAll  one sees the other:
   *    in tryAdvanceAlone                               in close, then end          the claim, or that
   *                                                                                 the gate is closed
   */
  private static final long CLOSED = Long.MIN_VALUE;

  final Stamps stamps;
  private final RevocableClaims revocable;
  private final Sequence tail;
  private final Gate gate; // null with many producers
  private final Sequence aborted = new Sequence();

  @SuppressWarnings("unused") // through CLOSING
  private boolean closing;

  /**
   * Makes the claims of a ring that is empty.
   *
   * @param stamps the ring's stamps
   * @param stallNanos how long a claim may be open, or {@link WaitStrategy#FOREVER}
   * @param stampsEach whether each slot of a run gets a stamp, or the first slot's stands for all
   */
  public Claims(Stamps stamps, long stallNanos, boolean stampsEach) {
    this(stamps, stallNanos, stampsEach, new Sequence(), null);
  }

  /**
   * The same, with a tail of the caller's.
   *
   * @param stamps the ring's stamps
   * @param stallNanos how long a claim may be open, or {@link WaitStrategy#FOREVER}
   * @param stampsEach whether each slot of a run gets a stamp, or the first slot's stands for all
   * @param tail of value 0
   * @param gate says which slots are free, if there is one producer and no stall limit; else null
   */
  public Claims(Stamps stamps, long stallNanos, boolean stampsEach, Sequence tail, Gate gate) {
    this.stamps = stamps;
    this.tail = tail;
    this.gate = gate;
    this.revocable =
        stallNanos == WaitStrategy.FOREVER
            ? null
            : new RevocableClaims(this, new StallWatch(stallNanos), stampsEach);
  }

  /**
   * Returns the part that handles claims which can be given up.
   *
   * @return the part that marks, ends and gives up claims; null without a stall limit
   */
  public RevocableClaims revocable() {
    return revocable;
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
   * @param sequence the tail, as read
   * @param end the new tail
   * @return whether they are the caller's; may fail spuriously
   */
  public boolean tryAdvance(long sequence, long end) {
    // release B: that the slots are free, which was acquired before; linearizes the claim
    return tail.weakCompareAndSetRelease(sequence, end);
  }

  /**
   * Claims a run of sequences for the only producer.
   *
   * @param sequence the tail
   * @param end the new tail
   * @return the sequence, or {@link GatedClaims#FULL} or {@link GatedClaims#CLOSED}; in the last
   *     case consumers may wait until the claim is taken back, which it is now
   */
  public long tryAdvanceAlone(long sequence, long end) {
    if (gate.admits(end)) { // acquire: slots are free. Where they are not, the tail stays as it is
      tail.setOpaque(end); // opaque: before the gate is read again, by fence C
      if (gate.admits(end)) {
        return sequence;
      }
      tail.setOpaque(sequence); // opaque: taken back, for the gate was closed meanwhile
    }
    return gate.isClosed() ? GatedClaims.CLOSED : GatedClaims.FULL;
  }

  // ---- consuming ----

  /** Returned by {@link #ready}: the stamp has changed. */
  public static final int LOOK_AGAIN = Integer.MIN_VALUE;

  /**
   * Returns what consumers find at a sequence, and gives up the claim there if it has stalled.
   *
   * @param sequence the next sequence to consume
   * @param limit how many records to look for; 1 where one stamp stands for a run
   * @return how many records are committed there, at most the limit; or minus the number of slots
   *     that may be passed because they hold none; or 0 if the next is not committed yet; or {@link
   *     #LOOK_AGAIN}, also if the slot is of a later turn, so that consumers are elsewhere
   */
  public int ready(long sequence, int limit) {
    return ready(sequence, limit, stamps.read(stamps.offset(sequence)));
  }

  /**
   * The same, for a stamp that the caller has read.
   *
   * @param sequence the next sequence to consume
   * @param limit how many records to look for
   * @param word the stamp of its slot
   * @return as {@link #ready(long, int)}
   */
  public int ready(long sequence, int limit, long word) {
    if (stamps.isCommitted(word, sequence)) {
      // from the next one on: where consumers share the records, this one may be taken meanwhile
      return limit == 1
          ? 1
          : (int) (stamps.committedEnd(sequence + 1, sequence + limit) - sequence);
    }
    if (stamps.isAborted(word, sequence)) {
      return -Stamps.countOf(word);
    }
    if (stamps.compareTurn(word, sequence) > 0) {
      return LOOK_AGAIN;
    }
    return revocable == null ? 0 : revocable.ready(sequence, word);
  }

  /**
   * Whether no slot from a sequence on holds a record or an open claim; called after the close.
   *
   * @param from the sequence, not in the middle of a claimed run
   * @return whether all is consumed; if so, what was done with the slots before is visible
   */
  public boolean isEmptyFrom(long from) {
    long end = end(); // final
    long sequence = from;
    while (sequence < end) {
      long word = stamps.read(stamps.offset(sequence)); // acquire: what was done before it was left
      boolean isConsumed = stamps.compareTurn(word, sequence) > 0;
      if (!isConsumed && !stamps.isEmpty(word, sequence)) {
        return false;
      }
      sequence += Math.max(1, Stamps.countOf(word)); // a word of one slot may count none
    }
    return true;
  }

  // ---- the end ----

  /** Makes all claims fail from now on. */
  public void close() {
    if (gate != null) {
      gate.close();
      Jvm.fenceAll(); // fence C: the gate is closed, before the reads of what is claimed
      return;
    }
    CLOSING.setOpaque(this, true); // opaque: a hint
    long seen = tail.getOpaque(); // opaque: the exchange confirms it
    // release A: what was done before
    while (seen >= 0 && !tail.weakCompareAndSetRelease(seen, seen | CLOSED)) {
      seen = tail.getOpaque(); // opaque: the exchange confirms it
    }
  }

  /**
   * Whether {@link #close} was called; if so, what its caller did before is visible. May be called
   * often: it leaves the tail to the producers until a close has begun.
   *
   * @return whether no claim succeeds any more
   */
  public boolean isClosed() {
    if (gate != null) {
      return gate.isClosed(); // acquire: sees close
    }
    // opaque: a hint. acquire A: sees close, hence what came before it
    return (boolean) CLOSING.getOpaque(this) && tail.getAcquire() < 0;
  }

  /**
   * Returns the sequence up to which slots are claimed.
   *
   * @return the sequence, final after {@link #close}, but for a claim that its only producer is
   *     about to take back
   */
  public long end() {
    return tail.getAcquire()
        & ~CLOSED; // acquire B: sees the claims before, and what is freed since
  }

  // ---- counts ----

  /**
   * Counts slots whose claim was aborted.
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
    return revocable == null ? 0 : revocable.skipped.getOpaque(); // opaque: a count
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
    return revocable == null ? 0 : revocable.refused.getOpaque(); // opaque: a count
  }

  /**
   * How many slots were given up.
   *
   * @return the number
   */
  public long stalledCount() {
    return revocable == null ? 0 : revocable.stalled.getOpaque(); // opaque: a count
  }

  /**
   * How many slots are out of use.
   *
   * @return the number
   */
  public int outOfUseCount() {
    return revocable == null ? 0 : revocable.outOfUseCount();
  }

  static void add(Sequence count, long number) {
    count.getAndAddAcquire(number); // atomic: a count
  }

  private static final VarHandle CLOSING =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "closing", VarHandle.class, Claims.class, boolean.class)
          .withInvokeExactBehavior();
}
