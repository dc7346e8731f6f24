package dev.millrace.core.internal.history;

import dev.millrace.core.Producer;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Common superclass of the producers of a history of records. It has a producer's state, and ends
 * its claims. Claims never wait, so every form of {@code claim} does the same as {@code tryClaim}.
 * A run is always one record.
 */
public abstract class HistoryRecordProducer<T> extends Producer<T> {
  /** An offset at which no record begins. */
  protected static final long NONE = 0;

  /**
   * The state of the producer: {@code next} is the offset of the claimed record, or at most {@link
   * #NONE} if no claim is open, and {@code end} is the number of refused records.
   */
  protected final Cursor own = new Cursor();

  /**
   * The view, which is a T. If the field had that type, the JIT compiler could not see that the
   * view handed out was just moved.
   */
  protected final Flyweight view;

  /** For assertions: see {@link Role}. */
  protected final Role role = new Role(getClass().getSimpleName() + " allows one thread at a time");

  private final Object structure;
  private final HistoryWriter writer;
  private final long headBytes;

  /**
   * Makes a producer without an open claim. Its messages name {@code structure}. {@code view} is a
   * view of the memory of {@code writer}. The fields of a record begin after its first {@code
   * headBytes}.
   */
  protected HistoryRecordProducer(Object structure, HistoryWriter writer, T view, long headBytes) {
    this.structure = structure;
    this.writer = writer;
    this.view = (Flyweight) view;
    this.headBytes = headBytes;
  }

  /**
   * Claims a record, moves the view to it and returns the offset at which it begins. If the record
   * is refused, counts it and returns {@link #NONE}.
   */
  protected final long claimRecord() {
    long record;
    try {
      record = writer.claim();
    } catch (IllegalStateException e) {
      throw closed("it takes no more records", e);
    }
    if (record == HistoryWriter.NONE) {
      own.end(own.end() + 1);
      return NONE;
    }
    own.next(record);
    view.moveTo(record + headBytes);
    return record;
  }

  /** Claims a record, as {@link #tryClaim()}: null if it is refused. */
  @Override
  public final @Nullable T claim() {
    return tryClaim();
  }

  /** Claims a record, as {@link #tryClaim()}: null if it is refused. */
  @Override
  public final @Nullable T claim(Duration timeout) {
    Checks.notNull("timeout", timeout);
    return tryClaim();
  }

  /** Claims a record, as {@link #tryClaim()}: 0 if it is refused, otherwise 1. */
  @Override
  public final int tryClaim(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return tryClaim() == null ? 0 : 1;
  }

  /** Claims a record, as {@link #tryClaim()}: 0 if it is refused, otherwise 1. */
  @Override
  public final int claim(int limit) {
    return tryClaim(limit);
  }

  @Override
  @SuppressWarnings("unchecked") // the view was made for T
  public final T at(int index) {
    Objects.checkIndex(index, own.next() > NONE ? 1 : 0);
    view.moveTo(own.next() + headBytes);
    return (T) view;
  }

  /**
   * Makes the claimed record readable. If later claims have gone round the ring and reached its
   * slot, the record is refused and counted. Throws {@link IllegalStateException} if no claim is
   * open or the history is closed.
   */
  @Override
  public final void commit() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long record = leave();
    try {
      if (!writer.commit(record)) {
        own.end(own.end() + 1);
      }
    } catch (IllegalStateException e) {
      throw closed("so the record is lost", e);
    }
    assert role.end(call);
  }

  /**
   * Aborts the claimed record, which the history counts as refused. Throws {@link
   * IllegalStateException} if no claim is open or the history is closed.
   */
  @Override
  public final void abort() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long record = leave();
    try {
      writer.abort(record);
    } catch (IllegalStateException e) {
      throw closed("so the record is lost", e);
    }
    assert role.end(call);
  }

  /**
   * Closes the claim in this producer, before another producer may claim the slot. Returns the
   * offset at which the record begins.
   */
  protected final long leave() {
    long record = claimed();
    own.next(NONE);
    view.leave();
    return record;
  }

  /**
   * Returns the offset of the claimed record. Throws {@link IllegalStateException} if no claim is
   * open.
   */
  protected final long claimed() {
    long record = own.next();
    if (record <= NONE) {
      throw new IllegalStateException("no open claim: " + structure);
    }
    return record;
  }

  /**
   * Makes the exception for an access after the memory was freed. {@code what} names the
   * consequence, such as "so the text is lost". If the memory is there, returns {@code cause}.
   */
  protected final IllegalStateException closed(String what, IllegalStateException cause) {
    if (writer.isOpen()) {
      return cause; // a writer that others took for dead
    }
    return new IllegalStateException("closed, " + what + ": " + structure, cause);
  }

  /** Makes the exception for a claim while another one is open. */
  protected final IllegalStateException claimAlreadyOpen() {
    return new IllegalStateException(
        "a claim is already open, commit or abort it first: " + structure);
  }

  /**
   * Returns how many of this producer's records were refused, at the claim or at the commit.
   * Aborted records do not count. The number is exact for the thread that uses the producer.
   */
  public final long refusedCount() {
    return own.endSeen();
  }

  /** Describes this producer and its structure. */
  @Override
  public final String toString() {
    return getClass().getSimpleName() + " of " + structure;
  }
}
