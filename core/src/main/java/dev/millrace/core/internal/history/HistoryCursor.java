package dev.millrace.core.internal.history;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;

/**
 * Common superclass of the readers of a history ring. It has a reader's position, its counts, and
 * the memory for its copies. Readers write nothing to the ring's memory, which may be a read-only
 * mapping of memory that another process writes or has written.
 *
 * <p>A reader first copies a record and then validates the copy. If a writer overwrote the record
 * during the copy, the reader discards it.
 *
 * <p><b>Roles.</b> One thread at a time may use a reader.
 *
 * <p><b>Damage.</b> Whatever is in the memory, a call ends after a few laps at most, unless the
 * memory keeps changing. Records read from damaged memory are meaningless.
 */
public class HistoryCursor implements AutoCloseable {
  /*
   * HistoryWriter describes the states of a stamp.
   *
   * Invariant: position = start + read + lost + refused + unfinished, because each change of the
   * position adds the same amount to one of the counts. After a seek, the start is the target of
   * the seek less the counts at that time.
   *
   * A  weakCompareAndSetRelease or     ->  STAMP.getAcquire in copy        slot bytes
   *    setRelease in                       and copyRun
   *    HistoryWriter.leave
   * B  releaseFence in                 ->  acquireFence, then              a copy of newer slot
   *    HistoryWriter.claimSlot             STAMP.getOpaque in copy,        bytes sees the newer
   *    or in HistoryWriter.claim           COUNT.getOpaque in copyRun      stamp, or the count
   */
  private static final VarHandle STAMP = Ring.STAMP;
  private static final VarHandle COUNT = Ring.STAMP;

  /** For assertions: see {@link Role}. */
  protected final Role role = new Role(getClass().getSimpleName() + " allows one thread at a time");

  private final HistorySlots slots;
  private final NativeMemory owned;
  private final MemorySegment copies; // the whole of owned
  private long position;
  private long sequence = -1;
  private long readCount;
  private long lostCount;
  private long refusedCount;
  private long unfinishedCount;

  /**
   * Makes a reader that begins with the oldest record kept.
   *
   * @param slots the ring to read
   * @param count the number of copies that there is room for, at least 1; a copy begins at each
   *     multiple of the stride
   */
  protected HistoryCursor(HistorySlots slots, long count) {
    this.slots = slots;
    // opaque: where to begin; the stamps order the records
    this.position = slots.oldest((long) COUNT.getOpaque(slots.memory(), HistorySlots.NEXT));
    this.owned = NativeMemory.allocate(count * slots.strideBytes());
    this.copies = owned.segment();
  }

  /**
   * Reads the next records in order, as {@link #tryNext} would one by one.
   *
   * @param limit the most records to read, from 1 to the number of copies that fit
   * @return the number of records read, which are in the first copies
   */
  protected final int nextRun(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    int read = copyRuns(position, limit);
    position += read;
    sequence = read > 0 ? position - 1 : sequence;
    readCount += read;
    while (read < limit && next(read)) {
      read++;
    }
    assert role.end(call);
    return read;
  }

  /**
   * Reads the next record in order. Records that have been overwritten are counted as lost and
   * skipped.
   *
   * @param to the index of the copy that the record is read into, from 0
   * @return whether a record was read; false if there is none yet or the next one is unfinished
   */
  protected final boolean tryNext(int to) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    boolean isFound = next(to);
    assert role.end(call);
    return isFound;
  }

  private boolean next(int to) {
    while (true) {
      long stamp = copy(position, to);
      if (isUnfinished(stamp, position)) {
        return false;
      }
      if (HistorySlots.sequenceOf(stamp) > position) {
        // opaque: where to continue; the stamps order the records
        long end = (long) COUNT.getOpaque(slots.memory(), HistorySlots.NEXT);
        if (end <= position) {
          return false; // the stamp became visible before the count, or is damaged
        }
        loseUntil(Math.max(position + 1, slots.oldest(end)));
        continue;
      }
      position++;
      if (HistorySlots.stateOf(stamp) == HistorySlots.COMMITTED) {
        sequence = position - 1;
        readCount++;
        return true;
      }
      refusedCount++;
    }
  }

  /**
   * Skips the records that hold up the reader because they were claimed but neither committed nor
   * refused: their writers have died, have stalled or are still at work. Stops at the first
   * finished record. Skipped records count as unfinished, except that those older than the ring's
   * length count as lost.
   *
   * @return how many records were skipped
   * @throws IllegalStateException if the reader or the history is closed
   */
  public long skipUnfinished() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    var _ = copies(); // throws if closed
    long from = position;
    MemorySegment memory = slots.memory();
    // opaque: how far to go; the stamps say what is finished
    long end = (long) COUNT.getOpaque(memory, HistorySlots.NEXT);
    loseUntil(Math.max(position, slots.oldest(end)));
    while (position < end) {
      // opaque: a finished record is read by next, which acquires it
      long stamp = (long) STAMP.getOpaque(memory, slots.offset(position));
      if (!isUnfinished(stamp, position)) {
        break;
      }
      position++;
      unfinishedCount++;
    }
    assert role.end(call);
    return position - from;
  }

  private void loseUntil(long oldest) {
    lostCount += oldest - position;
    position = oldest;
  }

  /**
   * Returns whether the record with the sequence {@code claimed} is being written or has not even
   * been started.
   */
  private static boolean isUnfinished(long stamp, long claimed) {
    return HistorySlots.sequenceOf(stamp) < claimed
        || stamp == HistorySlots.stamp(claimed, HistorySlots.WRITING);
  }

  /**
   * Returns whether the sequence {@code claimed} has no committed record in its slot, although it
   * was not overwritten.
   */
  private static boolean isLeftOut(long stamp, long claimed) {
    return HistorySlots.sequenceOf(stamp) <= claimed
        && stamp != HistorySlots.stamp(claimed, HistorySlots.COMMITTED);
  }

  /**
   * Reads the newest records, whatever the position of {@link #tryNext}, and does not change that
   * position. If a record is overwritten while it is copied, older records are dropped, so the
   * result is the longest intact series up to the newest record. Refused and unfinished records are
   * left out.
   *
   * @param count the most records to read, from 1 to the number of copies that fit
   * @return the number of records read, which are in the first copies, the oldest first
   */
  protected int latest(int count) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long before = sequence;
    int copied = copyLatest(count);
    if (copied == 0) {
      sequence = before; // all copies were dropped
    }
    assert role.end(call);
    return copied;
  }

  private int copyLatest(int count) {
    // opaque: where to end; the stamps order the records
    long end = (long) COUNT.getOpaque(slots.memory(), HistorySlots.NEXT);
    long next = Math.max(0, end - count);
    int copied = copyRuns(next, (int) (end - next));
    next += copied;
    sequence = copied > 0 ? next - 1 : sequence;
    for (; next < end; next++) {
      long stamp = copy(next, copied);
      if (stamp == HistorySlots.stamp(next, HistorySlots.COMMITTED)) {
        copied++;
        sequence = next;
      } else if (HistorySlots.sequenceOf(stamp) > next) {
        copied = 0;
      }
    }
    return copied;
  }

  /**
   * Reads the committed record before the position into the first copy, and moves the position to
   * it, so that repeated calls read backwards. Refused and unfinished records are left out. The
   * counts do not change, as with {@link #seek}.
   *
   * @return whether a record was read; false at the oldest record that is kept, where the position
   *     does not change
   */
  protected final boolean tryPrevious() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    boolean isFound = previous();
    sequence = isFound ? position : sequence;
    assert role.end(call);
    return isFound;
  }

  private boolean previous() {
    long oldest = slots.oldest(position);
    for (long at = position - 1; at >= oldest; at--) {
      long stamp = copy(at, 0);
      if (HistorySlots.sequenceOf(stamp) > at) {
        return false; // overwritten, as are all before it
      }
      if (!isLeftOut(stamp, at)) {
        position = at;
        return true;
      }
    }
    return false;
  }

  /**
   * Moves to a sequence, from which {@link #tryNext} continues.
   *
   * @param to the sequence, from 0 to the number of claims
   * @throws IllegalArgumentException if the sequence is out of that range; nothing changes
   * @throws IllegalStateException if the reader or the history is closed
   */
  public void seek(long to) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    var _ = copies(); // throws if closed
    Checks.inRange("sequence", to, 0, slots.claimedCount());
    position = to;
    assert role.end(call);
  }

  /**
   * Moves to the first record kept that is not before a certain place. {@link #tryNext} continues
   * from there. If the records are not in order, the reader moves to one that is not before the
   * place although its predecessor is. The search is a bisection, in which the next readable record
   * stands for a refused or unfinished one.
   *
   * @param isBefore says whether the record in the first copy is before the place
   */
  protected final void seek(BooleanSupplier isBefore) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long high = slots.claimedCount();
    long low = slots.oldest(high);
    while (low < high) {
      long middle = (low + high) >>> 1;
      long found = middle;
      long stamp = copy(found, 0);
      while (isLeftOut(stamp, found) && found + 1 < high) {
        found++;
        stamp = copy(found, 0);
      }
      // an overwritten record is older than all others
      if (HistorySlots.sequenceOf(stamp) > found
          || (!isLeftOut(stamp, found) && isBefore.getAsBoolean())) {
        low = found + 1;
      } else {
        high = middle;
      }
    }
    position = low;
    assert role.end(call);
  }

  /**
   * Copies runs one after the other into the first copies; returns the number of records copied.
   */
  private int copyRuns(long first, int limit) {
    int copied = 0;
    int run;
    do {
      run = copyRun(first + copied, copied, limit - copied);
      copied += run;
    } while (run > 0);
    return copied;
  }

  /**
   * Copies a run of committed records that are adjacent in memory and were not overwritten during
   * the copy. All other records must be read one by one.
   *
   * @return the number of records copied; 0 also if some of them may have been overwritten
   */
  private int copyRun(long first, int to, int limit) {
    MemorySegment memory = slots.memory();
    long offset = slots.offset(first);
    long most = Math.min(limit, slots.contiguous(first));
    int count = 0;
    while (count < most
        // acquire A: sees COMMITTED from commit, hence the slot bytes
        && (long) STAMP.getAcquire(memory, offset + count * slots.strideBytes())
            == HistorySlots.stamp(first + count, HistorySlots.COMMITTED)) {
      count++;
    }
    if (count == 0) {
      return 0;
    }
    copyRecords(memory, offset + Ring.STAMP_BYTES, to * slots.strideBytes(), count);
    VarHandle.acquireFence(); // acquire B: the copies before the count of claims
    // opaque: the fence orders it. The first slot is overwritten first, so one check is enough
    long end = (long) COUNT.getOpaque(memory, HistorySlots.NEXT);
    return slots.oldest(end) <= first ? count : 0;
  }

  /**
   * Copies the record with the sequence {@code claimed} into copy number {@code to}, if the record
   * is committed. Returns the stamp of its slot. The copy is whole only if the stamp says that this
   * record is still committed.
   */
  private long copy(long claimed, int to) {
    MemorySegment memory = slots.memory();
    long offset = slots.offset(claimed);
    // acquire A: sees COMMITTED from commit, hence the slot bytes
    long before = (long) STAMP.getAcquire(memory, offset);
    if (before != HistorySlots.stamp(claimed, HistorySlots.COMMITTED)) {
      return before;
    }
    copyRecords(memory, offset + Ring.STAMP_BYTES, to * slots.strideBytes(), 1);
    VarHandle.acquireFence(); // acquire B: the copy before the second read of the stamp
    return (long) STAMP.getOpaque(memory, offset); // opaque: the fence orders it
  }

  /** Copies bytes that a writer may be writing. The caller finds out afterwards whether one did. */
  @Speculative
  private void copyRecords(MemorySegment memory, long from, long to, int count) {
    MemorySegment.copy(memory, from, copies, to, count * slots.strideBytes() - Ring.STAMP_BYTES);
  }

  /**
   * Returns the memory that holds the copies.
   *
   * @return the whole of that memory
   * @throws IllegalStateException if the reader is closed
   */
  protected final MemorySegment copies() {
    if (!owned.isOpen()) {
      throw new IllegalStateException("reader is closed: " + this);
    }
    return copies;
  }

  /** Counts the record delivered last as lost, not as read. */
  protected final void countAsLost() {
    readCount--;
    lostCount++;
  }

  /**
   * Returns the sequence that will be read next. While it is less than the number of claims, the
   * next record can be read or is unfinished.
   *
   * @return the sequence
   */
  public final long position() {
    return position;
  }

  /**
   * Returns the sequence of the last record read. If several were read at once, it is that of the
   * newest.
   *
   * @return its number in the order of claims, from 0; negative if none was read
   */
  public final long sequence() {
    return sequence;
  }

  /**
   * Returns how many records were delivered in order.
   *
   * @return the number
   */
  public final long readCount() {
    return readCount;
  }

  /**
   * Returns how many records were skipped because the reader was overtaken. All records older than
   * the ring's length count, whether they had been overwritten or refused.
   *
   * @return the number
   */
  public final long lostCount() {
    return lostCount;
  }

  /**
   * Returns how many refused or aborted records the reader has passed.
   *
   * @return the number
   */
  public final long refusedCount() {
    return refusedCount;
  }

  /**
   * Returns how many claimed but unfinished records {@link #skipUnfinished()} has skipped.
   *
   * @return the number
   */
  public final long unfinishedCount() {
    return unfinishedCount;
  }

  /** Frees the memory of the copies. May be called repeatedly. */
  @Override
  public void close() {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (owned.isOpen()) {
      owned.close(this);
    }
    assert role.end(call);
  }
}
