package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistoryCursor;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.internal.Checks;
import java.util.Objects;
import java.util.function.ToLongFunction;

/**
 * A reader of a {@link HistoryRing}: its position, its counts, and memory for copies.
 *
 * {@snippet file="Examples.java" region="read"}
 *
 * <p>A record is copied first and then validated; if a producer overwrote it during the copy, the
 * copy is discarded. There is nothing to release: what was read stays intact until the next read.
 *
 * <p><b>Roles.</b> Used by one thread at a time. With assertions enabled ({@code -ea}) overlapping
 * calls throw an {@link AssertionError}.
 *
 * <p><b>The view</b> is the same object each time. After a read that found nothing, each access to
 * it throws {@link IndexOutOfBoundsException}.
 *
 * <p><b>Failure.</b> Reads throw {@link IllegalStateException} if the ring or the reader is closed.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // only position and counts are inherited from there
public final class HistoryReader<T> extends HistoryCursor {
  private final HistoryRing<T> history;
  private final Ring copies;
  private final int window;

  /** A T. A field of that type would hide from the JIT that what is handed out was just moved. */
  private final Flyweight view;

  private int count; // of records in hand

  HistoryReader(HistoryRing<T> history, int window) {
    super(history.slots, window);
    this.history = history;
    this.window = window;
    this.copies = new Ring(copies(), history.slots.strideBytes(), 0);
    try {
      this.view = (Flyweight) history.newView(copies());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @SuppressWarnings("unchecked") // it was made for T
  private T view() {
    return (T) view;
  }

  // ---- in order ----

  /**
   * Reads the next record in order. Records that were overwritten before are counted as lost and
   * skipped.
   *
   * @return the view, on a copy of the record; null if there is none yet, or its producer has not
   *     committed it
   */
  public T tryPoll() {
    history.checkOpen();
    try {
      return has(tryNext(0) ? 1 : 0) > 0 ? view() : null;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /** Says what is closed, if that is why a read failed. */
  private IllegalStateException explained(IllegalStateException failure) {
    history.checkOpen();
    var _ = copies(); // throws if the reader is closed
    return failure;
  }

  /**
   * Reads the next records in order, as {@link #tryPoll()} would one by one.
   *
   * @param limit how many at most, from 1 to the reader's window
   * @return how many were read, to be accessed with {@link #at}
   * @throws IllegalArgumentException if the limit is not in that range
   */
  public int tryPoll(int limit) {
    Checks.inRange("limit", limit, 1, window);
    history.checkOpen();
    try {
      return has(nextRun(limit));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  private int has(int read) {
    count = read;
    if (read == 0) {
      view.leave();
    } else {
      view.moveTo(0);
    }
    return read;
  }

  /**
   * Skips the records that stop {@link #tryPoll()} because they were claimed but neither committed
   * nor refused: their producers died, stalled, or are still at work. It ends at the first finished
   * record, so continue with {@link #tryPoll()}. Skipped records are counted as unfinished, even if
   * they are committed later; those older than a lap of the ring as lost.
   *
   * <p>Only for a reader that must not wait for a producer: one that was merely preempted between
   * claim and commit would have delivered its record a moment later.
   *
   * @return how many records were skipped, 0 if the next one is finished or not claimed yet
   */
  @Override
  public long skipUnfinished() {
    history.checkOpen();
    return super.skipUnfinished();
  }

  // ---- elsewhere ----

  /**
   * Reads the newest records, whatever the position of {@link #tryPoll()}, which does not change.
   * If a record was overwritten while it was copied, it and everything older are dropped: the
   * result is the longest intact run up to the newest record. Refused records, and those still
   * being written, are left out.
   *
   * @param limit how many at most, from 1 to the reader's window
   * @return how many were read, to be accessed with {@link #at}, the oldest first
   * @throws IllegalArgumentException if the limit is not in that range
   */
  @Override
  public int latest(int limit) {
    Checks.inRange("limit", limit, 1, window);
    history.checkOpen();
    try {
      return has(super.latest(limit));
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Moves to a sequence: {@link #tryPoll()} continues from there. If it was overwritten, the next
   * read counts the missing records as lost and delivers the oldest record kept. Records between
   * the reader's former position and this one are not counted. No record stays in hand.
   *
   * @param sequence from 0 to the number of claims; that of a record is its number in the order of
   *     claims
   * @throws IllegalArgumentException if it is not in that range
   */
  @Override
  public void seek(long sequence) {
    history.checkOpen();
    super.seek(sequence);
    has(0);
  }

  /**
   * Moves to the first record kept whose time is at or after the given one: {@link #tryPoll()}
   * continues from there. If there is none, it moves to the end, so later records may have earlier
   * times. No record stays in hand.
   *
   * <p>Uses binary search with O(log n) reads, so times must not decrease from record to record.
   * Those of one producer that reads a clock do not. Where they do decrease, it moves to one of the
   * places where a time at or after the given one follows an earlier one, and so may leave out
   * records, or be followed by earlier ones. Several producers may claim in a different order than
   * they read the clock: seek a time that is earlier by as much as may pass between the two, and
   * compare each record.
   *
   * @param time the first time to read
   * @param timeOf reads the time of a record from the view
   */
  public void seek(long time, ToLongFunction<? super T> timeOf) {
    Checks.notNull("timeOf", timeOf);
    history.checkOpen();
    var _ = copies(); // throws if the reader is closed
    has(1);
    try {
      seek(() -> timeOf.applyAsLong(view()) < time);
    } finally {
      has(0);
    }
  }

  // ---- in hand ----

  /**
   * Moves the view to one of the records of the last read.
   *
   * @param index which of them, from 0
   * @return the view
   * @throws IndexOutOfBoundsException if there were not that many
   */
  public T at(int index) {
    Objects.checkIndex(index, count);
    view.moveTo(copies.distance(index));
    return view();
  }

  /** Returns what it is the reader of. */
  @Override
  public String toString() {
    return "HistoryReader of " + history;
  }
}
