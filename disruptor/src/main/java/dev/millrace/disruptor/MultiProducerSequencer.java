package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.GatedClaims;
import dev.millrace.core.internal.ring.RevocableClaims;
import dev.millrace.core.internal.ring.Stamps;
import org.jspecify.annotations.Nullable;

/** A sequencer whose producers publish events in any order, with a stamp for each event. */
final class MultiProducerSequencer extends Sequencer {
  /*
   * Claims work as in MpscRing and are gated by the slowest consumer. Stamps work as in MpmcRing:
   * each slot has one, so that consumers may stop anywhere in a run, and workers may share it. A
   * stamp of an earlier turn means that the slot is free. Each consumer reads the stamps itself,
   * even behind other consumers, because an aborted slot holds no event. Behind other consumers it
   * never finds an open claim.
   *
   * A  STAMP.setRelease in            ->  stamp.getAcquire in Stamps.read    the event
   *    Stamps.publish
   */
  final Stamps stamps;
  final RevocableClaims revocable; // null without a stall limit
  final GatedClaims producing;

  MultiProducerSequencer(
      RingOptions options, boolean isContiguous, Stamps stamps, @Nullable NativeMemory memory) {
    GatedClaims producing =
        new GatedClaims(stamps, options.capacity(), options.stallNanos(), true, new Sequence());
    super(options, isContiguous, memory, producing);
    this.stamps = stamps;
    this.revocable = claims.revocable();
    this.producing = producing;
  }

  @Override
  void gateOn(Sequence... sequences) {
    producing.gateOn(sequences);
  }

  // ---- producers ----

  @Override
  public long tryClaim(int count) {
    long first = producing.tryClaim(count);
    if (first >= 0 && revocable == null) { // otherwise already marked
      long word = stamps.word(first, Math.min(count, Stamps.MAX_COUNT), Stamps.CLAIMED);
      stamps.mark(stamps.offset(first), word);
    }
    return first;
  }

  @Override
  public void commit(long first, int count) {
    if (!end(first, count, Stamps.COMMITTED)) {
      throw lost();
    }
  }

  @Override
  public void abort(long first, int count) {
    boolean _ = end(first, count, Stamps.ABORTED); // false if the claim was given up
  }

  private boolean end(long first, int count, long state) {
    long word = stamps.peek(stamps.offset(first));
    if (word == Stamps.FREED) {
      throw lost();
    }
    long turn = stamps.compareTurn(word, first);
    boolean isOpen = turn == 0 && Stamps.stateOf(word) == Stamps.CLAIMED;
    // a claim that was given up is stamped again in later turns, and still belongs to its claimer
    boolean isHeld = turn >= 0 && Stamps.stateOf(word) == Stamps.ABANDONED;
    // a negative sequence may have the turn of a valid one, because turns wrap
    if (first < 0
        || !(isOpen || isHeld)
        || Stamps.countOf(word) != Math.min(count, Stamps.MAX_COUNT)) {
      throw new IllegalArgumentException("no open claim of sequence=" + first + ", count=" + count);
    }
    noteTime(first, first + count);
    boolean isEnded = producing.endClaim(stamps, first, count, state);
    signalConsumers(); // even if aborted: consumers pass the slot, and producers may wait for it
    return isEnded;
  }

  // ---- for consumers ----

  @Override
  long reach() {
    return Long.MAX_VALUE;
  }

  /** Stamps published slots as slots without events, before their first consumer releases them. */
  void discard(long first, int count) {
    for (long sequence = first; sequence < first + count; sequence++) {
      // the release of this consumer's sequence publishes it to the consumers behind
      stamps.mark(stamps.offset(sequence), stamps.word(sequence, 1, Stamps.ABORTED));
    }
  }

  @Override
  boolean isEnd(long sequence) {
    return claims.isClosed() && claims.end() == sequence;
  }

  // ---- end, queries ----

  @Override
  void closeToProducers() {
    claims.close();
  }

  @Override
  public boolean isCompleted() {
    return claims.isClosed();
  }

  @Override
  public long claimedEnd() {
    return claims.end();
  }

  @Override
  public long publishedEnd() {
    long sequence = slowest();
    long end = claims.end();
    while (sequence < end) {
      long word = stamps.read(stamps.offset(sequence));
      if (word == Stamps.FREED) {
        return end;
      }
      long turn = stamps.compareTurn(word, sequence);
      boolean isOver = turn > 0; // already consumed
      // FREE of this turn, as initially: not marked yet
      boolean isOpen = turn < 0 ? !Stamps.isGivenUp(word) : Stamps.stateOf(word) <= Stamps.CLAIMED;
      if (isOpen && !isOver) {
        break;
      }
      sequence += isOver ? 1 : Stamps.countOf(word);
    }
    return sequence;
  }
}
