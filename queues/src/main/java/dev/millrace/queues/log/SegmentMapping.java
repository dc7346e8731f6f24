package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The mapped files of a segment. Readers share the mapping of the writing log, and the files stay
 * mapped until all users have closed them.
 */
final class SegmentMapping {
  private final LogFiles.Mapped log;
  private final LogFiles.@Nullable Mapped index; // null if there is no index
  private int users = 1;

  SegmentMapping(LogFiles.Mapped log, LogFiles.@Nullable Mapped index) {
    this.log = log;
    this.index = index;
  }

  /** Returns the memory of the segment. */
  MemorySegment memory() {
    return log.memory();
  }

  /** Returns the memory of the index, or null if there is none. */
  @Nullable MemorySegment indexMemory() {
    return index == null ? null : index.memory();
  }

  /** Adds a user. Returns false if the mapping is closed. */
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

  /**
   * Makes bytes {@code from} to {@code to} of the segment dirty: see {@link LogFiles.Mapped#touch}.
   */
  void touch(long from, long to) {
    log.touch(from, to);
  }

  /** Makes the whole index dirty. */
  void touchIndex() {
    if (index != null) {
      index.touch(0, index.memory().byteSize());
    }
  }

  /** Waits until bytes {@code from} to {@code to} of the segment are on the disk. */
  void force(long from, long to) {
    log.force(from, to);
  }

  void forceIndex() {
    if (index != null) {
      index.force(0, index.memory().byteSize());
    }
  }
}
