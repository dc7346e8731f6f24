package dev.millrace.core.internal;

import dev.millrace.core.Sequence;

/**
 * Limits how far one producer may write: holds its private copy of the slowest consumer's sequence,
 * and is where closing stops it.
 *
 * <p><b>Roles.</b> Only the producer calls {@link #admits}; any thread may close the gate or check
 * whether it is closed.
 *
 * <p><b>Progress.</b> Wait-free.
 */
public final class Gate {
  /*
   * The limit is the sequence that the producer must not reach: the slowest head as last seen, plus
   * the capacity. The fast path compares against it alone and touches no line that others write.
   *
   * Closing stores CLOSED, below every sequence, so that the fast path fails as if the ring were
   * full and the slow path finds out why: an open queue pays nothing for being closable. Only a
   * compare-and-set raises the limit, hence a close is never overwritten.
   *
   * Invariant: CLOSED is final. Non-invariants: the limit may lag the heads without bound, and it
   * may fall, because consumers that share their work may look slower than they are.
   *
   * A  head.setRelease in           ->  head.getAcquire in slowest    slots are free again
   *    SpscConsumer.release,
   *    SpscSlots.free,
   *    MpscConsumer.free,
   *    MpscSlots.free,
   *    and in SequenceConsumer's kinds
   * B  limit.setRelease in close    ->  limit.getAcquire in isClosed  what the closer did before
   */
  private static final long CLOSED = Long.MIN_VALUE;

  private final Sequence limit = new Sequence();
  private final long capacity;
  private Sequence[] heads;

  /**
   * Makes the gate of an empty ring.
   *
   * @param capacity the number of slots, or fewer if not all are to be used
   * @param heads the sequences up to which consumers have freed slots
   */
  public Gate(long capacity, Sequence... heads) {
    this.capacity = capacity;
    this.heads = heads;
  }

  /**
   * Sets whose sequences count; to be called before the ring is in use.
   *
   * @param sequences the sequences up to which consumers have freed slots
   */
  public void gateOn(Sequence... sequences) {
    heads = sequences;
  }

  /**
   * Returns how far the slowest consumer is. The sequences are read in their order: for consumers
   * that share their work, first the one up to which it has been handed out, then what each has in
   * hand.
   *
   * @param heads their sequences
   * @return the least of them
   * @throws IllegalStateException if there are none: nothing would ever hold up a producer
   */
  public static long slowest(Sequence[] heads) {
    if (heads.length == 0) {
      throw new IllegalStateException("no consumer yet: create consumers before the first claim");
    }
    long least = Long.MAX_VALUE;
    for (Sequence head : heads) {
      least = Math.min(least, head.getAcquire()); // acquire A: sees release, hence slots are free
    }
    return least;
  }

  /**
   * Whether the producer may write all sequences below the given one.
   *
   * @param end the sequence after the last one to write
   * @return false if a slot is still in use, or after close
   */
  public boolean admits(long end) {
    // opaque: only this producer raises it, having acquired the head it stands for (A); a close
    // seen late is one that overlaps this call
    return end <= limit.getOpaque() || admitsAfterRefresh(end);
  }

  /**
   * Returns how far the producer may write; reads the heads again if that is not far enough.
   *
   * @param end how far it would like to write
   * @return the sequence that it must not reach, at most {@code end}; 0 after close
   */
  public long limit(long end) {
    // opaque: as in admits, which has just raised it
    return admits(end) ? end : Math.max(0, limit.getOpaque());
  }

  private boolean admitsAfterRefresh(long end) {
    long seen = limit.getOpaque(); // opaque: as in admits
    long fresh = slowest(heads) + capacity; // acquire A: sees release, hence slots are free
    // atomic: so that a close is not overwritten; it publishes nothing
    while (seen != CLOSED && seen != fresh && !limit.weakCompareAndSetPlain(seen, fresh)) {
      seen = limit.getOpaque(); // opaque: as in admits
    }
    return seen != CLOSED && end <= fresh;
  }

  /** Admits nothing from now on; what was admitted before may still be written. */
  public void close() {
    limit.setRelease(CLOSED); // release B: all that happened before the close
  }

  /**
   * Whether {@link #close} was called; if so, what its caller did before is visible.
   *
   * @return whether the gate is closed
   */
  public boolean isClosed() {
    return limit.getAcquire() == CLOSED; // acquire B: sees close, hence what came before it
  }
}
