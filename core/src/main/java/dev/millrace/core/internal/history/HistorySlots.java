package dev.millrace.core.internal.history;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The memory of a history ring: where its counts and slots are, and what a slot's stamp says.
 * Everything that writers and readers share is in it, so they may be in different processes.
 *
 * <pre>
 * 0       8     128       136    256                                256 + strideBytes
 * +-------+-----+---------+------+--------+-----------------+-----+--------+--
 * | next  | pad | refused | pad  | stamp  | record          | pad | stamp  | ...
 * +-------+-----+---------+------+--------+-----------------+-----+--------+--
 * control block                  slot 0                           slot 1
 * </pre>
 *
 * <p>Both counts are written by all writers, each on a pair of cache lines of its own; the first
 * slot begins another. Zeroed memory is an empty ring.
 *
 * <p>A stamp is one word, sequence and state:
 *
 * <pre>
 * 63                                                    2 1   0
 * +------------------------------------------------------+-----+
 * | sequence + 1                                         |state|
 * +------------------------------------------------------+-----+
 * </pre>
 *
 * <p>A record, because HotSpot trusts the finals of records: read through a constant, the fields
 * fold.
 *
 * @param memory native or mapped, from the control block on; not owned
 * @param strideBytes from one slot to the next, a multiple of 8
 * @param capacity the number of slots, any from 1 on
 */
public record HistorySlots(MemorySegment memory, long strideBytes, long capacity) {
  /** Where the number of claims lies, which is the sequence to claim next. */
  static final long NEXT = 0;

  /** Where the number of refused and aborted records lies. */
  static final long REFUSED_COUNT = NativeMemory.ALIGNMENT_BYTES;

  /** Where the slots begin. */
  static final long CONTROL_BYTES = 2 * NativeMemory.ALIGNMENT_BYTES;

  /** The largest record, in bytes. */
  public static final long MAX_RECORD_BYTES = 1 << 30;

  static final long REFUSED = 0;
  static final long COMMITTED = 1;
  static final long WRITING = 2;
  static final long BUSY = 3;

  private static final int STATE_BITS = 2;
  private static final long STATES = (1L << STATE_BITS) - 1;
  private static final VarHandle COUNT = Ring.STAMP;

  /** Checks that the memory can hold the ring. */
  public HistorySlots {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    Checks.notNull("memory", memory);
    if (!memory.isNative()) {
      throw new IllegalArgumentException("memory must be native or mapped: memory=" + memory);
    }
    if (memory.address() % NativeMemory.ALIGNMENT_BYTES != 0) {
      throw new IllegalArgumentException(
          "memory must be aligned to " + NativeMemory.ALIGNMENT_BYTES + " bytes: memory=" + memory);
    }
    long least = CONTROL_BYTES + capacity * strideBytes;
    Checks.inRange("memorySize", memory.byteSize(), least, Long.MAX_VALUE);
  }

  /**
   * Lays a ring over memory, whose contents it keeps. The memory is native or mapped, aligned to
   * 128 bytes, and has at least {@link #sizeBytes}; if it is read-only, it serves readers. The
   * capacity is from 1 to 2<sup>30</sup> records, each of 1 to {@link #MAX_RECORD_BYTES}. Throws
   * {@link IllegalArgumentException} if any of this does not hold.
   */
  public static HistorySlots over(MemorySegment memory, int capacity, long recordBytes) {
    return new HistorySlots(memory, strideBytes(recordBytes), capacity);
  }

  /**
   * How many bytes of memory a ring takes that keeps from 1 to 2<sup>30</sup> records, each of 1 to
   * {@link #MAX_RECORD_BYTES}. Throws {@link IllegalArgumentException} if a number is out of its
   * range.
   */
  public static long sizeBytes(int capacity, long recordBytes) {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    return CONTROL_BYTES + capacity * strideBytes(recordBytes);
  }

  private static long strideBytes(long recordBytes) {
    Checks.inRange("recordSize", recordBytes, 1, MAX_RECORD_BYTES);
    return Ring.strideBytes(recordBytes);
  }

  /** How many records were claimed since the beginning, committed or not. */
  public long claimedCount() {
    return (long) COUNT.getOpaque(memory, NEXT); // opaque: a count, which orders nothing else
  }

  /** How many of the claimed records were refused or aborted. */
  public long refusedCount() {
    // opaque: a count, which orders nothing else
    return (long) COUNT.getOpaque(memory, REFUSED_COUNT);
  }

  /** Where the slot of a sequence begins, with its stamp. */
  long offset(long sequence) {
    return CONTROL_BYTES + slot(sequence) * strideBytes;
  }

  /** How many slots there are from a sequence's on to the last. */
  long contiguous(long sequence) {
    return capacity - slot(sequence);
  }

  private long slot(long sequence) {
    boolean isPowerOfTwo = (capacity & (capacity - 1)) == 0; // then it costs no division
    return isPowerOfTwo ? sequence & (capacity - 1) : sequence % capacity;
  }

  /** The oldest sequence that can still be there once this many are claimed. */
  long oldest(long claimed) {
    return Math.max(0, claimed - capacity);
  }

  static long stamp(long sequence, long state) {
    return ((sequence + 1) << STATE_BITS) + state;
  }

  static long sequenceOf(long stamp) {
    return (stamp >>> STATE_BITS) - 1;
  }

  static long stateOf(long stamp) {
    return stamp & STATES;
  }

  static boolean isBeingWritten(long stamp) {
    return stateOf(stamp) >= WRITING;
  }
}
