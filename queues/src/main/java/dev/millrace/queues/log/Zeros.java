package dev.millrace.queues.log;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Finds the first byte in memory that is not zero. */
final class Zeros {
  private static final MemorySegment ZEROS = Arena.global().allocate(1 << 16);

  private Zeros() {}

  /** The offset of the first byte that is not zero; negative if there is none. */
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
