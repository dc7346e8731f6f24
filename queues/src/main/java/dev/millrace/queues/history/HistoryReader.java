package dev.millrace.queues.history;

import dev.millrace.core.internal.history.HistoryCursor;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.internal.Checks;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A reader of a {@link HistoryRing}. Each reader has its own position, its own counts, and its own
 * memory for copies of records.
 *
 * {@snippet file="Examples.java" region="read"}
 *
 * <p>The reader copies a record and then validates the copy. If a producer overwrote the record in
 * the meantime, the reader discards the copy. You need not release anything, because the copies
 * belong to the reader and stay intact until the next read.
 *
 * <p><b>Roles.</b> A reader belongs to one thread at a time. With assertions enabled ({@code -ea}),
 * overlapping calls throw an {@link AssertionError}.
 *
 * <p><b>Named readers.</b> A reader with a name, made by {@link HistoryRing#newReader(int,
 * String)}, calls {@link #release()} when it has handled what it has read. The file keeps the
 * position. A reader that is made under the same name later continues there, so it reads again what
 * the former one had read but not released. If records from there on were overwritten, the first
 * read counts them as lost.
 *
 * <p><b>The view</b> is the same object each time. After a read that found nothing, every access to
 * the view throws {@link IndexOutOfBoundsException}.
 *
 * <p><b>Failure.</b> Reads throw {@link IllegalStateException} if the ring or the reader is closed.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // only position and counts are inherited from HistoryCursor
public final class HistoryReader<T> extends HistoryCursor {
  private final HistoryRing<T> history;
  private final Ring copies;
  private final int window;
  private final HistorySeats.@Nullable Place place; // null unless the reader has a name

  /**
   * A T. If the field had that type, the JIT could not see that the view handed out is the one just
   * moved.
   */
  private final Flyweight view;

  private int count; // number of records in hand

  HistoryReader(HistoryRing<T> history, int window, HistorySeats.@Nullable Place place) {
    super(history.slots, window);
    this.history = history;
    this.window = window;
    this.place = place;
    this.copies = new Ring(copies(), history.slots.strideBytes(), 0);
    try {
      this.view = (Flyweight) history.newView(copies());
      if (place != null) {
        super.seek(place.position());
      }
    } catch (RuntimeException e) {
      super.close(); // the caller gives up the place
      throw e;
    }
  }

  @SuppressWarnings("unchecked") // the view was made for T
  private T view() {
    return (T) view;
  }

  // ---- in order ----

  /**
   * Reads the next record in order. Records that have already been overwritten are counted as lost
   * and skipped.
   *
   * @return the view, positioned on a copy of the record, or null if there is no next record yet or
   *     its producer has not committed it
   */
  public @Nullable T tryPoll() {
    history.checkOpen();
    try {
      return has(tryNext(0) ? 1 : 0) > 0 ? view() : null;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Throws an exception that says what is closed if the read failed for that reason. Otherwise
   * returns {@code failure}.
   */
  private IllegalStateException explained(IllegalStateException failure) {
    history.checkOpen();
    var _ = copies(); // throws if the reader is closed
    return failure;
  }

  /**
   * Reads the next records in order, as repeated calls to {@link #tryPoll()} would.
   *
   * @param limit the most records to read, from 1 to the reader's window
   * @return how many were read, to be accessed with {@link #at}
   * @throws IllegalArgumentException if the limit is out of range
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
   * Skips the unfinished records at which {@link #tryPoll()} stops. Unfinished records were
   * claimed, but are neither committed nor refused, because their producers died, stalled, or are
   * still at work. The call stops at the first finished record, so continue with {@link
   * #tryPoll()}. Skipped records are counted as unfinished, even if they are committed later.
   * Skipped records that are more than a lap old are counted as lost instead.
   *
   * <p>Use this method only if the reader must not wait for a producer. A producer that was merely
   * preempted between claim and commit would have delivered its record a moment later.
   *
   * @return how many records were skipped; 0 if the next record is finished or not claimed yet
   */
  @Override
  public long skipUnfinished() {
    history.checkOpen();
    return super.skipUnfinished();
  }

  // ---- elsewhere ----

  /**
   * Reads the newest records. The position of {@link #tryPoll()} does not matter and does not
   * change. If a record was overwritten while it was copied, this record and all older ones are
   * dropped. The result is therefore the longest intact run up to the newest record. The result
   * contains neither refused records nor records that are still being written.
   *
   * @param limit the most records to read, from 1 to the reader's window
   * @return how many were read, to be accessed with {@link #at}, oldest first
   * @throws IllegalArgumentException if the limit is out of range
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
   * Reads the record before {@link #position()} and moves to it, so that repeated calls read
   * backwards. To begin with the newest record, first {@link #seek(long) seek} {@link
   * HistoryRing#claimedCount()}.
   *
   * {@snippet file="Examples.java" region="read-backwards"}
   *
   * <p>Refused records are left out, and so are records that are still being written. The walk ends
   * at the oldest record still in the ring, and so as soon as the writers have overtaken it. {@link
   * #tryPoll()} then continues from the position, so it returns the last record once more, or
   * counts it as lost. No record that is read backwards changes a count. A call takes constant
   * time, plus as much for each record that it leaves out, up to the capacity.
   *
   * @return the view, positioned on a copy of the record, or null if the ring does not hold an
   *     earlier one
   */
  public @Nullable T tryPollPrevious() {
    history.checkOpen();
    var _ = copies(); // throws if the reader is closed
    try {
      return has(tryPrevious() ? 1 : 0) > 0 ? view() : null;
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  /**
   * Moves to a sequence, from which {@link #tryPoll()} continues. If the record with this sequence
   * was overwritten, the next read counts the missing records as lost and delivers the oldest
   * record still in the ring. Records between the old position and the new one are not counted.
   * After the call, no record is in hand.
   *
   * @param sequence the number of a record in the order of claims, from 0 to the number of claims
   * @throws IllegalArgumentException if {@code sequence} is out of range
   */
  @Override
  public void seek(long sequence) {
    history.checkOpen();
    super.seek(sequence);
    has(0);
  }

  /**
   * Moves to the first record in the ring whose time is at or after the given time. If there is no
   * such record, the reader moves to the end, and records added later may have times before the
   * given time. {@link #tryPoll()} continues from the new position. After the call, no record is in
   * hand.
   *
   * <p>The method uses a binary search with O(log n) reads, so times must not decrease from record
   * to record. Times never decrease if a sole producer takes them from a monotonic clock. With
   * several producers, one producer may read the clock first but claim last. Where times do
   * decrease, several records may be at or after the given time and have a predecessor before that
   * time. The reader moves to one of these records, so it may miss records, or may later read
   * records with earlier times. If times can decrease in your ring, seek a time that is earlier by
   * the longest delay between reading the clock and claiming, and compare the time of each record
   * that you read.
   *
   * @param time the earliest time to read
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

  // ---- under a name ----

  /**
   * Notes in the file that everything before {@link #position()} is handled. A reader that is made
   * under this name later continues from there. One store, which other processes see and which
   * survives the end of this process, but not a crash of the machine. Records in hand stay intact.
   * After a seek back or {@link #tryPollPrevious()}, the noted position falls.
   *
   * @throws IllegalStateException if the reader has no name or is closed, or if another process
   *     took this one for dead because it lost its lock; then close the reader and make it again
   */
  public void release() {
    history.checkOpen();
    var _ = copies(); // throws if the reader is closed
    if (place == null) {
      throw new IllegalStateException("this reader has no name, so no position is kept: " + this);
    }
    long call = 0;
    assert (call = role.begin()) >= 0;
    try {
      place.release(position());
      assert role.end(call);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  // ---- in hand ----

  /**
   * Moves the view to one of the records in hand.
   *
   * @param index which record of the last read, from 0
   * @return the view
   * @throws IndexOutOfBoundsException if the last read returned no such record
   */
  public T at(int index) {
    Objects.checkIndex(index, count);
    view.moveTo(copies.distance(index));
    return view();
  }

  /**
   * Frees the memory of the copies. Another reader can then have this one's name; what was not
   * released is read again. May be called repeatedly, even after the ring is closed.
   */
  @Override
  public void close() {
    super.close();
    if (place != null) {
      place.giveUp();
    }
  }

  /** Returns a string that names the ring. */
  @Override
  public String toString() {
    return "HistoryReader of " + history;
  }
}
