package dev.millrace.telemetry.internal;

import dev.millrace.core.internal.Speculative;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A table of slots with labels. All accesses that other threads and other processes rely on are in
 * this class. Counters lie in such slots. The writers of a trace log have a table of their own,
 * whose slots have no values.
 *
 * <pre>
 * a counter's slot                                  next slot
 * +-------+------+-----------------------+--------+-------+--
 * | state | info | label, in UTF-8       | value  | state | ...
 * +-------+------+-----------------------+--------+-------+--
 * 0       8      16                      256      384
 *
 * a writer's slot                                 next slot
 * +-------+------+--------------------------------+-------+--
 * | state | info | writer, type, layout, in UTF-8 | state | ...
 * +-------+------+--------------------------------+-------+--
 * 0       8      16                               1024
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
 *   state      meaning                                          next, set by the owner
 *   FREE       holds nothing, or another counter's stripe       LABELLING
 *   LABELLING  info and label are being written, values zeroed  ALLOCATED
 *   ALLOCATED  info, label and values belong together           FREE; of a writer LABELLING
 * </pre>
 *
 * <p>A counter of n stripes takes n slots in a row. The state, info and label of the first slot
 * apply to all of them. Only the values of the others are used. A writer has no stripes. The
 * generation rises each time that a slot is labelled, so no two users of a slot have the same word.
 *
 * <p>This type is a record because HotSpot trusts the final fields of records.
 *
 * @param memory the memory of the slots, the first of which is at offset 0
 * @param slotBytes the distance from one slot to the next
 * @param labelBytes the maximum length of a label in bytes
 */
public record CounterTable(MemorySegment memory, long slotBytes, int labelBytes) {
  /*
   * Only the owner changes states, one at a time, under a lock that is not visible here. Observers
   * copy a slot and then check its state again, as in a sequence lock. The slot's word serves as
   * the sequence.
   *
   * Invariants: from ALLOCATED to FREE, no thread writes info or label, and only users that got the
   * counter from the owner write its values. Non-invariant: the value of a counter may be wrong if
   * a thread still adds to it while it is freed. Such an addition may go to the slot's next
   * counter.
   *
   * A  state.setRelease in publish      ->  state.getAcquire in read  info, label, zeroed values
   * B  state.setOpaque in free and      ->  acquireFence in read      new bytes: the state is
   *    in label, releaseFence in label                                another
   * C  value.setRelease in addAlone,    ->  acquireFence in read      a later counter's value:
   *    and in set; releaseFence in                                    the state is another
   *    label, which add carries on
   */

  /** The state of a slot that holds no counter. */
  public static final long FREE = 0;

  /** The state of a slot that is being written. */
  public static final long LABELLING = 1;

  /** The state of a slot whose contents are complete. */
  public static final long ALLOCATED = 2;

  /** The kind of a counter, which only rises. */
  public static final int COUNTER = 1;

  /** The kind of a gauge, which rises and falls. */
  public static final int GAUGE = 2;

  /** The kind of a trace log's writer. */
  public static final int WRITER = 3;

  /**
   * The distance from one counter's slot to the next: the head, and a pair of cache lines for the
   * value.
   */
  public static final long SLOT_BYTES = 384;

  /** The distance from one writer's slot to the next. */
  public static final long WRITER_SLOT_BYTES = 1024;

  private static final long INFO = 8;
  private static final int LABEL = 16;
  private static final int VALUE = 256;

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

  /**
   * The contents of a slot, as an observer has read them.
   *
   * @param generation the generation of the slot
   * @param info the kind, the number of stripes and the length of the label, as they are in memory
   * @param kind the kind of what the slot holds; 0 if the info cannot be valid in this table
   * @param stripes the number of values
   * @param label the label
   * @param value the sum of the stripes
   */
  public record Copy(long generation, long info, int kind, int stripes, String label, long value) {}

  /** Makes the table of the counters in {@code memory}. */
  public static CounterTable ofCounters(MemorySegment memory) {
    return new CounterTable(memory, SLOT_BYTES, VALUE - LABEL);
  }

  /** Makes the table of a trace log's writers in {@code memory}. */
  public static CounterTable ofWriters(MemorySegment memory) {
    return new CounterTable(memory, WRITER_SLOT_BYTES, (int) WRITER_SLOT_BYTES - LABEL);
  }

  /** Returns how many slots there are. */
  public int capacity() {
    return (int) (memory.byteSize() / slotBytes);
  }

  private long offset(int slot) {
    return slot * slotBytes;
  }

  // ---- words ----

  /** Returns the generation in a slot's word. */
  public static long generationOf(long word) {
    return word >>> STATE_BITS;
  }

  /** Returns the state in a slot's word. */
  public static long stateOf(long word) {
    return word & STATES;
  }

  /**
   * Makes room for {@code bytes} bytes in whole words, because memory that may be changing is read
   * word by word.
   */
  private static ByteBuffer words(int bytes) {
    int count = (bytes + Long.BYTES - 1) / Long.BYTES;
    return ByteBuffer.allocate(count * Long.BYTES).order(ByteOrder.nativeOrder());
  }

  // ---- the owner ----

  /**
   * Takes slots that are not in use, one for each stripe, and writes what they will hold. {@code
   * slot} is the first of them. Each stripe is a value in a slot. If there are no values, {@code
   * stripes} is 0. {@code label} is in UTF-8 and no longer than {@link #labelBytes}.
   */
  public void label(int slot, int kind, int stripes, byte[] label) {
    ByteBuffer words = words(label.length).put(0, label);
    long info = kind | ((long) stripes << STRIPES_SHIFT) | ((long) label.length << LENGTH_SHIFT);
    long offset = offset(slot);
    long word = (long) STATE.get(memory, offset); // plain: only the owner writes states
    // opaque: the fence orders it
    STATE.setOpaque(memory, offset, ((generationOf(word) + 1) << STATE_BITS) | LABELLING);
    VarHandle.releaseFence(); // release B: this state, and that all slots were freed
    memory.set(ValueLayout.JAVA_LONG, offset + INFO, info);
    for (int at = 0; at < words.capacity(); at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, offset + LABEL + at, words.getLong(at));
    }
    for (int i = 0; i < stripes; i++) {
      // opaque: observers of an earlier counter may read it, but will find the state changed
      VALUES.setOpaque(memory, valueAt(slot + i), 0L);
    }
  }

  /** Makes a labelled slot visible. Returns the word that the slot has until it is freed. */
  public long publish(int slot) {
    long offset = offset(slot);
    long word = (long) STATE.get(memory, offset); // plain: only the owner writes states
    long allocated = (word & ~STATES) | ALLOCATED;
    STATE.setRelease(memory, offset, allocated); // release A: info, label, zeroed values
    return allocated;
  }

  /** Frees {@code slot}, which has the word {@code word}. */
  public void free(int slot, long word) {
    STATE.setOpaque(memory, offset(slot), word & ~STATES); // opaque: the next fence orders it
  }

  // ---- owners ----

  /** Returns the offset of the value in a counter's slot. */
  public static long valueAt(int slot) {
    return slot * SLOT_BYTES + VALUE;
  }

  // The memory is an argument because it is a constant in CounterValues.

  /** Adds {@code delta} to a value that only one thread at a time changes. */
  public static void addAlone(MemorySegment memory, long at, long delta) {
    long value = (long) VALUES.get(memory, at); // plain: no other thread writes it
    VALUES.setRelease(memory, at, value + delta); // release C: that the slot was labelled
  }

  /** Adds {@code delta} to a value that any number of threads may change. */
  public static void add(MemorySegment memory, long at, long delta) {
    // atomic: no addition is lost, and the update continues the release sequence of the zero before
    // it; volatile: the only form that HotSpot compiles to one instruction
    long _ = (long) VALUES.getAndAdd(memory, at, delta);
  }

  /** Sets a value. */
  public static void set(MemorySegment memory, long at, long value) {
    VALUES.setRelease(memory, at, value); // release C: that it was labelled
  }

  /** Returns the sum of the values of {@code stripes} slots, the first of which is {@code slot}. */
  public long sum(int slot, int stripes) {
    long sum = 0;
    for (int i = 0; i < stripes; i++) {
      sum += (long) VALUES.getOpaque(memory, valueAt(slot + i)); // opaque: a count
    }
    return sum;
  }

  // ---- observers ----

  /** Reads a slot; returns a consistent copy, or null if the slot is not allocated. */
  public Copy read(int slot) {
    while (true) {
      // acquire A: sees ALLOCATED from publish, hence info, label, zeroed values
      long word = (long) STATE.getAcquire(memory, offset(slot));
      if (stateOf(word) != ALLOCATED) {
        return null;
      }
      Copy copy = copy(slot, word);
      VarHandle.acquireFence(); // acquire B, C: the copy before the second read of the state
      if ((long) STATE.getOpaque(memory, offset(slot)) == word) { // opaque: the fence orders it
        return copy;
      }
    }
  }

  /**
   * Copies a slot that the owner may be changing. {@link #read} checks the state again afterwards.
   */
  @Speculative
  private Copy copy(int slot, long word) {
    long info = memory.get(ValueLayout.JAVA_LONG, offset(slot) + INFO);
    int stripes = (int) ((info >>> STRIPES_SHIFT) & MOST_STRIPES);
    int bytes = (int) (info >>> LENGTH_SHIFT);
    if (stripes > capacity() - slot || bytes < 0 || bytes > labelBytes) {
      return new Copy(generationOf(word), info, 0, 0, "", 0); // the memory is damaged, or changing
    }
    ByteBuffer words = words(bytes);
    for (int at = 0; at < words.capacity(); at += Long.BYTES) {
      words.putLong(at, memory.get(ValueLayout.JAVA_LONG, offset(slot) + LABEL + at));
    }
    String label = StandardCharsets.UTF_8.decode(words.limit(bytes)).toString();
    int kind = (int) (info & KINDS);
    return new Copy(generationOf(word), info, kind, stripes, label, sum(slot, stripes));
  }

  /** Returns the word of a slot, whether the slot is allocated or not. */
  public long word(int slot) {
    return (long) STATE.getOpaque(memory, offset(slot)); // opaque: it orders nothing else
  }
}
