package dev.millrace.queues;

import dev.millrace.flyweight.internal.HistoryRecordProducer;

/**
 * A producer of a {@link HistoryRing}. It waits for nobody: a claim is null, and the record counted
 * as refused, if its slot is still being written by a producer that was lapped. Where there is one
 * producer, that never happens. Each form of {@code claim} is the same as {@code tryClaim}, and a
 * run is of one record.
 *
 * <p>If so many records were claimed during a claim that its slot is due again, the record is
 * refused: {@link #commit} returns normally, and the record is counted.
 *
 * <p>Claims are lock-free: a try is repeated only when another producer changed the same slot.
 * Commit and abort are wait-free but for one that laps it meanwhile. All are wait-free where there
 * is one producer. Once the ring is closed, they throw {@link IllegalStateException}.
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
      throw isOpen();
    }
    ring.checkOpen();
    T claimed = claimRecord() == NONE ? null : (T) view;
    assert role.end(call);
    return claimed;
  }

  /** Aborts an open claim, if there is one. May be repeated, also after the ring was closed. */
  @Override
  public void close() {
    if (own.next() == NONE) {
      return;
    }
    if (ring.isOpen()) {
      abort();
    } else {
      leave();
    }
  }
}
