package dev.millrace.core.internal.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Slots of one size in off-heap memory, and what a slot looks like.
 *
 * <pre>
 * slot 0                            slot 1
 * +--------+-----------------+-----+--------+--
 * | stamp  | record          | pad | stamp  | ...
 * +--------+-----------------+-----+--------+--
 * 0        8                       strideBytes
 * </pre>
 *
 * <p>The stamp says which sequence's record the slot holds; what its values mean is up to the type
 * that uses the ring. It is next to the record, so that one cache miss brings both.
 *
 * @param memory of the slots
 * @param strideBytes from one slot to the next
 * @param mask the number of slots, a power of two, less 1
 * @param stamps of the slots, where many threads claim them
 */
public record Ring(MemorySegment memory, long strideBytes, long mask, Stamps stamps) {
  /*
   * A  STAMP.setRelease in writeStamp  ->  STAMP.getAcquire in readStamp    A and B of the rings
   */

  /** The bytes before a slot's record. */
  public static final long STAMP_BYTES = 8;

  /** The position of a flyweight that is on no record: every access from there throws. */
  public static final long NOWHERE = Long.MIN_VALUE / 2;

  /** Returned instead of a sequence: no slot is free, or no record is there. */
  public static final int NONE = -1;

  /** Returned instead of a sequence: no claim succeeds any more. */
  public static final int CLOSED = -3;

  /** What is read instead of a stamp once the memory is freed. No stamp has this value. */
  public static final long FREED = -1;

  /** Accesses a slot's stamp: {@code (long) STAMP.getAcquire(memory, slotOffset)}. */
  public static final VarHandle STAMP = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  /** Makes a ring of a number of slots that is {@code mask + 1}, a power of two. */
  public Ring(MemorySegment memory, long strideBytes, long mask) {
    this(memory, strideBytes, mask, Stamps.of(memory, strideBytes, mask + 1));
  }

  /** Where a sequence's slot begins, in bytes from the start of the memory. */
  public long offset(long sequence) {
    return (sequence & mask) * strideBytes;
  }

  /** Where a sequence's record begins, in bytes from the start of the memory. */
  public long recordOffset(long sequence) {
    return offset(sequence) + STAMP_BYTES;
  }

  /** Reads a slot's stamp, or {@link #FREED}, and with it what was done before it was written. */
  long readStamp(long sequence) {
    try {
      return (long) STAMP.getAcquire(memory, offset(sequence)); // acquire A: what was done before
    } catch (IllegalStateException e) {
      return FREED;
    }
  }

  /** Writes a stamp that hands its slot on; false if the memory is freed. */
  boolean writeStamp(long sequence, long stamp) {
    try {
      STAMP.setRelease(memory, offset(sequence), stamp); // release A: what was done before
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /**
   * How far apart two slots are, in bytes. In a loop over a run, a constant factor lets the JIT
   * check the bounds of the memory once and not for each record: so the usual sizes have one.
   */
  public long distance(int slots) {
    return switch ((int) strideBytes) { // layouts are below 2 GiB: none wraps to a small size
      case 8 -> slots * 8L;
      case 16 -> slots * 16L;
      case 24 -> slots * 24L;
      case 32 -> slots * 32L;
      case 40 -> slots * 40L;
      case 48 -> slots * 48L;
      case 56 -> slots * 56L;
      case 64 -> slots * 64L;
      default -> slots * strideBytes;
    };
  }

  /** Where a record of a run lies, which does not go beyond the end of the memory. */
  public long recordOffset(long sequence, int index) {
    return recordOffset(sequence) + distance(index);
  }

  /** How many slots there are from a sequence's on to the end of the memory, at least 1. */
  public long contiguous(long sequence) {
    return mask + 1 - (sequence & mask);
  }

  /** The size of a slot for a record of a size: stamp, record and padding to a multiple of 8. */
  public static long strideBytes(long recordBytes) {
    return (STAMP_BYTES + recordBytes + 7) & -8L;
  }
}
