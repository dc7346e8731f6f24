package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.internal.Checks;

/**
 * Claims of many producers in a ring whose slots are freed by consumers' sequences: the slots
 * before the slowest sequence are free. {@link SharedClaims} has the protocol.
 *
 * <p><b>Roles.</b> Any thread may claim.
 *
 * <p><b>Progress.</b> Lock-free: an attempt is repeated only when another producer claimed first.
 */
public non-sealed class GatedClaims extends SharedClaims {
  /**
   * Makes the claims of a ring that is empty.
   *
   * @param stamps the ring's stamps
   * @param bound how far producers may be ahead of the slowest consumer, at most the capacity
   * @param stallNanos how long a claim may be open, or {@link
   *     dev.millrace.core.WaitStrategy#FOREVER}
   * @param stampsEach whether each slot of a run gets a stamp, or the first slot's stands for all
   * @param tail of value 0
   * @param heads the sequences up to which consumers have freed slots
   */
  public GatedClaims(
      Stamps stamps,
      long bound,
      long stallNanos,
      boolean stampsEach,
      Sequence tail,
      Sequence... heads) {
    super(stamps, bound, stallNanos, stampsEach, tail, heads);
  }

  /**
   * Claims a run of slots, if they are free.
   *
   * @param count how many, from 1 to the bound; with a stall limit, to {@link Stamps#MAX_COUNT}
   * @return the first sequence, or {@link Ring#NONE} or {@link Ring#CLOSED}
   * @throws IllegalArgumentException if the count is not in that range
   * @throws IllegalStateException if stalled producers have left no room for it
   */
  public final long tryClaim(int count) {
    if (count != 1) {
      Checks.inRange(
          "count", count, 1, revocable == null ? bound : Math.min(bound, Stamps.MAX_COUNT));
    }
    return revocable == null ? claimFrom(tail(), count) : revocable.tryClaim(count, count);
  }

  /**
   * The same, for a producer that tries the end of its last claim first, and so spares itself
   * reading the tail while no other claims.
   *
   * @param guess a sequence that the tail has reached
   * @param count how many, in the same range, which is not checked
   * @return the first sequence, or {@link Ring#NONE}, even if no claim succeeds any more, or {@link
   *     Ring#CLOSED}
   * @throws IllegalStateException if stalled producers have left no room for it
   */
  public final long tryClaim(long guess, int count) {
    return revocable == null ? claimFrom(guess, count) : revocable.tryClaim(count, count);
  }

  private long claimFrom(long guess, int count) {
    long sequence = guess;
    while (sequence >= 0) {
      long end = sequence + count;
      if (admitted(end) < end) {
        return Ring.NONE;
      }
      if (tryAdvance(sequence, end)) {
        return sequence;
      }
      sequence = tail();
    }
    return Ring.CLOSED;
  }

  /**
   * Claims slots that are contiguous in memory: as many as are free, up to a limit, the end of the
   * ring and {@link Stamps#MAX_COUNT}.
   *
   * @param own receives what is claimed; must have nothing in hand
   * @param limit the most slots to claim, at least 1
   * @return the first sequence, or {@link Ring#NONE} or {@link Ring#CLOSED}
   * @throws IllegalStateException if stalled producers have left no slot
   */
  public final long tryClaim(Cursor own, int limit) {
    if (revocable != null) {
      long sequence = revocable.tryClaim(1, limit);
      int count = sequence < 0 ? 0 : revocable.countAt(sequence);
      return sequence >= 0 && count == 0 ? Ring.CLOSED : own.take(sequence, count);
    }
    long sequence;
    long end;
    do {
      sequence = tail();
      if (sequence < 0) {
        return Ring.CLOSED;
      }
      end = admitted(limit == 1 ? sequence + 1 : contiguousEnd(sequence, limit));
      if (end <= sequence) {
        return Ring.NONE;
      }
    } while (!tryAdvance(sequence, end));
    return own.take(sequence, (int) (end - sequence));
  }
}
