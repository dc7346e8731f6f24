package dev.millrace.core.internal.ring;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Slots of the same size in off-heap memory, and the layout of a slot.
 *
 * <pre>
 * slot 0                            slot 1
 * +--------+-----------------+-----+--------+--
 * | stamp  | record          | pad | stamp  | ...
 * +--------+-----------------+-----+--------+--
 * 0        8                       strideBytes
 * </pre>
 *
 * <p>The stamp says which sequence's record the slot holds. What its values mean is up to the type
 * that uses the ring. The stamp is next to the record, so that one cache miss brings both.
 *
 * @param memory the memory of the slots
 * @param strideBytes the distance from one slot to the next
 * @param mask the number of slots, a power of two, less 1
 * @param stamps the stamps of the slots, used where many threads claim them
 */
public record Ring(MemorySegment memory, long strideBytes, long mask, Stamps stamps) {
  /*
   * A  STAMP.setRelease in writeStamp  ->  STAMP.getAcquire in readStamp    A and B of the rings
   */

  /** The number of bytes before a slot's record. */
  public static final long STAMP_BYTES = 8;

  /** The position of a flyweight that is on no record: every access from there throws. */
  public static final long NOWHERE = Long.MIN_VALUE / 2;

  /** Returned instead of a sequence if no slot is free or no record is there. */
  public static final int NONE = -1;

  /** Returned instead of a sequence if no claim succeeds any more. */
  public static final int CLOSED = -3;

  /** What is read instead of a stamp once the memory is freed. No stamp has this value. */
  public static final long FREED = -1;

  /** Accesses a slot's stamp: {@code (long) STAMP.getAcquire(memory, slotOffset)}. */
  public static final VarHandle STAMP = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  /** Makes a ring of {@code mask + 1} slots, which must be a power of two. */
  public Ring(MemorySegment memory, long strideBytes, long mask) {
    this(memory, strideBytes, mask, Stamps.of(memory, strideBytes, mask + 1));
  }

  /** Returns where a sequence's slot begins, in bytes from the start of the memory. */
  public long offset(long sequence) {
    return (sequence & mask) * strideBytes;
  }

  /** Returns where a sequence's record begins, in bytes from the start of the memory. */
  public long recordOffset(long sequence) {
    return offset(sequence) + STAMP_BYTES;
  }

  /**
   * Reads a slot's stamp; returns {@link #FREED} if the memory is freed. Everything done before the
   * stamp was written is visible.
   */
  long readStamp(long sequence) {
    try {
      return (long) STAMP.getAcquire(memory, offset(sequence)); // acquire A: what was done before
    } catch (IllegalStateException e) {
      return FREED;
    }
  }

  /** Writes a stamp that hands its slot on; returns false if the memory is freed. */
  boolean writeStamp(long sequence, long stamp) {
    try {
      STAMP.setRelease(memory, offset(sequence), stamp); // release A: what was done before
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /**
   * Returns how many bytes {@code slots} slots take. In a loop over a run, a constant factor lets
   * the JIT compiler check the bounds of the memory once instead of for each record. The usual
   * sizes therefore have one.
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

  /**
   * Returns the offset of the record {@code index} of a run that begins at {@code sequence}. The
   * run must not go beyond the end of the memory.
   */
  public long recordOffset(long sequence, int index) {
    return recordOffset(sequence) + distance(index);
  }

  /**
   * Returns how many slots there are from that of {@code sequence} to the end of the memory, at
   * least 1.
   */
  public long contiguous(long sequence) {
    return mask + 1 - (sequence & mask);
  }

  /**
   * Returns the size of a slot for a record of {@code recordBytes}: stamp, record and padding to a
   * multiple of 8.
   */
  public static long strideBytes(long recordBytes) {
    return (STAMP_BYTES + recordBytes + 7) & -8L;
  }
}
