package dev.millrace.core.internal.ring;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Jvm;

/**
 * The claims of one producer behind a gate. The producer must not reach the slowest consumer's
 * sequence plus the bound, and keeps a copy of that limit. Closing is exact and costs the producer
 * nothing.
 *
 * <p>One claim is open at a time, from {@link #next} to {@link #end}. How it is published is up to
 * the user, who then moves {@link #next(long)} to the end.
 *
 * <p><b>Roles.</b> The claims belong to the producer's thread. Any thread may call {@link #close},
 * {@link #isClosed} and {@link #endSeen}.
 *
 * <p><b>Progress.</b> {@link #close} waits for a fence in each thread. All other methods are
 * wait-free.
 */
public non-sealed class SoleClaims extends Cursor {
  /*
   * The limit is the sequence that claims must not reach. A claim compares against it alone,
   * and so touches no line that others write, until the producer has come that far.
   *
   * Closing sets the limit to CLOSED, below every sequence, so that claims fail as if the ring were
   * full and find out why on the slow path. An admitted claim is first noted in the end, then reads
   * the limit again. The closer executes the producer's fence for it, by a handshake with all
   * threads. So either the claim finds the limit closed, or the closer finds the claim (Q). After
   * that no claim is added: one that was noted is published, aborted, or taken back at once because
   * it found the limit closed.
   *
   *   field   writer              write mode                          read by
   *   next    producer            plain                               producer: plain
   *   end     producer            opaque                              producer: plain; any: opaque
   *   limit   producer; closers   exchange: plain; closers: release   producer: opaque; any: acquire
   *
   * Invariants: CLOSED is final, because the producer raises the limit by compare-and-set. next <=
   * end <= slowest head + bound. Non-invariants: after a close the end may be too high until a
   * claim is taken back. The limit may lag the heads without bound, and may fall, because consumers
   * that share their work may look slower than they are.
   *
   * P  head.setRelease in SpscRing.release,  ->  head.getAcquire in             slots are free again
   *    MessageConsumer.freeUpTo and              Gate.slowest
   *    SequenceConsumer's kinds
   * Q  end.setOpaque, then limit.getOpaque ->  limit.setRelease, Jvm.fenceAll   one sees the other:
   *    in note                                 in close, then endSeen             the claim, or that
   *                                                                               it is closed
   * R  limit.setRelease in close, closeOwn ->  limit.getAcquire in isClosed     what the closer did
   */
  private static final long CLOSED = Long.MIN_VALUE;

  private final long bound;
  private Sequence[] heads;

  /**
   * Makes the claims of an empty ring. {@code heads} say how far consumers are. {@code bound},
   * which is at most the capacity, is how far the producer may be ahead of the slowest of them.
   */
  public SoleClaims(long bound, Sequence... heads) {
    this.bound = bound;
    this.heads = heads;
  }

  /** Sets the heads that hold back claims. Must be called before the ring is in use. */
  public final void gateOn(Sequence... sequences) {
    heads = sequences;
  }

  // ---- the producer ----

  /**
   * Claims a run of {@code count} slots, from 1 to the bound, or nothing. Returns its first
   * sequence, {@link Ring#NONE} or {@link Ring#CLOSED}. In the last case consumers must be woken,
   * because they may have waited for the claim to be taken back.
   */
  public final long tryClaim(int count) {
    long sequence = next();
    long end = sequence + count;
    if (end > limitSeen() && end > freshLimit()) {
      return refusal();
    }
    return note(sequence, end) ? sequence : Ring.CLOSED;
  }

  /**
   * Claims as many slots as are free, in multiples of {@code unit}, up to {@code most}. Returns how
   * many it claimed, or {@link Ring#NONE} or {@link Ring#CLOSED} as {@link #tryClaim} does.
   */
  public final long tryClaimUpTo(long most, int unit) {
    long sequence = next();
    long end = sequence + most;
    long free = limitSeen();
    if (end > free) {
      free = freshLimit();
      end = end <= free ? end : free - (free - sequence) % unit;
    }
    if (end <= sequence) {
      return refusal();
    }
    return note(sequence, end) ? end - sequence : Ring.CLOSED;
  }

  /** Notes a claim. Takes it back and returns false if the ring has been closed. */
  private boolean note(long sequence, long end) {
    end(end); // opaque: fence Q orders it before the next read of the limit
    Jvm.fenceSelf(); // fence Q, on a JVM where close cannot execute it
    if (limitSeen() != CLOSED) {
      return true;
    }
    end(sequence);
    return false;
  }

  private int refusal() {
    return isClosed() ? Ring.CLOSED : Ring.NONE;
  }

  /** Reads the heads again; returns the new limit. */
  private long freshLimit() {
    long seen = limitSeen();
    long fresh = Gate.slowest(heads) + bound; // acquire P: slots are free
    while (seen != CLOSED && seen != fresh && !tryLimit(seen, fresh)) {
      seen = limitSeen();
    }
    return seen == CLOSED ? CLOSED : fresh;
  }

  /** Gives the open claim back. Consumers must be woken, as after a claim that is refused. */
  public final void abort() {
    end(next());
  }

  /**
   * Makes all claims fail from now on. Only the producer's thread may call this, while no claim is
   * open.
   */
  public final void closeOwn() {
    publishLimit(CLOSED); // release R: what was done before
  }

  // ---- any thread ----

  /**
   * Makes all claims fail from now on. Afterwards {@link #endSeen} is final, except for a claim
   * that is about to be taken back.
   */
  public final void close() {
    publishLimit(CLOSED); // release R: what was done before
    Jvm.fenceAll(); // fence Q: the closed limit before reads of the end
  }

  /** Returns whether claims fail. If so, everything done before they were closed is visible. */
  public final boolean isClosed() {
    return limitAcquired() == CLOSED; // acquire R: what was done before
  }
}
