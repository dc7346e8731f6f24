package dev.millrace.telemetry;

import dev.millrace.core.internal.Speculative;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The slots that counters lie in, and the life of a slot: all accesses that other threads and other
 * processes rely on stand here.
 *
 * <pre>
 * slot                                              next slot
 * +-------+------+-----------------------+--------+-------+--
 * | state | info | label, in UTF-8       | value  | state | ...
 * +-------+------+-----------------------+--------+-------+--
 * 0       8      16                      256      384
 *
 *  63                             2 1     0
 * +--------------------------------+-------+
 * | generation                     | state |    the word of the state
 * +--------------------------------+-------+
 *
 *  63                32 31     8 7        0
 * +--------------------+---------+--------+
 * | bytes of the label | stripes | kind   |    the info
 * +--------------------+---------+--------+
 *
 *   state      meaning                                          leaves to
 *   FREE       holds no counter, or another's stripe            LABELLING, by the owner
 *   LABELLING  info and label are being written, values zeroed  ALLOCATED, by the owner
 *   ALLOCATED  info, label and values belong together           FREE, by the owner
 * </pre>
 *
 * <p>A counter of n stripes takes n slots in a row; the first one's state, info and label are those
 * of all, of the others only the value is used. The generation rises each time that a slot leaves
 * FREE, so no two counters of a slot have the same word.
 *
 * <p>A record, because HotSpot trusts the finals of records.
 *
 * @param memory the slots, from offset 0
 */
record CounterTable(MemorySegment memory) {
  /*
   * Changes of states are the owner's, one at a time: its lock is not seen here. Observers copy and
   * then look at the state again, as in a sequence lock; here the sequence is the slot's word.
   *
   * Invariants: between ALLOCATED and FREE of one word nobody writes info and label, and values only
   * who got the counter from the owner. Non-invariant: the value of a counter that is freed while
   * somebody still adds to it; such an addition may fall to the slot's next counter.
   *
   * A  state.setRelease in publish      ->  state.getAcquire in read  info, label, zeroed values
   * B  state.setOpaque in free and      ->  acquireFence in read      new bytes: the state is
   *    in label, releaseFence in label                                another
   * C  value.setRelease in addAlone,    ->  acquireFence in read      a later counter's value:
   *    and in set; releaseFence in                                    the state is another
   *    label, which add carries on
   */

  /** Holds no counter. */
  static final long FREE = 0;

  /** Is being written. */
  static final long LABELLING = 1;

  /** Is whole. */
  static final long ALLOCATED = 2;

  /** The kind of what only rises. */
  static final int COUNTER = 1;

  /** The kind of what rises and falls. */
  static final int GAUGE = 2;

  /** From one slot to the next: the head, and the value's pair of lines. */
  static final long SLOT_BYTES = 384;

  /** The longest label. */
  static final int LABEL_BYTES = 240;

  private static final long INFO = 8;
  private static final long LABEL = 16;
  private static final long VALUE = 256;

  private static final int STATE_BITS = 2;
  private static final long STATES = (1L << STATE_BITS) - 1;
  private static final int STRIPES_SHIFT = 8;
  private static final int LENGTH_SHIFT = 32;
  private static final long KINDS = (1L << STRIPES_SHIFT) - 1;
  private static final long MOST_STRIPES = (1L << (LENGTH_SHIFT - STRIPES_SHIFT)) - 1;

  private static final VarHandle STATE =
      ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final VarHandle VALUES =
      ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  /** What an observer has seen of a slot. */
  static final class Copy {
    final long word;
    final long info;
    final long[] label; // its bytes, 8 to a word
    final long value; // the sum of the stripes

    Copy(long word, long info, long[] label, long value) {
      this.word = word;
      this.info = info;
      this.label = label;
      this.value = value;
    }
  }

  int capacity() {
    return (int) (memory.byteSize() / SLOT_BYTES);
  }

  static long offset(int slot) {
    return slot * SLOT_BYTES;
  }

  // ---- words ----

  static long info(int kind, int stripes, int labelBytes) {
    return kind | ((long) stripes << STRIPES_SHIFT) | ((long) labelBytes << LENGTH_SHIFT);
  }

  static int kindOf(long info) {
    return (int) (info & KINDS);
  }

  static int stripesOf(long info) {
    return (int) ((info >>> STRIPES_SHIFT) & MOST_STRIPES);
  }

  static long labelBytesOf(long info) {
    return info >>> LENGTH_SHIFT;
  }

  static long generationOf(long word) {
    return word >>> STATE_BITS;
  }

  static long stateOf(long word) {
    return word & STATES;
  }

  /** Whether an info can be of a slot: in a file that is damaged it may not. */
  boolean fits(int slot, long info) {
    return stripesOf(info) > 0
        && stripesOf(info) <= capacity() - slot
        && labelBytesOf(info) <= LABEL_BYTES;
  }

  private static int labelWords(long info) {
    return (int) ((labelBytesOf(info) + Long.BYTES - 1) / Long.BYTES);
  }

  // ---- the owner ----

  /**
   * Takes a free slot and those of its stripes, and writes what they are to hold.
   *
   * @param slot the first slot
   * @param info what {@link #info} made
   * @param label the label's bytes, 8 to a word
   */
  void label(int slot, long info, long[] label) {
    long offset = offset(slot);
    long word = (long) STATE.get(memory, offset); // plain: only the owner writes states
    // opaque: the fence orders it
    STATE.setOpaque(memory, offset, ((generationOf(word) + 1) << STATE_BITS) | LABELLING);
    VarHandle.releaseFence(); // release B: this state, and that all slots were freed
    memory.set(ValueLayout.JAVA_LONG, offset + INFO, info);
    for (int i = 0; i < label.length; i++) {
      memory.set(ValueLayout.JAVA_LONG, offset + LABEL + i * (long) Long.BYTES, label[i]);
    }
    for (int i = 0; i < stripesOf(info); i++) {
      // opaque: observers of a former counter may look, and will find the state changed
      VALUES.setOpaque(memory, valueAt(slot + i), 0L);
    }
  }

  /**
   * Makes a labelled slot visible.
   *
   * @param slot the slot
   * @return its word from now on, until it is freed
   */
  long publish(int slot) {
    long offset = offset(slot);
    long word = (long) STATE.get(memory, offset); // plain: only the owner writes states
    long allocated = (word & ~STATES) | ALLOCATED;
    STATE.setRelease(memory, offset, allocated); // release A: info, label, zeroed values
    return allocated;
  }

  /**
   * Frees a slot.
   *
   * @param slot the slot
   * @param word its word
   */
  void free(int slot, long word) {
    STATE.setOpaque(memory, offset(slot), word & ~STATES); // opaque: the next fence orders it
  }

  // ---- who has the counter ----

  /** Where the value of a slot lies. */
  static long valueAt(int slot) {
    return offset(slot) + VALUE;
  }

  // The memory is an argument, for CounterValues has it as a constant.

  /** Adds, if no other thread does. */
  static void addAlone(MemorySegment memory, long at, long delta) {
    long value = (long) VALUES.get(memory, at); // plain: nobody else writes it
    VALUES.setRelease(memory, at, value + delta); // release C: that the slot was labelled
  }

  /** Adds, whoever else does. */
  static void add(MemorySegment memory, long at, long delta) {
    // atomic: no addition is lost, and an update carries on the release of the zero before it;
    // volatile: only of that form HotSpot makes one instruction
    long _ = (long) VALUES.getAndAdd(memory, at, delta);
  }

  /** Sets a value. */
  static void set(MemorySegment memory, long at, long value) {
    VALUES.setRelease(memory, at, value); // release C: that it was labelled
  }

  /** Sums up the values of a row of slots. */
  long sum(int slot, int stripes) {
    long sum = 0;
    for (int i = 0; i < stripes; i++) {
      sum += (long) VALUES.getOpaque(memory, valueAt(slot + i)); // opaque: a count
    }
    return sum;
  }

  // ---- observers ----

  /**
   * Reads a slot.
   *
   * @param slot the slot
   * @return what belongs together, or null if the slot is not allocated
   */
  Copy read(int slot) {
    while (true) {
      // acquire A: sees ALLOCATED from publish, hence info, label, zeroed values
      long word = (long) STATE.getAcquire(memory, offset(slot));
      if (stateOf(word) != ALLOCATED) {
        return null;
      }
      Copy copy = copy(slot, word);
      VarHandle.acquireFence(); // acquire B, C: the copy before the second look
      if ((long) STATE.getOpaque(memory, offset(slot)) == word) { // opaque: the fence orders it
        return copy;
      }
    }
  }

  /** Copies what the owner may be changing; the state tells afterwards. */
  @Speculative
  private Copy copy(int slot, long word) {
    long info = memory.get(ValueLayout.JAVA_LONG, offset(slot) + INFO);
    if (!fits(slot, info)) {
      return new Copy(word, info, new long[0], 0);
    }
    long[] label = new long[labelWords(info)];
    for (int i = 0; i < label.length; i++) {
      label[i] = memory.get(ValueLayout.JAVA_LONG, offset(slot) + LABEL + i * (long) Long.BYTES);
    }
    return new Copy(word, info, label, sum(slot, stripesOf(info)));
  }

  /** The state of a slot, for who counts them. */
  long state(int slot) {
    return stateOf((long) STATE.getOpaque(memory, offset(slot))); // opaque: a look
  }
}
