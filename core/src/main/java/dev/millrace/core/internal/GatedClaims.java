package dev.millrace.core.internal;

import dev.millrace.core.Sequence;

/**
 * How many producers claim slots of a ring that consumers' sequences free: the slots before the
 * slowest of these are free, but for those that are out of use since their producer stalled.
 *
 * <p><b>Roles.</b> Any thread may claim.
 *
 * <p><b>Progress.</b> Lock-free: a try is repeated only when another producer claimed meanwhile.
 */
public final class GatedClaims {
  /*
   * The limit is the sequence that producers must not reach: the slowest head that one of them has
   * seen, plus the bound. It spares the others a look at the heads.
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
  private final Stamps stamps;
  private final boolean canStall;
  private final long capacity;
  private final long bound;
  private final Sequence limit = new Sequence();
  private Sequence[] heads;

  /**
   * Makes the producers' side of an empty ring.
   *
   * @param claims what is claimed
   * @param stamps the ring's stamps
   * @param canStall whether claims may be given up
   * @param heads the sequences up to which consumers have freed slots
   */
  public GatedClaims(Claims claims, Stamps stamps, boolean canStall, Sequence... heads) {
    this(claims, stamps, canStall, 1L << stamps.turnShift(), heads);
  }

  /**
   * Makes the producers' side of an empty ring that holds fewer records than it has slots.
   *
   * @param claims what is claimed
   * @param stamps the ring's stamps
   * @param canStall whether claims may be given up
   * @param bound how far producers may be ahead of the slowest consumer, at most the capacity
   * @param heads the sequences up to which consumers have freed slots
   */
  public GatedClaims(
      Claims claims, Stamps stamps, boolean canStall, long bound, Sequence... heads) {
    this.claims = claims;
    this.stamps = stamps;
    this.canStall = canStall;
    this.capacity = 1L << stamps.turnShift();
    this.bound = bound;
    this.heads = heads;
  }

  /**
   * Says whose sequences count, before the ring is in use.
   *
   * @param sequences as for {@link Gate#slowest}
   */
  public void gateOn(Sequence... sequences) {
    heads = sequences;
  }

  /**
   * Claims a run of slots, if they are free.
   *
   * @param count how many, from 1 to the bound; where claims may be given up, to {@link
   *     Stamps#MAX_COUNT}
   * @return the first sequence, or {@link #FULL} or {@link #CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException if producers that stalled have left no room for it
   */
  public long tryClaim(int count) {
    if (canStall) {
      return claimUnlessGivenUp(count);
    }
    if (count != 1) {
      Checks.inRange("count", count, 1, bound);
    }
    long sequence;
    do {
      sequence = claims.tail();
      if (sequence < 0) {
        return CLOSED;
      }
      if (!admits(sequence + count)) {
        return FULL;
      }
    } while (!claims.tryAdvance(sequence, sequence + count));
    claims.mark(sequence, count, 0);
    return sequence;
  }

  /** The same where claims may be given up, which leaves slots that are out of use. */
  private long claimUnlessGivenUp(int count) {
    Checks.inRange("count", count, 1, Math.min(bound, Stamps.MAX_COUNT));
    long first = claims.tail();
    while (true) {
      long sequence = claims.tail();
      if (sequence < 0) {
        return CLOSED;
      }
      if (!admits(sequence + count)) {
        return full(count);
      }
      // before the claim, for the mark to exchange
      long seen = stamps.peek(stamps.offset(sequence));
      long hole = firstGivenUp(sequence, sequence + count);
      if (hole < sequence + count) {
        long end = hole + Stamps.countOf(stamps.peek(stamps.offset(hole)));
        boolean hasGoneRound = sequence - first >= capacity;
        if (hasGoneRound || !admits(end)) {
          return full(count);
        }
        claims.skip(sequence, hole, end); // if somebody else did, it is as well
      } else if (claims.tryAdvance(sequence, sequence + count)
          && claims.mark(sequence, count, seen)) {
        return sequence;
      }
    }
  }

  /**
   * Claims slots that lie side by side: as many as are free, up to a limit, the end of the ring and
   * {@link Stamps#MAX_COUNT}.
   *
   * @param own is given what was claimed; it has nothing in hand
   * @param limit how many at most, at least 1
   * @return whether there was one; false if none is free, or no claim succeeds any more
   * @throws IllegalStateException if producers that stalled have left no slot
   */
  public boolean tryClaim(Cursor own, int limit) {
    if (canStall) {
      return claimUnlessGivenUp(own, limit);
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

  /** The same where claims may be given up: up to the first slot that is out of use. */
  private boolean claimUnlessGivenUp(Cursor own, int limit) {
    long first = claims.tail();
    while (true) {
      long sequence = claims.tail();
      if (sequence < 0) {
        return false;
      }
      long free = admitted(contiguousEnd(sequence, limit));
      if (free <= sequence) {
        claims.checkLeft(1, capacity);
        return false;
      }
      // behind the look at what is free, and before the claim, for the mark to exchange
      long seen = stamps.peek(stamps.offset(sequence));
      if (Stamps.isGivenUp(seen)) {
        long end = sequence + Stamps.countOf(seen);
        boolean hasGoneRound = sequence - first >= capacity;
        if (hasGoneRound || !admits(end)) {
          claims.checkLeft(1, capacity);
          return false;
        }
        claims.skip(sequence, sequence, end); // if somebody else did, it is as well
      } else {
        long end = firstGivenUp(sequence + 1, free);
        if (claims.tryAdvance(sequence, end)
            && claims.mark(sequence, (int) (end - sequence), seen)) {
          own.next(sequence);
          own.end(end);
          return true;
        }
      }
    }
  }

  private long contiguousEnd(long sequence, int limit) {
    long contiguous = capacity - (sequence & (capacity - 1));
    return sequence + Math.min(Math.min(limit, Stamps.MAX_COUNT), contiguous);
  }

  private long full(int count) {
    claims.checkLeft(count, capacity);
    return FULL;
  }

  private long firstGivenUp(long sequence, long end) {
    long hole = sequence;
    while (hole < end && !Stamps.isGivenUp(stamps.peek(stamps.offset(hole)))) {
      hole++;
    }
    return hole;
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

  /** Up to where slots are free, at most a given sequence. */
  private long admitted(long end) {
    long seen = limit.getAcquire(); // acquire A: hence the slots below it are free
    return end <= seen ? end : Math.min(end, freshLimit(seen));
  }

  private long freshLimit(long seen) {
    long fresh = Gate.slowest(heads) + bound; // acquire B: sees release, hence slots are free
    if (fresh != seen) { // or producers that find it full would take its line from each other
      limit.setRelease(fresh); // release A: the same for the other producers
    }
    return fresh;
  }
}
