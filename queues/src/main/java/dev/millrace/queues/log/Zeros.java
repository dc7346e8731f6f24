package dev.millrace.queues.log;

import dev.millrace.core.internal.Speculative;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Finds the first byte in memory that is not zero. An opening that has lost the log may write to
 * the memory at the same time. However, it notices the loss before it reports anything as durable.
 */
final class Zeros {
  private static final MemorySegment ZEROS = Arena.global().allocate(1 << 16);

  private Zeros() {}

  /** Returns the offset of the first byte that is not zero, negative if there is none. */
  @Speculative
  static long firstOther(MemorySegment memory, long from, long to) {
    for (long at = from; at < to; at += ZEROS.byteSize()) {
      long count = Math.min(ZEROS.byteSize(), to - at);
      long mismatch = MemorySegment.mismatch(memory, at, at + count, ZEROS, 0, count);
      if (mismatch >= 0) {
        return at + mismatch;
      }
    }
    return -1;
  }
}
