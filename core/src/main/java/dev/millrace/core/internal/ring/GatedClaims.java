package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.flyweight.internal.Checks;
import org.jspecify.annotations.Nullable;

/**
 * The claims of many producers in a ring where the consumers' sequences say which slots are free:
 * all slots before the slowest sequence. {@link SharedClaims} has the protocol.
 *
 * <p><b>Roles.</b> Any thread may claim.
 *
 * <p><b>Progress.</b> Lock-free: an attempt is repeated only if another producer claimed first.
 */
public non-sealed class GatedClaims extends SharedClaims {
  /**
   * Makes the claims of an empty ring. The arguments are those of {@link SharedClaims}. {@code
   * heads} are the sequences up to which consumers have freed slots.
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
   * Takes over the claims of a ring that several processes share, as its memory has them. Claims of
   * dead claimers are given up, with or without a stall limit.
   */
  public GatedClaims(
      Stamps stamps,
      long bound,
      long stallNanos,
      ClaimWords words,
      @Nullable Claimers claimers,
      Sequence tail,
      Sequence... heads) {
    super(stamps, bound, stallNanos, false, words, claimers, tail, heads);
  }

  /**
   * Claims a run of {@code count} slots if they are free. Returns the first sequence, {@link
   * Ring#NONE} or {@link Ring#CLOSED}. Checks that {@code count} is from 1 to the bound and, with a
   * stall limit, at most {@link Stamps#MAX_COUNT}. Throws {@link IllegalStateException} if stalled
   * producers have left no room for the run.
   */
  public final long tryClaim(int count) {
    if (count != 1) {
      Checks.inRange(
          "count", count, 1, revocable == null ? bound : Math.min(bound, Stamps.MAX_COUNT));
    }
    return revocable == null ? claimFrom(tail(), count) : revocable.tryClaim(count, count);
  }

  /**
   * Does the same for a producer that first tries the end of its last claim, and so need not read
   * the tail while no other producer claims. {@code guess} must be a sequence that the tail has
   * reached. {@code count} must be in the same range, but is not checked. May return {@link
   * Ring#NONE} instead of {@link Ring#CLOSED}. {@code own} announces the claim if several processes
   * share the ring, and is null otherwise.
   */
  public final long tryClaim(long guess, int count, Claimers.@Nullable Claimer own) {
    return revocable == null ? claimFrom(guess, count) : revocable.tryClaim(count, count, own);
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
   * Claims free slots that are contiguous in memory, and takes them in hand. Claims at most {@code
   * limit}, which is at least 1, and at most {@link Stamps#MAX_COUNT}, and none beyond the end of
   * the ring. Returns the first sequence, {@link Ring#NONE} or {@link Ring#CLOSED}. {@code own}
   * must have nothing in hand. Throws {@link IllegalStateException} if stalled producers have left
   * no slot.
   */
  public final long tryClaim(Cursor own, int limit) {
    if (revocable != null) {
      long sequence = revocable.tryClaim(1, limit);
      int count = sequence < 0 ? 0 : revocable.countAt(sequence);
      return sequence >= 0 && count == 0 ? Ring.CLOSED : own.take(sequence, count);
    }
    return tryClaimUpTo(own, limit, 1);
  }

  /**
   * Claims free slots that are contiguous in memory, in multiples of {@code unit}, and takes them
   * in hand. Claims at most {@code most} and at most {@link Stamps#MAX_COUNT}, and none beyond the
   * end of the ring. Returns the first sequence, {@link Ring#NONE} or {@link Ring#CLOSED}. Must not
   * be used with a stall limit.
   */
  public final long tryClaimUpTo(Cursor own, int most, int unit) {
    long sequence;
    long end;
    do {
      sequence = tail();
      if (sequence < 0) {
        return Ring.CLOSED;
      }
      end = admitted(most == 1 ? sequence + 1 : contiguousEnd(sequence, most));
      if (unit > 1) {
        end -= (end - sequence) % unit;
      }
      if (end <= sequence) {
        return Ring.NONE;
      }
    } while (!tryAdvance(sequence, end));
    return own.take(sequence, (int) (end - sequence));
  }
}
