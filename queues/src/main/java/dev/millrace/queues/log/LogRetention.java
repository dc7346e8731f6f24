package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Removes a log's oldest segments, by number, by bytes or by age. Only one removal runs at a time.
 */
final class LogRetention {
  private final LogFiles files;
  private final LogOptions options;
  private final LogSegments segments;
  private final LogOpening opening;
  private final GroupCommit commit;

  private final ReentrantLock removing = new ReentrantLock();

  LogRetention(
      LogFiles files,
      LogOptions options,
      LogSegments segments,
      LogOpening opening,
      GroupCommit commit) {
    this.files = files;
    this.options = options;
    this.segments = segments;
    this.opening = opening;
    this.commit = commit;
  }

  /** Removes the segments below {@code number}: see {@link MessageLog#removeBefore}. */
  int removeBefore(long number) {
    return remove(number, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  /**
   * Removes the segments that the options do not keep.
   *
   * @param roomBytes how much room to leave for new segments
   * @return how many segments were removed
   */
  int removeUnkept(long roomBytes) {
    long most = options.retainBytes();
    return remove(0, most == Long.MAX_VALUE ? most : most - roomBytes, leastTime());
  }

  /** Removes the oldest segments as long as one of the limits requires it. */
  private int remove(long below, long mostBytes, long leastTime) {
    removing.lock();
    try {
      opening.checkOpen(); // under the lock that close takes
      int removed = 0;
      while (true) {
        SegmentHeader oldest = segments.oldestBeyond(below, mostBytes, leastTime);
        if (oldest == null) {
          return removed;
        }
        if (segments.current() != null) { // otherwise all are forced
          commit.force(false);
        }
        files.delete(SegmentNames.segment(oldest.first()));
        files.delete(SegmentNames.index(oldest.first()));
        files.force(); // in order, so that a crash leaves no gap
        segments.removeOldest();
        removed++;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      removing.unlock();
    }
  }

  /** Returns the time of the earliest messages to keep. */
  private long leastTime() {
    long age = options.retainAge();
    if (age == Long.MAX_VALUE) {
      return Long.MIN_VALUE;
    }
    long now = options.clock().getAsLong();
    segments.correctTimes(now);
    long least = now - age;
    return least < now ? least : Long.MIN_VALUE; // no message is older than a clock so low
  }

  /** Runs the end of the log between removals. No removal begins once the opening is closed. */
  void runLast(Runnable end) {
    removing.lock();
    try {
      end.run();
    } finally {
      removing.unlock();
    }
  }
}
