package dev.millrace.core.internal.history;

import dev.millrace.core.internal.ring.Ring;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * One of the writers of a history ring that several processes map. If it dies, another process
 * finds out what it had claimed, refuses that, and puts the slot back to use.
 *
 * <p><b>Roles.</b> One thread at a time.
 *
 * <p><b>Progress.</b> Lock-free. A claim is repeated if another writer took the sequence.
 */
public final class SeatedHistoryWriter extends HistoryWriter {
  /*
   * The states of a slot are those of HistoryWriter. A writer announces a sequence, takes the
   * sequence, and takes the slot. It withdraws the announcement once it has left the slot. Writers
   * take sequences by compare-and-set. With get-and-add they could announce a sequence only after
   * they have it, and a writer that dies in between would leave a sequence that no other writer can
   * attribute to it. Readers would stop there for a lap.
   *
   * Invariant: a writer that is in a slot, or has a sequence that is not in a stamp yet, announces a
   * sequence of that slot. The stamp does not say which writer is in the slot. But if no writer that
   * may be alive announces a sequence of the slot, no living writer is in it, and everything
   * unfinished there is refused. Otherwise the recovery is repeated later.
   *
   * A stamp never comes back. The recovery reads the stamp before the announcements and exchanges
   * it after them, so the exchange fails if a writer took or left the slot in between.
   *
   * A writer that was recovered although it lives finds another stamp than its own when it commits.
   * Only BUSY does not say which writer is in the slot. If the writer reads BUSY and then finds that
   * it was not shut out, it is still in the slot while that stamp stays.
   *
   * A full fence follows each announcement, and a release store withdraws it.
   *
   * A  VarHandle.fullFence in          ->  STAMP.getAcquire in tryRecover,   the announcement of the
   *    EntryWords.declare                  COUNT.getAcquire in recovered     writer that took the
   *                                                                          slot or the sequence
   * B  STAMP.weakCompareAndSetRelease  ->  STAMP.getAcquire in leave         this writer was shut
   *    in tryRecover                                                         out
   * C  STAMP.weakCompareAndSetRelease  ->  STAMP.weakCompareAndSetAcquire    slot bytes; the slot may
   *    in leave and tryRecover             in HistoryWriter.claimSlot,       be overwritten
   *                                        STAMP.getAcquire in
   *                                        HistoryCursor.copy
   */
  private static final VarHandle STAMP = Ring.STAMP;
  private static final VarHandle COUNT = Ring.STAMP;

  private final HistorySeat seat;
  private final String name;
  private long claimed; // the sequence of the last claim

  /** Makes the writer of a seat. {@code name} names the ring in messages about damage. */
  public SeatedHistoryWriter(HistorySlots slots, HistorySeat seat, String name) {
    super(slots);
    this.seat = seat;
    this.name = name;
  }

  @Override
  public long claim() {
    long sequence;
    do {
      // opaque: the exchange confirms it
      sequence = HistorySlots.checkNext((long) COUNT.getOpaque(memory, HistorySlots.NEXT), name);
      seat.declare(sequence);
      // atomic: hands out each sequence once; the fence of the announcement comes before
    } while (!COUNT.weakCompareAndSetPlain(memory, HistorySlots.NEXT, sequence, sequence + 1));
    claimed = sequence;
    long offset = slots.offset(sequence);
    if (!claimSlot(offset, sequence)) {
      seat.withdraw();
      countRefused(memory);
      return NONE;
    }
    return offset + Ring.STAMP_BYTES;
  }

  @Override
  boolean leave(long offset, long state) {
    long own = HistorySlots.stamp(claimed, HistorySlots.WRITING);
    long seen;
    long left;
    do {
      seen = (long) STAMP.getAcquire(memory, offset); // acquire B: that this writer was shut out
      left = seen == own ? HistorySlots.stamp(claimed, state) : lapped(seen, offset);
      // linearizes commit; release C: slot bytes; this writer has finished with them
    } while (!STAMP.weakCompareAndSetRelease(memory, offset, seen, left));
    seat.withdraw();
    boolean isCommitted = HistorySlots.stateOf(left) == HistorySlots.COMMITTED;
    if (!isCommitted) {
      countRefused(memory);
    }
    return isCommitted;
  }

  /** What a writer that was lapped leaves, if it is still in its slot. */
  private long lapped(long seen, long offset) {
    seat.check();
    if (HistorySlots.stateOf(seen) != HistorySlots.BUSY) {
      throw noOpenClaim(offset);
    }
    return HistorySlots.stamp(HistorySlots.sequenceOf(seen), HistorySlots.REFUSED);
  }

  /**
   * Recovers what a writer has left that is gone. One thread of all processes runs it for a writer
   * at a time, and another runs it again if that dies. It sees everything that the writer did.
   * Returns whether all is recovered; if not, it is to be called again later.
   *
   * @param announced the sequence that the writer has announced, from 0
   * @param isAnnounced whether another writer that may be alive has announced a sequence that
   *     satisfies a condition
   */
  public static boolean tryRecover(
      HistorySlots slots, long announced, Predicate<LongPredicate> isAnnounced) {
    MemorySegment memory = slots.memory();
    long offset = slots.offset(announced);
    while (true) {
      // acquire A: the announcement of the writer that took the slot
      long seen = (long) STAMP.getAcquire(memory, offset);
      long left = recovered(memory, seen, announced);
      if (left == seen) {
        return true;
      }
      if (isAnnounced.test(other -> slots.offset(other) == offset)) {
        return false; // that one may be in the slot, or have taken the sequence
      }
      // atomic: no other writer took or left the slot; release B, C: the verdict; slot bytes
      if (STAMP.weakCompareAndSetRelease(memory, offset, seen, left)) {
        countRefused(memory);
      }
    }
  }

  /** What the stamp of a slot has to be if none but dead writers have announced it. */
  private static long recovered(MemorySegment memory, long seen, long announced) {
    long sequence = HistorySlots.sequenceOf(seen);
    if (sequence < announced) {
      // acquire A: the announcement of the writer that took the sequence
      boolean isTaken = (long) COUNT.getAcquire(memory, HistorySlots.NEXT) > announced;
      long state = HistorySlots.isBeingWritten(seen) ? HistorySlots.BUSY : HistorySlots.REFUSED;
      return isTaken ? HistorySlots.stamp(announced, state) : seen;
    }
    long unfinished = sequence == announced ? HistorySlots.WRITING : HistorySlots.BUSY;
    return HistorySlots.stateOf(seen) == unfinished
        ? HistorySlots.stamp(sequence, HistorySlots.REFUSED)
        : seen;
  }
}
