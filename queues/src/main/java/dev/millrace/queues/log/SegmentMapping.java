package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.lang.foreign.MemorySegment;

/**
 * The files of a segment in memory, until all who use them have closed them: readers share the
 * mapping of the log that writes.
 */
final class SegmentMapping {
  private final LogFiles.Mapped log;
  private final LogFiles.Mapped index; // null if there is none
  private int users = 1;

  SegmentMapping(LogFiles.Mapped log, LogFiles.Mapped index) {
    this.log = log;
    this.index = index;
  }

  /** The memory of the segment. */
  MemorySegment memory() {
    return log.memory();
  }

  /** The memory of the index; null if there is none. */
  MemorySegment indexMemory() {
    return index == null ? null : index.memory();
  }

  /** Adds a user; returns false if it is closed. */
  synchronized boolean share() {
    if (users == 0) {
      return false;
    }
    users++;
    return true;
  }

  synchronized void close() {
    users--;
    if (users == 0) {
      log.close();
      if (index != null) {
        index.close();
      }
    }
  }

  // ---- the disk ----

  /** Makes bytes of the segment dirty: see {@link LogFiles.Mapped#touch}. */
  void touch(long from, long to) {
    log.touch(from, to);
  }

  /** The same for all of the index. */
  void touchIndex() {
    if (index != null) {
      index.touch(0, index.memory().byteSize());
    }
  }

  /** Waits until bytes of the segment are on the disk. */
  void force(long from, long to) {
    log.force(from, to);
  }

  void forceIndex() {
    if (index != null) {
      index.force(0, index.memory().byteSize());
    }
  }
}
