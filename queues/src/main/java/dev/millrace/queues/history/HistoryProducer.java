package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistoryRecordProducer;

/**
 * A producer of a {@link HistoryRing}. It never waits. If the slot of a new record is still being
 * written by a producer that was lapped, the claim returns null, and the record counts as refused.
 * With one producer this never happens. Each {@code claim} method does the same as {@code
 * tryClaim}, and a run is one record long.
 *
 * <p>If other producers claim a whole lap of records while a claim is open, so that its slot is due
 * again, its record is refused: {@link #commit} returns normally, and the record is counted.
 *
 * <p>Claims are lock-free: a claim is retried only when another producer changed the same slot.
 * Commit and abort are wait-free unless another producer laps this one. With one producer, claims,
 * commits and aborts are all wait-free. Once the ring is closed, they throw {@link
 * IllegalStateException}.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class HistoryProducer<T> extends HistoryRecordProducer<T> {
  private final HistoryRing<T> ring;

  HistoryProducer(HistoryRing<T> ring) {
    super(ring, ring.writer, ring.newView(ring.slots.memory()), 0);
    this.ring = ring;
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryClaim() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.next() != NONE) {
      throw claimAlreadyOpen();
    }
    ring.checkOpen();
    T claimed = claimRecord() == NONE ? null : (T) view;
    assert role.end(call);
    return claimed;
  }

  /**
   * Aborts the open claim, if there is one. It may be called more than once, even after the ring
   * was closed.
   */
  @Override
  public void close() {
    if (own.next() != NONE && ring.isOpen()) {
      abort();
    }
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.next() != NONE) {
      leave();
    }
    assert role.end(call);
  }
}
