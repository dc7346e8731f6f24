package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the segments and numbers of a log for its readers, while the log is being written or later.
 */
final class SegmentFinder {
  private final LogFiles files;
  private final @Nullable LogSegments log;

  /**
   * Makes a finder.
   *
   * @param log the segments of the log that makes the reader, or null for a reader of the files
   *     alone
   */
  SegmentFinder(LogFiles files, @Nullable LogSegments log) {
    this.files = files;
    this.log = log;
  }

  /** Returns whether the log that made the reader is closed. Returns false if no log made it. */
  boolean isLogClosed() {
    return log != null && log.isClosed();
  }

  /** Returns whether the log that made the reader appends to the segment {@code first}. */
  boolean isCurrent(long first) {
    return log != null && log.isCurrent(first);
  }

  /** Returns the first numbers of all segments, ascending. */
  long[] firsts() {
    try {
      return SegmentNames.firsts(files.names());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the highest of {@code firsts} that is not above {@code number}. There must be one. */
  static long floor(long[] firsts, long number) {
    int found = Arrays.binarySearch(firsts, number);
    return firsts[found >= 0 ? found : -found - 2];
  }

  /**
   * Returns the least of {@code firsts} above {@code number}, or {@code number} itself if there is
   * none.
   */
  static long above(long[] firsts, long number) {
    int found = Arrays.binarySearch(firsts, number + 1);
    int index = found >= 0 ? found : -found - 1;
    return index < firsts.length ? firsts[index] : number;
  }

  /**
   * Opens the segment {@code first}. It uses the log's mapping if there is one, because that
   * mapping's pages are already loaded.
   *
   * @return the segment, or null if it was removed. The segments after it still exist
   * @throws LogDamagedException if its header is damaged
   */
  @Nullable LogSegment open(long first) {
    LogSegment shared = log == null ? null : log.share(first);
    try {
      return shared == null ? LogSegment.openIfThere(files, first) : shared;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the number of the first message that is kept, or 0 if there is none. */
  long firstNumber() {
    long[] firsts = firsts();
    return firsts.length == 0 ? 0 : firsts[0];
  }

  /** Returns one past the number of the last message, or 0 if there is none. */
  long endNumber() {
    while (true) {
      long[] firsts = firsts();
      if (firsts.length == 0) {
        return 0;
      }
      try (LogSegment last = open(firsts[firsts.length - 1])) {
        if (last != null) { // otherwise it was removed, so there is a new last one
          return new SegmentSearch(last).end();
        }
      }
    }
  }

  /**
   * Finds the first message whose time is at or after {@code time}, by binary search, first among
   * the segments and then within one.
   *
   * @return its number. If all messages are earlier, it is one past the last message searched, and
   *     messages committed since are not searched
   */
  long numberSince(long time) {
    long[] firsts = firsts();
    long found = -1;
    for (int i = lastBegunBefore(time, firsts); i < firsts.length; i++) {
      found = -1;
      try (LogSegment searched = open(firsts[i])) {
        if (searched != null) {
          SegmentSearch search = new SegmentSearch(searched);
          long last = i + 1 < firsts.length ? firsts[i + 1] : search.end();
          found = search.firstSince(time, last);
          if (found < last) {
            return found;
          }
        }
      } catch (LogDamagedException e) {
        // this segment cannot be read: try the next one
      }
    }
    return found < 0 ? endNumber() : found;
  }

  /**
   * Returns the index of the last segment that was begun before {@code time}, or 0 if there is
   * none.
   */
  private int lastBegunBefore(long time, long[] firsts) {
    int low = 0;
    int high = firsts.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (isBegunBefore(firsts[middle], time)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private boolean isBegunBefore(long first, long time) {
    try (LogSegment begun = open(first)) {
      return begun == null // it was removed, as were all before it
          || begun.header().created() < time;
    } catch (LogDamagedException e) {
      return false; // the search then continues from segment to segment
    }
  }
}
