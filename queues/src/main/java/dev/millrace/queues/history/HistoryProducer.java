package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistoryRecordProducer;
import dev.millrace.core.internal.history.HistoryWriter;
import dev.millrace.queues.internal.shared.FencedException;
import org.jspecify.annotations.Nullable;

/**
 * A producer of a {@link HistoryRing}, which never waits. A claim is refused in two cases: a
 * producer that was lapped is still writing to the slot, or a producer of a later lap already has
 * the slot. A refused claim returns null, and the record counts as refused. In a ring with one
 * producer, no claim is refused. Each {@code claim} method does the same as {@code tryClaim}, and
 * runs are always one record long.
 *
 * <p>A record is also refused if other producers claim a whole lap of records between its claim and
 * its commit, although {@link #commit} still returns normally.
 *
 * <p>Claims and aborts are lock-free: an attempt is repeated only when another producer changes the
 * same slot, or counts a refused record, at the same time. Commit is wait-free unless another
 * producer laps the committing producer. With one producer, claims, aborts and commits are
 * wait-free. Once the ring is closed, claims, aborts and commits throw {@link
 * IllegalStateException}.
 *
 * <p><b>Between processes.</b> A producer of a ring in a file may lose its lock, for example
 * because its process copied the file. Other processes then consider it dead, and its calls throw
 * {@link IllegalStateException}. After {@link #close} it can claim again.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class HistoryProducer<T> extends HistoryRecordProducer<T> {
  private final HistoryRing<T> ring;
  private final HistorySeats.@Nullable Seat seat; // null unless several processes map the ring

  HistoryProducer(HistoryRing<T> ring, HistoryWriter writer, HistorySeats.@Nullable Seat seat) {
    super(ring, writer, ring.newView(ring.slots.memory()), 0);
    this.ring = ring;
    this.seat = seat;
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public @Nullable T tryClaim() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.next() != NONE) {
      throw claimAlreadyOpen();
    }
    ring.checkOpen();
    takeSeat();
    T claimed = claimRecord() == NONE ? null : (T) view;
    if (claimed == null) {
      ring.buryDead();
    }
    assert role.end(call);
    return claimed;
  }

  /** Takes its place among the producers of all processes, if it has none. */
  HistoryProducer<T> takeSeat() {
    if (seat != null) {
      seat.take();
    }
    return this;
  }

  /**
   * Aborts the open claim, if there is one. In a file, the producer also gives up its place to
   * other processes; the next claim takes a place again. Repeated calls are allowed, even after the
   * ring is closed.
   */
  @Override
  public void close() {
    if (own.next() != NONE && ring.isOpen()) {
      try {
        abort();
      } catch (FencedException e) {
        // taken for dead by others: the claim is recovered when the seat is given up
      }
    }
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.next() != NONE) {
      leave();
    }
    if (seat != null && ring.isOpen()) {
      seat.giveUp();
    }
    assert role.end(call);
  }
}
