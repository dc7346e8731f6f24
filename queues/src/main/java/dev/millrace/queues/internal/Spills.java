package dev.millrace.queues.internal;

import dev.millrace.core.Sequence;
import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The records of a queue that do not fit into their slots, in a table with a place for each slot.
 * There is no table until one does not fit.
 *
 * <p><b>Roles.</b> The thread that holds a slot, after the claim or after the poll, puts and
 * removes; any thread may read.
 *
 * <p><b>Progress.</b> Wait-free, but for {@link #put}, which is lock-free.
 */
public final class Spills {
  /*
   * A producer puts an entry at the place of the slot that it has claimed, then commits; what
   * publishes the slot publishes the entry, and the table. A consumer looks for it after its poll,
   * and removes it once the slot is released: earlier, a thread that looks at records without
   * taking them could find neither the entry nor that the slot is released. By then the next
   * producer of the slot may have put another entry, so an entry is removed only if it is still
   * there.
   *
   * An entry has the sequence of its record. So one that is left by a claim that was given up
   * belongs to no other record, until its producer removes it.
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

  /** Makes the place for the records of a queue, whose number of slots is a power of two. */
  Spills(int slots) {
    this.slots = slots;
  }

  /** Keeps a record next to the slot that was claimed for it. */
  public void put(long sequence, Object record) {
    Entry[] entries = entries();
    while (entries == null) {
      // atomic: one table is made
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
   * Returns the record that is kept next to a slot; null if it is in the slot, or is no longer
   * there.
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
   * Lets go of a record, if one is kept next to a slot that is released, or whose claim was given
   * up.
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

  /** How many records did not fit since the queue was made. */
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
