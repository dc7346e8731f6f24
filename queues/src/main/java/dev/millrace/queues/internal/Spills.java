package dev.millrace.queues.internal;

import dev.millrace.core.Sequence;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Keeps the records of a queue that do not fit into their slots, in a table with a place for each
 * slot. There is no table until there is such a record.
 *
 * <p><b>Roles.</b> The thread that holds a slot after a claim or a poll may put and remove its
 * record. Any thread may read.
 *
 * <p><b>Progress.</b> {@link #put} is lock-free. All other methods are wait-free.
 */
public final class Spills {
  /*
   * A producer puts an entry at the place of the slot that it has claimed, and then commits. The
   * commit publishes the slot, the entry and the table. A consumer looks for the entry after its
   * poll, and removes it once the slot is released. If it removed the entry earlier, a thread that
   * looks at records without taking them could find neither the entry nor that the slot is
   * released. After the release, the next producer of the slot may put its own entry. So a consumer
   * removes an entry only if it is still there.
   *
   * An entry has the sequence of its record. So an entry whose claim was given up is never mistaken
   * for that of a later record. Its producer removes it.
   *
   * A  ENTRY.compareAndExchangeRelease  ->  VarHandle.acquireFence in     the slot is released
   *    in remove                            RecordStore.copyRecord
   */

  /** A record that did not fit, and its sequence. */
  private record Entry(long sequence, Object record) {}

  private final int slots;
  private final Sequence count = new Sequence();

  @SuppressWarnings("unused") // through TABLE
  private Entry[] table; // null until a record does not fit

  /** Prepares for the records of a queue with {@code slots} slots, which must be a power of two. */
  Spills(int slots) {
    this.slots = slots;
  }

  /** Keeps {@code record} for the slot of {@code sequence}, which was claimed for it. */
  public void put(long sequence, Object record) {
    Entry[] entries = entries();
    while (entries == null) {
      // atomic: only one table is kept
      boolean _ = TABLE.weakCompareAndSetPlain(this, (Entry[]) null, new Entry[slots]);
      entries = entries();
    }
    // opaque: the commit orders it
    ENTRY.setOpaque(entries, index(sequence), new Entry(sequence, record));
    count.getAndAddPlain(1); // atomic: a count
  }

  private Entry[] entries() {
    return (Entry[]) TABLE.getOpaque(this); // opaque: the commit, or the exchange, orders it
  }

  /**
   * Returns the record that is kept for the slot of {@code sequence}; null if it is in the slot
   * itself or is no longer there.
   */
  public Object find(long sequence) {
    Entry[] entries = entries();
    if (entries == null) {
      return null;
    }
    // opaque: the poll orders it, or a fence afterwards
    Entry entry = (Entry) ENTRY.getOpaque(entries, index(sequence));
    return entry != null && entry.sequence == sequence ? entry.record : null;
  }

  /**
   * Removes the record that is kept for the slot of {@code sequence}, if there is one. The slot
   * must have been released, or its claim given up.
   */
  public void remove(long sequence) {
    Entry[] entries = entries();
    if (entries == null) {
      return;
    }
    int index = index(sequence);
    Entry entry = (Entry) ENTRY.getOpaque(entries, index); // opaque: the exchange confirms it
    if (entry != null && entry.sequence == sequence) {
      // release A: the slot is released; atomic: the next producer's entry stays
      Entry _ = (Entry) ENTRY.compareAndExchangeRelease(entries, index, entry, (Entry) null);
    }
  }

  /** Returns how many records have not fitted into their slots since the queue was made. */
  public long count() {
    return count.getOpaque(); // opaque: a count
  }

  private int index(long sequence) {
    return (int) sequence & (slots - 1);
  }

  private static final VarHandle TABLE =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "table", VarHandle.class, Spills.class, Entry[].class)
          .withInvokeExactBehavior();
  private static final VarHandle ENTRY =
      MethodHandles.arrayElementVarHandle(Entry[].class).withInvokeExactBehavior();
}
