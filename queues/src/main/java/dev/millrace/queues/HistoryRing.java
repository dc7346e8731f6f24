package dev.millrace.queues;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.HistoryReader;
import dev.millrace.core.internal.HistorySlots;
import dev.millrace.core.internal.HistoryWriter;
import dev.millrace.core.internal.Ring;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * The last records written by any number of threads, for any number of readers: a ring that
 * overwrites its oldest record, and hands out whole records only.
 *
 * <pre>{@code
 * HistoryRing<TradeFlyweight> history = HistoryRing.of(1_440, TradeFlyweight::new);
 * TradeFlyweight trade = history.newFlyweight();            // one for each writing thread
 * if (history.tryClaim(trade)) {
 *   trade.timestamp(t).price(p).volume(v);
 *   history.commit(trade);
 * }
 * try (HistoryRing.Reader<TradeFlyweight> reader = history.newReader(1_440)) {
 *   int count = reader.readLatest(1_440);                   // or record by record: reader.next()
 *   for (int i = 0; i < count; i++, reader.record().next()) { sum += reader.record().volume(); }
 * }
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread writes, with a flyweight of its own; any number of {@link Reader}s,
 * each used by one thread at a time. Every reader sees every record, or counts it as lost. A ring
 * made by {@link #ofOneWriter} is written by one thread at a time; a hand-over to another thread
 * must be ordered by the user, and under {@code -ea} calls that overlap are found.
 *
 * <p><b>Progress.</b> Writers wait for nobody: writing is lock-free, a try being repeated only when
 * another writer changed the same slot; where there is one writer it is wait-free. A writer that
 * stops between claim and commit costs the ring one slot until it goes on; whoever laps it drops
 * its own record and counts it. Readers hold up nobody. {@link Reader#next()} reads in order, so it
 * answers false at a record that is still being written, until that is committed or overwritten a
 * lap later, or until it is told not to wait for it by {@link Reader#skipUnfinished()}; {@link
 * Reader#readLatest} leaves such a record out.
 *
 * <p><b>Ordering.</b> Records have the order of their claims. What a writer did before commit
 * happens before the return of the read that delivers the record.
 *
 * <p><b>Failure.</b> A record is refused, by value and counted in {@link #refusedCount()}, if its
 * slot is still being written by a writer of an earlier lap, or if its own writer was lapped before
 * it committed. One writer's records are never refused. Hence claims = committed + refused once all
 * writers are through, and for a reader, over the claims that it has passed, claims = read + lost +
 * refused + unfinished. After {@link #close()} all operations throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> O(1) per record: writing takes one fetch-and-add and two compare-and-sets, or
 * three stores where there is one writer; reading copies the record. A capacity that is no power of
 * two costs a division per record. A slot takes 8 bytes more than its record, rounded up to 8; the
 * ring 256 bytes more. Nothing is allocated after construction.
 *
 * <p><b>Source.</b> The states follow Linux's <a
 * href="https://docs.kernel.org/core-api/printk-ringbuffer.html">printk_ringbuffer</a>; reading
 * follows the sequence lock as in Boehm, <a href="https://doi.org/10.1145/2247684.2247688">Can
 * Seqlocks Get Along With Programming Language Memory Models?</a> (2012). Records here have one
 * size, and readers never reserve anything.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public final class HistoryRing<F extends Flyweight> implements AutoCloseable {
  // The protocol is in HistoryWriter and HistoryReader, the memory's layout in HistorySlots.
  private final NativeMemory owned;
  private final HistorySlots slots;
  private final HistoryWriter writer;
  private final Function<MemorySegment, F> flyweights;

  // written before the memory is freed, read by who finds that it is
  private long lastClaimedCount;
  private long lastRefusedCount;

  private HistoryRing(
      int capacity,
      Function<MemorySegment, F> flyweights,
      Function<HistorySlots, HistoryWriter> writers) {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    Checks.notNull("flyweights", flyweights);
    F sample = Checks.notNull("flyweight", flyweights.apply(MemorySegment.NULL));
    long recordBytes = sample.layout().sizeBytes();
    this.flyweights = flyweights;
    this.owned = NativeMemory.allocate(HistorySlots.sizeBytes(capacity, recordBytes));
    this.slots = HistorySlots.over(owned.segment(), capacity, recordBytes);
    this.writer = writers.apply(slots);
  }

  /**
   * Makes a ring for any number of writers.
   *
   * @param <F> the flyweight on a record
   * @param capacity how many records it keeps, any number in 1..2<sup>30</sup>
   * @param flyweights makes a flyweight on given memory, usually its constructor; asked once for
   *     one on {@link MemorySegment#NULL}, to learn the layout
   * @return the ring
   * @throws IllegalArgumentException if the capacity is not in that range
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> HistoryRing<F> of(
      int capacity, Function<MemorySegment, F> flyweights) {
    return new HistoryRing<>(capacity, flyweights, HistoryWriter::ofMany);
  }

  /**
   * Makes a ring that one thread at a time writes, without an atomic update. A claim must be ended
   * before the next one; of one that is not, the slot is used again a lap later.
   *
   * @param <F> the flyweight on a record
   * @param capacity how many records it keeps, any number in 1..2<sup>30</sup>
   * @param flyweights makes a flyweight on given memory, as for {@link #of}
   * @return the ring
   * @throws IllegalArgumentException if the capacity is not in that range
   * @throws OutOfMemoryError if there is not as much native memory
   */
  public static <F extends Flyweight> HistoryRing<F> ofOneWriter(
      int capacity, Function<MemorySegment, F> flyweights) {
    return new HistoryRing<>(capacity, flyweights, HistoryWriter::ofOne);
  }

  /**
   * Makes a flyweight for one writing thread.
   *
   * @return the flyweight, on no record: every access throws {@link IndexOutOfBoundsException}
   *     until it is moved onto one
   * @throws IllegalStateException if the ring is closed
   */
  public F newFlyweight() {
    F flyweight = flyweights.apply(owned.segment());
    flyweight.slots(HistorySlots.firstRecord(), slots.strideBytes(), slots.capacity());
    flyweight.moveTo(Ring.NOWHERE); // slots() moves to the first, which may hold a record
    return flyweight;
  }

  // ---- writers ----

  /**
   * Claims the next slot, that of the oldest record.
   *
   * @param flyweight is moved onto the slot, whose bytes are what a former record left there
   * @return false if the record is refused, for a writer of an earlier lap still writes there; then
   *     the flyweight is on no record. If true, {@link #commit} or {@link #abort} must follow, with
   *     the flyweight still on the slot
   * @throws IllegalStateException if the ring is closed
   */
  public boolean tryClaim(F flyweight) {
    checkOpen(flyweight);
    long record = writer.claim();
    if (record == HistoryWriter.NONE) {
      flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would write on a former record
      return false;
    }
    flyweight.moveTo(record);
    return true;
  }

  /**
   * Makes the claimed record readable.
   *
   * @param flyweight the flyweight that the claim was made with, still on its slot
   * @return false if the record is refused: so many were claimed since that its slot is due again
   * @throws IllegalStateException if nothing is claimed there, or the ring is closed
   */
  public boolean commit(F flyweight) {
    checkOpen(flyweight);
    return writer.commit(flyweight.offset());
  }

  /**
   * Gives back the claimed slot; the record counts as refused.
   *
   * @param flyweight the flyweight that the claim was made with, still on its slot
   * @throws IllegalStateException if nothing is claimed there, or the ring is closed
   */
  public void abort(F flyweight) {
    checkOpen(flyweight);
    writer.abort(flyweight.offset());
  }

  // ---- any thread ----

  /**
   * How many records were claimed since the beginning, committed or not.
   *
   * @return the number of claims, also after close
   */
  public long claimedCount() {
    try {
      return slots.claimedCount();
    } catch (IllegalStateException e) {
      return lastClaimedCount;
    }
  }

  /**
   * How many of the claimed records were refused or aborted.
   *
   * @return the number, also after close
   */
  public long refusedCount() {
    try {
      return slots.refusedCount();
    } catch (IllegalStateException e) {
      return lastRefusedCount;
    }
  }

  /**
   * The number of records kept.
   *
   * @return the capacity
   */
  public int capacity() {
    return (int) slots.capacity();
  }

  /**
   * Makes a reader that begins with the oldest record kept.
   *
   * @param window the most that {@link Reader#readLatest} will ever be asked for, from 1 to the
   *     capacity
   * @return the reader, with memory of its own for copies of as many records
   * @throws IllegalArgumentException if the window is not in that range
   * @throws OutOfMemoryError if there is not as much native memory
   * @throws IllegalStateException if the ring is closed
   */
  public Reader<F> newReader(int window) {
    Checks.inRange("window", window, 1, slots.capacity());
    checkOpen();
    return new Reader<>(this, window);
  }

  /**
   * Frees the memory; close when writers and readers are through. Operations that are under way
   * throw, and the JDK sets the interrupt status of a thread whose access it cuts short.
   *
   * @throws IllegalStateException if it is closed already
   */
  @Override
  public void close() {
    lastClaimedCount = claimedCount();
    lastRefusedCount = refusedCount();
    owned.close();
  }

  /** Returns capacity, counts and state, for debugging. */
  @Override
  public String toString() {
    return "HistoryRing[capacity="
        + capacity()
        + ", claimed="
        + claimedCount()
        + ", refused="
        + refusedCount()
        + (owned.isOpen() ? ", open]" : ", closed]");
  }

  private void checkOpen(F flyweight) {
    checkOpen();
    QueueLife.checkOn(slots.memory(), flyweight);
  }

  private void checkOpen() {
    if (!owned.isOpen()) {
      throw new IllegalStateException("history must be open: " + this);
    }
  }

  /**
   * A reader of a {@link HistoryRing}: its position, its counts, and memory for copies.
   *
   * <p>A record is copied out first and then validated; what a writer changed meanwhile is thrown
   * away. {@link #record()} therefore stays whole for as long as the reader leaves it there.
   *
   * @param <F> the flyweight on a record
   * @since 0.1.0
   */
  public static final class Reader<F extends Flyweight> implements AutoCloseable {
    private final HistoryRing<F> history;
    private final HistoryReader reader;
    private final NativeMemory owned;
    private final F record;
    private final int window;

    private Reader(HistoryRing<F> history, int window) {
      this.history = history;
      this.window = window;
      long strideBytes = history.slots.strideBytes();
      this.owned = NativeMemory.allocate(window * strideBytes);
      try {
        this.record = history.flyweights.apply(owned.segment());
        record.slots(0, strideBytes, window);
        this.reader = new HistoryReader(history.slots, owned.segment());
      } catch (RuntimeException e) {
        owned.close();
        throw e;
      }
    }

    /**
     * The flyweight on the copy of the last record read; after {@link #readLatest} on the first of
     * them, {@link Flyweight#next()} moves it along.
     *
     * @return always the same flyweight
     */
    public F record() {
      return record;
    }

    /**
     * The most that {@link #readLatest} can be asked for.
     *
     * @return the number of records
     */
    public int window() {
      return window;
    }

    /**
     * Reads the next record in order. What was overwritten before is counted as lost and skipped.
     *
     * @return whether {@link #record()} is now the next record; false if there is none yet, or its
     *     writer has not committed it
     * @throws IllegalStateException if the ring or the reader is closed
     */
    public boolean next() {
      history.checkOpen();
      if (!reader.next()) {
        return false;
      }
      record.moveTo(0);
      return true;
    }

    /**
     * Passes the records before which {@link #next()} stands still, because they were claimed and
     * neither committed nor refused: their writers died, or stalled, or are just at work. It ends
     * at the first finished record, so go on with {@link #next()}. Passed records are counted as
     * unfinished, also if they are committed later; those older than the ring's length as lost.
     *
     * <p>Only for who must not wait for a writer. One that has only been interrupted between claim
     * and commit would have delivered its record a moment later.
     *
     * @return how many records were passed, 0 if the next one is finished or not claimed yet
     * @throws IllegalStateException if the ring is closed
     */
    public long skipUnfinished() {
      history.checkOpen();
      return reader.skipUnfinished();
    }

    /**
     * Reads the newest records, whatever the position of {@link #next()}, which stays. Of what was
     * overwritten while it was copied, nothing older is kept: the result is the longest intact row
     * up to the newest record. Refused records, and those still being written, are left out.
     *
     * @param count how many at the most, from 1 to the reader's window
     * @return how many were read; {@link #record()} is on the oldest of them
     * @throws IllegalArgumentException if the count is not in that range
     * @throws IllegalStateException if the ring or the reader is closed
     */
    public int readLatest(int count) {
      Checks.inRange("count", count, 1, window);
      history.checkOpen();
      int copied = reader.latest(count);
      record.moveTo(0);
      return copied;
    }

    /**
     * How many records {@link #next()} has delivered.
     *
     * @return the number
     */
    public long readCount() {
      return reader.readCount();
    }

    /**
     * How many records were skipped because the reader was overtaken: all those older than the
     * ring's length, whether they were overwritten already, or refused before.
     *
     * @return the number
     */
    public long lostCount() {
      return reader.lostCount();
    }

    /**
     * How many records {@link #next()} has passed that were refused.
     *
     * @return the number
     */
    public long refusedCount() {
      return reader.refusedCount();
    }

    /**
     * How many records {@link #skipUnfinished()} has passed that were claimed and not finished.
     *
     * @return the number
     */
    public long unfinishedCount() {
      return reader.unfinishedCount();
    }

    /** Frees the memory of the copies. */
    @Override
    public void close() {
      owned.close();
    }
  }
}
