package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistoryRecordProducer;

/**
 * A producer of a {@link HistoryRing}. It never waits: a claim returns null, and the record counts
 * as refused, if its slot is still being written by a producer that was lapped. With one producer
 * that never happens. Each {@code claim} method does the same as {@code tryClaim}, and a run is one
 * record long.
 *
 * <p>If a whole lap of records is claimed while a claim is open, so that its slot is due again, its
 * record is refused: {@link #commit} returns normally, and the record is counted.
 *
 * <p>Claims are lock-free: one is retried only when another producer changed the same slot. Commit
 * and abort are wait-free unless another producer laps this one. With one producer all are
 * wait-free. Once the ring is closed, they throw {@link IllegalStateException}.
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
   * Aborts an open claim, if there is one. May be called repeatedly, even after the ring was
   * closed.
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
