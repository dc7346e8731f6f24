package dev.millrace.queues.log;

import dev.millrace.core.internal.Speculative;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Finds the first byte in memory that is not zero. An opening that has lost the log may write there
 * at the same time, but it finds that out before it reports anything as durable.
 */
final class Zeros {
  private static final MemorySegment ZEROS = Arena.global().allocate(1 << 16);

  private Zeros() {}

  /** The offset of the first byte that is not zero; negative if there is none. */
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
