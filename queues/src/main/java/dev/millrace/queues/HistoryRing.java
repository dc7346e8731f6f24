package dev.millrace.queues;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Speculative;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
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
 * each used by one thread at a time. Every reader sees every record, or counts it as lost.
 *
 * <p><b>Progress.</b> Writers wait for nobody: writing is lock-free, a try being repeated only when
 * another writer changed the same slot. A writer that stops between claim and commit costs the ring
 * one slot until it goes on; whoever laps it drops its own record and counts it. Readers hold up
 * nobody. {@link Reader#next()} reads in order, so it answers false at a record that is still being
 * written, until that is committed or overwritten a lap later; {@link Reader#readLatest} leaves
 * such a record out.
 *
 * <p><b>Ordering.</b> Records have the order of their claims. What a writer did before commit
 * happens before the return of the read that delivers the record.
 *
 * <p><b>Failure.</b> A record is refused, by value and counted in {@link #refusedCount()}, if its
 * slot is still being written by a writer of an earlier lap, or if its own writer was lapped before
 * it committed. Hence claims = committed + refused, and for a reader, over the claims that it has
 * passed, claims = read + lost + refused. After {@link #close()} all operations throw {@link
 * IllegalStateException}.
 *
 * <p><b>Cost.</b> O(1) per record: writing takes one fetch-and-add and two compare-and-sets,
 * reading copies the record. A slot takes 8 bytes more than its record, rounded up to 8. Nothing is
 * allocated after construction.
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
  /*
   * A writer takes the next sequence s by fetch-and-add; its slot is s modulo the capacity. The
   * slot's stamp is one word, sequence and state, so that each change of a slot is one
   * compare-and-set and the sequence in it never falls:
   *
   *   state      meaning                                          leaves by
   *   (zero)     never used                                       claim
   *   WRITING    s is being written                               commit of s, refusal of a later s'
   *   COMMITTED  s is whole                                       claim of a later s'
   *   BUSY       s was refused, an earlier one is being written   commit of that, refusal of a later s'
   *   REFUSED    s was refused or aborted, nothing is written     claim of a later s'
   *
   * Only one writer at a time may touch a slot's bytes: the one that changed the stamp to WRITING,
   * until it changes WRITING or, when it was lapped meanwhile, BUSY to something else. So a late
   * writer never touches another's record, and commit needs nothing but the slot to know its claim.
   *
   * Invariant: each sequence ends as committed or refused, in the stamp or, overtaken, only in the
   * counter. Non-invariants: commits come in any order; the newest committed record may lie behind
   * sequences that are still being written.
   *
   * A  stamp.weakCompareAndSetRelease  ->  stamp.getAcquire in copy        slot bytes are whole
   *    in leave
   * B  stamp.weakCompareAndSetAcquire  ->  acquireFence, stamp.getOpaque   slot bytes of a newer
   *    in claimSlot, releaseFence,         in copy                         record: stamp has changed
   *    slot bytes
   * C  stamp.weakCompareAndSetRelease  ->  stamp.weakCompareAndSetAcquire  the slot may be
   *    in leave                            in claimSlot                    overwritten
   */
  private static final VarHandle STAMP = Ring.STAMP;

  private static final int STATE_BITS = 2;
  private static final long STATES = (1L << STATE_BITS) - 1;
  private static final long REFUSED = 0;
  private static final long COMMITTED = 1;
  private static final long WRITING = 2;
  private static final long BUSY = 3;

  private final Ring ring;
  private final NativeMemory owned;
  private final Function<MemorySegment, F> flyweights;
  private final Sequence next = new Sequence();
  private final Sequence refused = new Sequence();

  private HistoryRing(int capacity, Function<MemorySegment, F> flyweights) {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    Checks.notNull("flyweights", flyweights);
    F sample = Checks.notNull("flyweight", flyweights.apply(MemorySegment.NULL));
    long stride = Ring.strideBytes(sample.layout().sizeBytes());
    this.flyweights = flyweights;
    this.owned = NativeMemory.allocate(capacity * stride);
    this.ring = new Ring(owned.segment(), stride, capacity);
  }

  /**
   * Makes a ring.
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
    return new HistoryRing<>(capacity, flyweights);
  }

  /**
   * Makes a flyweight for one writing thread.
   *
   * @return the flyweight, not yet on any record
   * @throws IllegalStateException if the ring is closed
   */
  public F newFlyweight() {
    return flyweightOn(owned.segment(), ring.capacity());
  }

  private F flyweightOn(MemorySegment memory, long count) {
    F flyweight = flyweights.apply(memory);
    flyweight.slots(Ring.STAMP_BYTES, ring.strideBytes(), count);
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
    MemorySegment memory = memory();
    QueueLife.checkOn(memory, flyweight);
    // atomic: each sequence once; the stamps order the rest
    long sequence = next.getAndAddAcquire(1);
    long offset = slotOffset(sequence);
    if (!claimSlot(memory, offset, sequence)) {
      refused.getAndAddAcquire(1); // atomic: a count
      flyweight.moveTo(Ring.NOWHERE); // or who ignores the answer would write on a former record
      return false;
    }
    flyweight.moveTo(offset + Ring.STAMP_BYTES);
    return true;
  }

  private boolean claimSlot(MemorySegment memory, long offset, long sequence) {
    while (true) {
      long seen = (long) STAMP.getOpaque(memory, offset); // opaque: the compare-and-set decides
      if (sequenceOf(seen) > sequence) {
        return false; // a later lap has this slot: readers will count this one as lost
      }
      boolean inUse = isBeingWritten(seen);
      long claimed = stamp(sequence, inUse ? BUSY : WRITING);
      // linearizes the claim; acquire C: the former writer is through with the slot
      if (STAMP.weakCompareAndSetAcquire(memory, offset, seen, claimed)) {
        VarHandle.releaseFence(); // release B: the stamp before the slot bytes
        return !inUse;
      }
    }
  }

  /**
   * Makes the claimed record readable.
   *
   * @param flyweight the flyweight that the claim was made with, still on its slot
   * @return false if the record is refused: so many were claimed since that its slot is due again
   * @throws IllegalStateException if nothing is claimed there, or the ring is closed
   */
  public boolean commit(F flyweight) {
    return leave(flyweight, COMMITTED);
  }

  /**
   * Gives back the claimed slot; the record counts as refused.
   *
   * @param flyweight the flyweight that the claim was made with, still on its slot
   * @throws IllegalStateException if nothing is claimed there, or the ring is closed
   */
  public void abort(F flyweight) {
    leave(flyweight, REFUSED);
  }

  private boolean leave(F flyweight, long state) {
    MemorySegment memory = memory();
    QueueLife.checkOn(memory, flyweight);
    long offset = flyweight.offset() - Ring.STAMP_BYTES;
    assert offset < 0 || offset % ring.strideBytes() == 0
        : "flyweight must be on its slot: " + offset;
    while (true) {
      long seen = (long) STAMP.getOpaque(memory, offset); // opaque: the compare-and-set decides
      if (!isBeingWritten(seen)) {
        throw new IllegalStateException("claim must be open: none is at offset " + offset);
      }
      boolean lapped = stateOf(seen) == BUSY;
      long left = seen - stateOf(seen) + (lapped ? REFUSED : state);
      // linearizes commit; release A, C: slot bytes, and that this writer is through with them
      if (STAMP.weakCompareAndSetRelease(memory, offset, seen, left)) {
        if (lapped || state == REFUSED) {
          refused.getAndAddAcquire(1); // atomic: a count
          return false;
        }
        return true;
      }
    }
  }

  // ---- any thread ----

  /**
   * How many records were claimed since the beginning, committed or not.
   *
   * @return the number of claims, also after close
   */
  public long claimedCount() {
    return next.getOpaque(); // opaque: a count, which orders nothing else
  }

  /**
   * How many of the claimed records were refused or aborted.
   *
   * @return the number, also after close
   */
  public long refusedCount() {
    return refused.getOpaque(); // opaque: a count, which orders nothing else
  }

  /**
   * The number of records kept.
   *
   * @return the capacity
   */
  public int capacity() {
    return (int) ring.capacity();
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
    Checks.inRange("window", window, 1, ring.capacity());
    memory();
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
    owned.close();
  }

  /** Returns capacity, counts and state, for debugging. */
  @Override
  public String toString() {
    return "HistoryRing[capacity="
        + capacity()
        + ", claimed="
        + next
        + ", refused="
        + refused
        + (owned.isOpen() ? ", open]" : ", closed]");
  }

  private MemorySegment memory() {
    if (!owned.isOpen()) {
      throw new IllegalStateException("history must be open: " + this);
    }
    return ring.memory();
  }

  private long slotOffset(long sequence) {
    return ring.slotOffset(sequence % ring.capacity());
  }

  private static long stamp(long sequence, long state) {
    return ((sequence + 1) << STATE_BITS) + state;
  }

  private static long sequenceOf(long stamp) {
    return (stamp >>> STATE_BITS) - 1;
  }

  private static long stateOf(long stamp) {
    return stamp & STATES;
  }

  private static boolean isBeingWritten(long stamp) {
    return stateOf(stamp) >= WRITING;
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
    private final NativeMemory owned;
    private final F record;
    private final int window;
    private long position;
    private long readCount;
    private long lostCount;
    private long refusedCount;

    private Reader(HistoryRing<F> history, int window) {
      this.history = history;
      this.window = window;
      this.owned = NativeMemory.allocate(window * history.ring.strideBytes());
      try {
        this.record = history.flyweightOn(owned.segment(), window);
      } catch (RuntimeException e) {
        owned.close();
        throw e;
      }
      // opaque: where to begin; the stamps order the records
      this.position = oldest(history.next.getOpaque());
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
      while (true) {
        long stamp = copy(position, 0);
        if (sequenceOf(stamp) < position || stamp == stamp(position, WRITING)) {
          return false;
        }
        if (sequenceOf(stamp) > position) {
          // opaque: where to go on; the stamps order the records
          skipTo(Math.max(position + 1, oldest(history.next.getOpaque())));
          continue;
        }
        position++;
        if (stateOf(stamp) == COMMITTED) {
          readCount++;
          record.moveTo(Ring.STAMP_BYTES);
          return true;
        }
        refusedCount++;
      }
    }

    private void skipTo(long sequence) {
      lostCount += sequence - position;
      position = sequence;
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
      history.memory(); // throws if closed, also where there is nothing to copy
      long end = history.next.getOpaque(); // opaque: where to end; the stamps order the records
      int copied = 0;
      for (long sequence = Math.max(0, end - count); sequence < end; sequence++) {
        long stamp = copy(sequence, copied);
        if (stamp == stamp(sequence, COMMITTED)) {
          copied++;
        } else if (sequenceOf(stamp) > sequence) {
          copied = 0;
        }
      }
      record.moveTo(Ring.STAMP_BYTES);
      return copied;
    }

    /**
     * Copies a record and tells the stamp that its slot had before and after; only if that is the
     * record's own, committed, the copy is whole.
     */
    private long copy(long sequence, int to) {
      Ring ring = history.ring;
      MemorySegment memory = history.memory();
      long offset = history.slotOffset(sequence);
      // acquire A: sees COMMITTED from commit, hence the slot bytes
      long before = (long) STAMP.getAcquire(memory, offset);
      if (before != stamp(sequence, COMMITTED)) {
        return before;
      }
      copyRecord(memory, offset + Ring.STAMP_BYTES, ring.slotOffset(to) + Ring.STAMP_BYTES);
      VarHandle.acquireFence(); // acquire B: the copy before the second look at the stamp
      return (long) STAMP.getOpaque(memory, offset); // opaque: the fence orders it
    }

    /** Copies bytes that a writer may be writing; the stamp tells afterwards. */
    @Speculative
    private void copyRecord(MemorySegment memory, long from, long to) {
      long bytes = history.ring.strideBytes() - Ring.STAMP_BYTES;
      MemorySegment.copy(memory, from, owned.segment(), to, bytes);
    }

    private long oldest(long end) {
      return Math.max(0, end - history.ring.capacity());
    }

    /**
     * How many records {@link #next()} has delivered.
     *
     * @return the number
     */
    public long readCount() {
      return readCount;
    }

    /**
     * How many records {@link #next()} has skipped because it was overtaken: all those older than
     * the ring's length, whether they were overwritten already, or refused before.
     *
     * @return the number
     */
    public long lostCount() {
      return lostCount;
    }

    /**
     * How many records {@link #next()} has passed that were refused.
     *
     * @return the number
     */
    public long refusedCount() {
      return refusedCount;
    }

    /** Frees the memory of the copies. */
    @Override
    public void close() {
      owned.close();
    }
  }
}
