package dev.millrace.core.internal.history;

import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.ring.Ring;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Writes records to a history ring, from any number of threads or from exactly one.
 *
 * <p><b>Roles.</b> Any thread may use a writer made by {@link #ofMany}, and several processes that
 * share the memory may have one each. One thread at a time may use a writer made by {@link #ofOne},
 * and the memory must have no other writer.
 *
 * <p><b>Progress.</b> With many writers, claims and commits are lock-free: a writer repeats an
 * attempt only when another writer has changed the same word. With one writer, they are wait-free
 * and need no atomic update at all.
 *
 * <p><b>Writers that died.</b> A ring can continue in memory that earlier writers left. With many
 * writers, a slot that one of them did not finish stays out of use, because no other thread can
 * know that its writer is dead. The next single writer uses such a slot again. Writers that
 * announce their claims can be recovered: see {@link SeatedHistoryWriter} and {@link
 * SoleHistoryWriter}.
 */
public abstract sealed class HistoryWriter
    permits HistoryWriter.Many, HistoryWriter.One, SeatedHistoryWriter, SoleHistoryWriter {
  /*
   * A writer takes the next sequence s, whose slot is s modulo the capacity. The slot's stamp holds
   * a sequence and a state in one word, so that each change of a slot is one step and the sequence
   * in the stamp never falls:
   *
   *   state      meaning                                          leaves by
   *   (zero)     never used                                       claim
   *   WRITING    s is being written                               commit of s, refusal of a later s'
   *   COMMITTED  s is whole                                       claim of a later s'
   *   BUSY       s was refused, an earlier one is being written   commit of that, refusal of a later s'
   *   REFUSED    s was refused or aborted, nothing is written     claim of a later s'
   *
   * In the terms of Linux's printk_ringbuffer, WRITING and BUSY are reserved. COMMITTED is both
   * committed and finalized, because records do not grow. A later claim may reuse any slot that is
   * not reserved. In both rings a writer fails if the oldest record is still reserved. Here it also
   * leaves BUSY behind, so that the late writer learns that it is late.
   *
   * Only one writer at a time may touch a slot's bytes: the one that changed the stamp to WRITING,
   * until it changes the stamp from WRITING or, if it was lapped, from BUSY. A late writer
   * therefore never touches another writer's record, and commit can identify its claim by the slot
   * alone. A single writer changes the stamps in the same way, but stores them without
   * compare-and-set. If it has several claims open, it can lap itself.
   *
   * Invariant: each sequence ends as committed or refused. Its stamp records this. If a later lap
   * already has the slot, only the counter does. Non-invariants: commits happen in any order.
   * Sequences before the newest committed record may still be being written. The claim of a writer
   * that dies is counted but perhaps never stamped.
   *
   * A  STAMP.weakCompareAndSetRelease  ->  STAMP.getAcquire in                slot bytes
   *    or STAMP.setRelease in leave        HistoryCursor.copy
   * B  STAMP.weakCompareAndSetAcquire  ->  acquireFence, STAMP.getOpaque in   a copy of newer slot
   *    in claimSlot or STAMP.setOpaque     HistoryCursor.copy                 bytes sees the
   *    in claim, releaseFence, slot                                           newer stamp
   *    bytes
   * C  STAMP.weakCompareAndSetRelease  ->  STAMP.weakCompareAndSetAcquire     the slot may be
   *    in leave                            in claimSlot                       overwritten
   */

  /** The result of {@link #claim} if the record is refused. */
  public static final long NONE = -1;

  private static final VarHandle STAMP = Ring.STAMP;
  private static final VarHandle COUNT = Ring.STAMP;

  final HistorySlots slots;
  final MemorySegment memory; // cached: C2 would reload it from slots after every fence

  HistoryWriter(HistorySlots slots) {
    if (slots.memory().isReadOnly()) {
      throw new IllegalArgumentException("memory must be writable: memory=" + slots.memory());
    }
    this.slots = slots;
    this.memory = slots.memory();
  }

  /**
   * Makes a writer for any number of threads. Throws {@link IllegalArgumentException} if the memory
   * is read-only.
   */
  public static HistoryWriter ofMany(HistorySlots slots) {
    return new Many(slots);
  }

  /**
   * Makes a writer for one thread at a time, which may have several claims open. No other writer
   * may use the memory. Assertions detect overlapping calls. Throws {@link
   * IllegalArgumentException} if the memory is read-only.
   */
  public static HistoryWriter ofOne(HistorySlots slots) {
    return new One(slots);
  }

  /**
   * Claims the next slot, which holds the oldest record. Returns the offset of the new record,
   * whose bytes are still those of an older one. {@link #commit} or {@link #abort} must follow.
   * Returns {@link #NONE} if the record is refused because a writer of an earlier lap is still
   * writing to the slot, or a writer of a later lap came first.
   */
  public abstract long claim();

  /**
   * Makes the claimed record at the offset {@code record} readable. Returns false if the record is
   * refused because later claims have gone round the ring and reached its slot. Throws {@link
   * IllegalStateException} if no record is claimed there.
   */
  public final boolean commit(long record) {
    return leave(slotOf(record), HistorySlots.COMMITTED);
  }

  /**
   * Gives back the slot of the claimed record at the offset {@code record}, which counts as
   * refused. Throws {@link IllegalStateException} if no record is claimed there.
   */
  public final void abort(long record) {
    leave(slotOf(record), HistorySlots.REFUSED);
  }

  private long slotOf(long record) {
    long offset = record - Ring.STAMP_BYTES;
    if (offset < HistorySlots.CONTROL_BYTES) {
      throw noOpenClaim(offset);
    }
    assert (offset - HistorySlots.CONTROL_BYTES) % slots.strideBytes() == 0
        : "record must be that of a slot: " + record;
    return offset;
  }

  abstract boolean leave(long offset, long state);

  /** Returns whether the memory can still be accessed. */
  final boolean isOpen() {
    return memory.scope().isAlive();
  }

  /**
   * Takes the slot at an offset for the record of a sequence. If a writer is still in it, leaves
   * the sequence there as refused and returns false, as it does if a later one was faster.
   */
  final boolean claimSlot(long offset, long sequence) {
    while (true) {
      long seen = (long) STAMP.getOpaque(memory, offset); // opaque: the compare-and-set decides
      if (HistorySlots.sequenceOf(seen) > sequence) {
        return false; // a later lap has this slot: readers will count this one as lost
      }
      boolean inUse = HistorySlots.isBeingWritten(seen);
      long state = inUse ? HistorySlots.BUSY : HistorySlots.WRITING;
      long claimed = HistorySlots.stamp(sequence, state);
      // linearizes the claim; acquire C: the previous writer has finished with the slot
      if (STAMP.weakCompareAndSetAcquire(memory, offset, seen, claimed)) {
        VarHandle.releaseFence(); // release B: the stamp before the slot bytes
        return !inUse;
      }
    }
  }

  static void countRefused(MemorySegment memory) {
    long count;
    do {
      // opaque: the exchange confirms it
      count = (long) COUNT.getOpaque(memory, HistorySlots.REFUSED_COUNT);
    } while (!COUNT.weakCompareAndSetPlain(
        memory, HistorySlots.REFUSED_COUNT, count, count + 1)); // atomic: a count
  }

  /**
   * Returns the stamp that a writer leaves which finds {@code seen} and ends its claim with {@code
   * state}. Throws {@link IllegalStateException} if nothing is being written there.
   */
  static long left(long seen, long state, long offset) {
    if (!HistorySlots.isBeingWritten(seen)) {
      throw noOpenClaim(offset);
    }
    boolean isLapped = HistorySlots.stateOf(seen) == HistorySlots.BUSY;
    return seen - HistorySlots.stateOf(seen) + (isLapped ? HistorySlots.REFUSED : state);
  }

  static IllegalStateException noOpenClaim(long offset) {
    return new IllegalStateException("no open claim at offset " + offset);
  }

  /** A writer among any number of writers. */
  static final class Many extends HistoryWriter {
    Many(HistorySlots slots) {
      super(slots);
    }

    @Override
    public long claim() {
      // atomic: hands out each sequence once; volatile: the only form that HotSpot compiles to one
      // instruction; the stamps order the rest
      long sequence = (long) COUNT.getAndAdd(memory, HistorySlots.NEXT, 1L);
      long offset = slots.offset(sequence);
      if (!claimSlot(offset, sequence)) {
        countRefused(memory);
        return NONE;
      }
      return offset + Ring.STAMP_BYTES;
    }

    @Override
    boolean leave(long offset, long state) {
      long seen;
      long left;
      do {
        seen = (long) STAMP.getOpaque(memory, offset); // opaque: the compare-and-set decides
        left = left(seen, state, offset);
        // linearizes commit; release A, C: slot bytes; this writer has finished with them
      } while (!STAMP.weakCompareAndSetRelease(memory, offset, seen, left));
      boolean isCommitted = HistorySlots.stateOf(left) == HistorySlots.COMMITTED;
      if (!isCommitted) {
        countRefused(memory);
      }
      return isCommitted;
    }
  }

  /** The only writer, which may therefore use plain reads. */
  static final class One extends HistoryWriter {
    private final Role writer = new Role("a history of one writer allows one writer at a time");
    private final long first; // its first sequence: earlier claims are those of dead writers

    One(HistorySlots slots) {
      super(slots);
      this.first = slots.claimedCount();
    }

    @Override
    public long claim() {
      long call = 0;
      assert (call = writer.begin()) >= 0;
      // plain: only this writer writes it
      long sequence = (long) COUNT.get(memory, HistorySlots.NEXT);
      long offset = slots.offset(sequence);
      // opaque: the stamps order the records
      COUNT.setOpaque(memory, HistorySlots.NEXT, sequence + 1);
      long seen = (long) STAMP.get(memory, offset); // plain: only this writer writes it
      boolean isOpen = HistorySlots.isBeingWritten(seen) && HistorySlots.sequenceOf(seen) >= first;
      long state = isOpen ? HistorySlots.BUSY : HistorySlots.WRITING;
      // linearizes the claim; opaque: the fence orders it
      STAMP.setOpaque(memory, offset, HistorySlots.stamp(sequence, state));
      VarHandle.releaseFence(); // release B: the stamp before the slot bytes
      if (isOpen) {
        refuse();
      }
      assert writer.end(call);
      return isOpen ? NONE : offset + Ring.STAMP_BYTES;
    }

    @Override
    boolean leave(long offset, long state) {
      long call = 0;
      assert (call = writer.begin()) >= 0;
      // plain: only this writer writes it
      long left = left((long) STAMP.get(memory, offset), state, offset);
      STAMP.setRelease(memory, offset, left); // linearizes commit; release A: slot bytes
      boolean isCommitted = HistorySlots.stateOf(left) == HistorySlots.COMMITTED;
      if (!isCommitted) {
        refuse();
      }
      assert writer.end(call);
      return isCommitted;
    }

    private void refuse() {
      // plain: only this writer writes it
      long count = (long) COUNT.get(memory, HistorySlots.REFUSED_COUNT);
      COUNT.setOpaque(memory, HistorySlots.REFUSED_COUNT, count + 1); // opaque: a count
    }
  }
}
