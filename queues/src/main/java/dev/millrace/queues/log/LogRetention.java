package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.ReentrantLock;

/** The removal of a log's oldest segments, by number, by bytes or by age; one at a time. */
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

  /** Removes what is below a number: see {@link MessageLog#removeBefore}. */
  int removeBefore(long number) {
    return remove(number, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  /**
   * Removes what the options do not keep.
   *
   * @param roomBytes how much room to leave for segments to come
   * @return how many segments were removed
   */
  int removeUnkept(long roomBytes) {
    long most = options.retainBytes();
    return remove(0, most == Long.MAX_VALUE ? most : most - roomBytes, leastTime());
  }

  /** Removes the oldest segments as long as a limit says so. */
  private int remove(long below, long mostBytes, long leastTime) {
    removing.lock();
    try {
      opening.checkOpen(); // under the lock, which close takes: another process may write then
      int removed = 0;
      while (true) {
        SegmentHeader oldest = segments.oldestBeyond(below, mostBytes, leastTime);
        if (oldest == null) {
          return removed;
        }
        if (segments.current() != null) { // or all are forced
          commit.force(false);
        }
        files.delete(SegmentNames.segment(oldest.first()));
        files.delete(SegmentNames.index(oldest.first()));
        files.force(); // in order: what remains after a crash has no gap
        segments.removeOldest();
        removed++;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      removing.unlock();
    }
  }

  /** The time from which on messages are kept. */
  private long leastTime() {
    long age = options.retainAge();
    if (age == Long.MAX_VALUE) {
      return Long.MIN_VALUE;
    }
    long now = options.clock().getAsLong();
    segments.correctTimes(now);
    long least = now - age;
    return least < now ? least : Long.MIN_VALUE; // or the clock is so low that nothing is as old
  }

  /** Runs the end of the log, between removals: none begins once the opening is closed. */
  void runLast(Runnable end) {
    removing.lock();
    try {
      end.run();
    } finally {
      removing.unlock();
    }
  }
}
