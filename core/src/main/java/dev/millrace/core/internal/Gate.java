package dev.millrace.core.internal;

import dev.millrace.core.Sequence;

/**
 * How far one producer may write: its private copy of the consumer's sequence, and the place where
 * closing stops it.
 *
 * <p><b>Roles.</b> {@link #admits} is for the producer; any thread may close or ask whether it is
 * closed.
 *
 * <p><b>Progress.</b> Wait-free.
 */
public final class Gate {
  /*
   * The limit is the sequence that the producer must not reach: the consumer's head as last seen,
   * plus the capacity. The fast path compares with it alone and touches no line that others write.
   *
   * Closing stores CLOSED, below every sequence, so that the fast path fails as if the ring were
   * full and the slow path finds out why: an open queue pays nothing for being closable. Only a
   * compare-and-set raises the limit, hence a close is never overwritten.
   *
   * Invariant: CLOSED is final. Non-invariant: the limit may lag the head without bound.
   *
   * A  head.setRelease in           ->  head.getAcquire in            slots are free again
   *    SingleConsumerQueue.free         admitsAfterRefresh
   * B  limit.setRelease in close    ->  limit.getAcquire in isClosed  what the closer did before
   */
  private static final long CLOSED = Long.MIN_VALUE;

  private final Sequence limit;
  private final Sequence head;
  private final long capacity;

  /**
   * Makes the gate of an empty ring.
   *
   * @param head the sequence up to which the consumer has freed slots
   * @param capacity the number of slots
   */
  public Gate(Sequence head, long capacity) {
    this.head = head;
    this.capacity = capacity;
    // plain: the ring is being made, no other thread has it yet
    this.limit = new Sequence(head.getPlain() + capacity);
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

  private boolean admitsAfterRefresh(long end) {
    long seen = limit.getOpaque(); // opaque: as in admits
    long fresh = head.getAcquire() + capacity; // acquire A: sees release, hence slots are free
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
