package dev.millrace.core.internal;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.internal.Checks;

/**
 * Claims of many producers in a ring whose slots are freed by consumers' sequences: the slots
 * before the slowest sequence are free.
 *
 * <p><b>Roles.</b> Any thread may claim.
 *
 * <p><b>Progress.</b> Lock-free: an attempt is repeated only when another producer claimed
 * meanwhile.
 */
public class GatedClaims {
  /*
   * The limit is the sequence that producers must not reach: the slowest head that one of them has
   * seen, plus the bound. It spares the others reading the heads.
   *
   * Invariant: each limit ever written is at most the slowest head + bound. Non-invariant: the
   * limit may fall, when a slow producer writes what it saw earlier.
   *
   * A  limit.setRelease in          ->  limit.getAcquire in          slots are free again, from
   *    freshLimit                       admitted                       another producer
   * B  head.setRelease in           ->  head.getAcquire in           slots are free again
   *    MpscConsumer.free,               Gate.slowest
   *    and in SequenceConsumer's kinds
   */

  /** Returned instead of a sequence: no slot is free. */
  public static final int FULL = -1;

  /** Returned instead of a sequence: no claim succeeds any more. */
  public static final int CLOSED = -3;

  private final Claims claims;
  private final RevocableClaims revocable; // null without a stall limit
  private final long capacity;
  private final long bound;
  private final Sequence limit = new Sequence();
  private Sequence[] heads;

  /**
   * Makes the producers' side of an empty ring.
   *
   * @param claims what is claimed
   * @param bound how far producers may be ahead of the slowest consumer, at most the capacity
   * @param heads the sequences up to which consumers have freed slots
   */
  public GatedClaims(Claims claims, long bound, Sequence... heads) {
    this.claims = claims;
    this.revocable = claims.revocable();
    this.capacity = claims.stamps.capacity();
    this.bound = bound;
    this.heads = heads;
  }

  /**
   * Sets whose sequences count; to be called before the ring is in use.
   *
   * @param sequences as for {@link Gate#slowest}
   */
  public void gateOn(Sequence... sequences) {
    heads = sequences;
  }

  /**
   * Claims a run of slots, if they are free.
   *
   * @param count how many, from 1 to the bound; with a stall limit, to {@link Stamps#MAX_COUNT}
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException if stalled producers have left no room for it
   */
  public long tryClaim(int count) {
    if (count != 1) {
      Checks.inRange(
          "count", count, 1, revocable == null ? bound : Math.min(bound, Stamps.MAX_COUNT));
    }
    return revocable == null
        ? claimFrom(claims.tail(), count)
        : revocable.tryClaim(this, count, count);
  }

  /**
   * The same, for a producer that tries the end of its last claim first, and so spares itself
   * reading the tail while no other claims.
   *
   * @param guess a sequence that the tail has reached
   * @param count how many, in the same range, which is not checked
   * @return the first sequence, or {@link #FULL}, even if no claim succeeds any more, or {@link
   *     #CLOSED}
   * @throws IllegalStateException if stalled producers have left no room for it
   */
  public long tryClaim(long guess, int count) {
    return revocable == null ? claimFrom(guess, count) : revocable.tryClaim(this, count, count);
  }

  private long claimFrom(long guess, int count) {
    long sequence = guess;
    while (sequence >= 0) {
      long end = sequence + count;
      if (admitted(end) < end) {
        return FULL;
      }
      if (claims.tryAdvance(sequence, end)) {
        return sequence;
      }
      sequence = claims.tail();
    }
    return CLOSED;
  }

  /**
   * Claims slots that are contiguous in memory: as many as are free, up to a limit, the end of the
   * ring and {@link Stamps#MAX_COUNT}.
   *
   * @param own receives what is claimed; must have nothing in hand
   * @param limit the most slots to claim, at least 1
   * @return whether any were claimed; false if none is free, or no claim succeeds any more
   * @throws IllegalStateException if stalled producers have left no slot
   */
  public boolean tryClaim(Cursor own, int limit) {
    if (revocable != null) {
      return claimRevocably(own, limit);
    }
    long sequence;
    long end;
    do {
      sequence = claims.tail();
      if (sequence < 0) {
        return false;
      }
      end = admitted(limit == 1 ? sequence + 1 : contiguousEnd(sequence, limit));
      if (end <= sequence) {
        return false;
      }
    } while (!claims.tryAdvance(sequence, end));
    own.next(sequence);
    own.end(end);
    return true;
  }

  private boolean claimRevocably(Cursor own, int limit) {
    long sequence = revocable.tryClaim(this, 1, limit);
    if (sequence < 0) {
      return false;
    }
    own.next(sequence);
    own.end(sequence + revocable.countAt(sequence));
    return true;
  }

  long contiguousEnd(long sequence, int limit) {
    long contiguous = capacity - (sequence & (capacity - 1));
    return sequence + Math.min(Math.min(limit, Stamps.MAX_COUNT), contiguous);
  }

  /**
   * Whether the slowest consumer is no further behind than the bound.
   *
   * @param end up to where slots are to be claimed
   * @return whether it is
   */
  public boolean admits(long end) {
    return admitted(end) == end;
  }

  /** Returns the sequence up to which slots are free, at most the given one. */
  long admitted(long end) {
    long seen = limit.getAcquire(); // acquire A: hence the slots below it are free
    return end <= seen ? end : Math.min(end, freshLimit(seen));
  }

  /**
   * How far consumers have freed slots.
   *
   * @return the sequence before which all are free
   */
  protected long slowest() {
    return Gate.slowest(heads);
  }

  private long freshLimit(long seen) {
    long fresh = slowest() + bound; // acquire B: sees release, hence slots are free
    if (fresh != seen) { // else producers finding it full would take its line from each other
      limit.setRelease(fresh); // release A: the same for the other producers
    }
    return fresh;
  }
}
