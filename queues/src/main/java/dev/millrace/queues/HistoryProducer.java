package dev.millrace.queues;

import dev.millrace.core.Producer;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.HistoryWriter;
import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.Flyweight;
import java.time.Duration;
import java.util.Objects;

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
public final class HistoryProducer<T> extends Producer<T> {
  private static final long NONE = 0; // where no record begins

  private final HistoryRing<T> ring;
  private final HistoryWriter writer;

  /** A T. A field of that type would hide from the JIT that what is handed out was just moved. */
  private final Flyweight view;

  private final Role role = new Role("HistoryProducer allows one thread at a time");

  /** Next: where the claimed record begins, or NONE. End: how many were refused. */
  private final Cursor own = new Cursor();

  HistoryProducer(HistoryRing<T> ring) {
    this.ring = ring;
    this.writer = ring.writer;
    this.view = (Flyweight) ring.newView(ring.slots.memory());
  }

  @SuppressWarnings("unchecked") // it was made for T
  private T view() {
    return (T) view;
  }

  @Override
  public T tryClaim() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.next() != NONE) {
      throw new IllegalStateException(
          "claim must be committed or aborted before the next: " + ring);
    }
    ring.checkOpen();
    long record = writer.claim();
    if (record == HistoryWriter.NONE) {
      own.end(own.end() + 1);
      assert role.end(call);
      return null;
    }
    own.next(record);
    view.moveTo(record);
    assert role.end(call);
    return view();
  }

  /**
   * Claims a record, as {@link #tryClaim()}.
   *
   * @return the view, on the record; null if it is refused
   */
  @Override
  public T claim() {
    return tryClaim();
  }

  /**
   * Claims a record, as {@link #tryClaim()}.
   *
   * @param timeout is not needed
   * @return the view, on the record; null if it is refused
   */
  @Override
  public T claim(Duration timeout) {
    Checks.notNull("timeout", timeout);
    return tryClaim();
  }

  @Override
  public int tryClaim(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return tryClaim() == null ? 0 : 1;
  }

  /**
   * Claims a record, as {@link #tryClaim()}.
   *
   * @param limit how many at most, at least 1
   * @return 1; 0 if the record is refused
   */
  @Override
  public int claim(int limit) {
    return tryClaim(limit);
  }

  @Override
  public T at(int index) {
    Objects.checkIndex(index, own.next() == NONE ? 0 : 1);
    view.moveTo(own.next());
    return view();
  }

  @Override
  public void commit() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (!writer.commit(leave())) {
      own.end(own.end() + 1);
    }
    assert role.end(call);
  }

  /** Gives the claimed slot back; the ring counts the record as refused. */
  @Override
  public void abort() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    writer.abort(leave());
    assert role.end(call);
  }

  private long leave() {
    long record = own.next();
    if (record == NONE) {
      throw new IllegalStateException("claim must be open: none is, " + ring);
    }
    own.next(NONE);
    view.leave(); // before others may have the slot
    return record;
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

  /**
   * How many of this producer's records were refused, at the claim or at the commit. Those that it
   * aborted do not count.
   *
   * @return the number, exact for the thread that has the producer
   */
  public long refusedCount() {
    return own.endSeen();
  }

  /** Returns what it is the producer of. */
  @Override
  public String toString() {
    return "HistoryProducer of " + ring;
  }
}
