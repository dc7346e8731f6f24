package dev.millrace.core.internal.history;

import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.internal.Checks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The memory of a history ring: where its counts and slots are, and what a slot's stamp says. The
 * memory holds everything that writers and readers share, so they may be in different processes.
 *
 * <pre>
 * 0       8     128       136    256                                256 + strideBytes
 * +-------+-----+---------+------+--------+-----------------+-----+--------+--
 * | next  | pad | refused | pad  | stamp  | record          | pad | stamp  | ...
 * +-------+-----+---------+------+--------+-----------------+-----+--------+--
 * control block                  slot 0                           slot 1
 * </pre>
 *
 * <p>All writers write both counts. Each count has a pair of cache lines of its own, and the first
 * slot begins on a third pair. Zeroed memory is an empty ring.
 *
 * <p>A stamp holds a sequence and a state in one word:
 *
 * <pre>
 * 63                                                    2 1   0
 * +------------------------------------------------------+-----+
 * | sequence + 1                                         |state|
 * +------------------------------------------------------+-----+
 * </pre>
 *
 * <p>This type is a record because HotSpot trusts the final fields of records. If they are read
 * through a constant, the compiler treats them as constants.
 *
 * @param memory the native or mapped memory, which begins with the control block; the ring does not
 *     own it
 * @param strideBytes the distance from one slot to the next, a multiple of 8
 * @param capacity the number of slots, which may be any number from 1 on
 */
public record HistorySlots(MemorySegment memory, long strideBytes, long capacity) {
  /** The offset of the number of claims, which is also the sequence to claim next. */
  static final long NEXT = 0;

  /** The offset of the number of refused and aborted records. */
  static final long REFUSED_COUNT = NativeMemory.ALIGNMENT_BYTES;

  /** The size of the control block, behind which the slots begin. */
  static final long CONTROL_BYTES = 2 * NativeMemory.ALIGNMENT_BYTES;

  /** The largest record, in bytes. */
  public static final long MAX_RECORD_BYTES = 1 << 30;

  static final long REFUSED = 0;
  static final long COMMITTED = 1;
  static final long WRITING = 2;
  static final long BUSY = 3;

  private static final long MAX_SEQUENCE = 1L << 60; // far less than a stamp holds
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
   * Lays a ring over {@code memory} without changing its contents. The memory must be native or
   * mapped, aligned to 128 bytes, and have at least {@link #sizeBytes}. Read-only memory serves
   * readers only. {@code capacity} must be in 1..2<sup>30</sup>, and {@code recordBytes} in
   * 1..{@link #MAX_RECORD_BYTES}. Throws {@link IllegalArgumentException} if any of this does not
   * hold.
   */
  public static HistorySlots over(MemorySegment memory, int capacity, long recordBytes) {
    return new HistorySlots(memory, strideBytes(recordBytes), capacity);
  }

  /**
   * Returns how many bytes of memory a ring takes that keeps {@code capacity} records of {@code
   * recordBytes} each. Throws {@link IllegalArgumentException} if {@code capacity} is not in
   * 1..2<sup>30</sup> or {@code recordBytes} is not in 1..{@link #MAX_RECORD_BYTES}.
   */
  public static long sizeBytes(int capacity, long recordBytes) {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    return CONTROL_BYTES + capacity * strideBytes(recordBytes);
  }

  private static long strideBytes(long recordBytes) {
    Checks.inRange("recordSize", recordBytes, 1, MAX_RECORD_BYTES);
    return Ring.strideBytes(recordBytes);
  }

  /** Returns how many records have ever been claimed, committed or not. */
  public long claimedCount() {
    return (long) COUNT.getOpaque(memory, NEXT); // opaque: a count, which orders nothing else
  }

  /** Returns how many of the claimed records were refused or aborted. */
  public long refusedCount() {
    // opaque: a count, which orders nothing else
    return (long) COUNT.getOpaque(memory, REFUSED_COUNT);
  }

  /** Returns whether there can be a sequence. */
  static boolean isPossible(long sequence) {
    return sequence >= 0 && sequence <= MAX_SEQUENCE;
  }

  /**
   * Returns {@code next}, a number of claims from memory that another process may have damaged. If
   * it is out of range, throws an {@link UncheckedIOException} that names the ring.
   */
  static long checkNext(long next, String name) {
    if (!isPossible(next)) {
      throw new UncheckedIOException(
          new IOException(
              "history is damaged: claimed is %d, not in 0..%d, %s"
                  .formatted(next, MAX_SEQUENCE, name)));
    }
    return next;
  }

  /** Returns the offset of the slot of {@code sequence}, which begins with its stamp. */
  long offset(long sequence) {
    return CONTROL_BYTES + slot(sequence) * strideBytes;
  }

  /** Returns how many slots there are from that of {@code sequence} to the last, both included. */
  long contiguous(long sequence) {
    return capacity - slot(sequence);
  }

  private long slot(long sequence) {
    boolean isPowerOfTwo = (capacity & (capacity - 1)) == 0; // then there is no division
    return isPowerOfTwo ? sequence & (capacity - 1) : sequence % capacity;
  }

  /** Returns the oldest sequence that can still be in the ring after {@code claimed} claims. */
  public long oldest(long claimed) {
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
