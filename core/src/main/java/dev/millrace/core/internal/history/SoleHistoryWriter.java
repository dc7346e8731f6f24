package dev.millrace.core.internal.history;

import dev.millrace.core.internal.ring.Ring;
import java.lang.invoke.VarHandle;

/**
 * The only writer of a history ring that several processes map. Another process may take its place
 * when it has died.
 *
 * <p><b>Roles.</b> One thread of all processes at a time, which has the only seat.
 */
public final class SoleHistoryWriter extends HistoryWriter {
  /*
   * A writer that dies may leave its last sequence without a stamp, or being written. Readers would
   * stop there for a lap, so the recovery refuses it. The recovery runs once the writer's process
   * has ended and before another writer takes the seat. It sees everything that the writer did, and
   * the next writer sees everything that it did, so its accesses need no order of their own.
   */
  private static final VarHandle STAMP = Ring.STAMP;

  private final HistoryWriter writer;
  private final HistorySeat seat;
  private final String name;

  /** Makes the writer of a seat. {@code name} names the ring in messages about damage. */
  public SoleHistoryWriter(HistorySlots slots, HistorySeat seat, String name) {
    super(slots);
    this.writer = ofOne(slots);
    this.seat = seat;
    this.name = name;
  }

  @Override
  public long claim() {
    seat.check();
    HistorySlots.checkNext(slots.claimedCount(), name);
    return writer.claim();
  }

  @Override
  boolean leave(long offset, long state) {
    seat.check();
    return writer.leave(offset, state);
  }

  /**
   * Refuses the record that a writer which is gone has left unfinished, if it did. If the memory is
   * damaged, the next claim reports that.
   */
  public static void recover(HistorySlots slots) {
    long last = slots.claimedCount() - 1;
    if (!HistorySlots.isPossible(last)) {
      return; // nothing was claimed
    }
    long offset = slots.offset(last);
    // plain: as the dead left it
    long seen = (long) STAMP.get(slots.memory(), offset);
    if (HistorySlots.sequenceOf(seen) < last
        || seen == HistorySlots.stamp(last, HistorySlots.WRITING)) {
      // opaque: nothing is read from a refused slot
      STAMP.setOpaque(slots.memory(), offset, HistorySlots.stamp(last, HistorySlots.REFUSED));
      countRefused(slots.memory());
    }
  }
}
