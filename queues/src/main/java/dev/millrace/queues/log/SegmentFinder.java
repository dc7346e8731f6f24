package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Finds the segments and the numbers of a log for its readers, while it is written or later. */
final class SegmentFinder {
  private final LogFiles files;
  private final LogSegments log;

  /**
   * Makes one.
   *
   * @param log the segments of the log that makes the reader; null for one of the files alone
   */
  SegmentFinder(LogFiles files, LogSegments log) {
    this.files = files;
    this.log = log;
  }

  /** Whether the log that has made the reader is closed; false if none has. */
  boolean isLogClosed() {
    return log != null && log.isClosed();
  }

  /** Whether the log that has made the reader appends to a segment. */
  boolean isCurrent(long first) {
    return log != null && log.isCurrent(first);
  }

  /** The first numbers of all segments. */
  long[] firsts() {
    try {
      return SegmentNames.firsts(files.names());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Which of some numbers is the last up to a number, which is not before all of them. */
  static long floor(long[] firsts, long number) {
    int found = Arrays.binarySearch(firsts, number);
    return firsts[found >= 0 ? found : -found - 2];
  }

  /** The least of some numbers above a number; that number itself if none is. */
  static long above(long[] firsts, long number) {
    int found = Arrays.binarySearch(firsts, number + 1);
    int index = found >= 0 ? found : -found - 1;
    return index < firsts.length ? firsts[index] : number;
  }

  /**
   * Opens a segment: the log's mapping of it, if there is one, since its pages are there.
   *
   * @return the segment; null if it was removed: those behind it are still there
   * @throws LogDamagedException if its header is damaged
   */
  LogSegment open(long first) {
    LogSegment shared = log == null ? null : log.share(first);
    try {
      return shared == null ? LogSegment.openIfThere(files, first) : shared;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The number of the first message that is kept; 0 if there is none. */
  long firstNumber() {
    long[] firsts = firsts();
    return firsts.length == 0 ? 0 : firsts[0];
  }

  /** The number behind the last message; 0 if there is none. */
  long endNumber() {
    while (true) {
      long[] firsts = firsts();
      if (firsts.length == 0) {
        return 0;
      }
      try (LogSegment last = open(firsts[firsts.length - 1])) {
        if (last != null) { // or it was removed, so there is another
          return new SegmentSearch(last).end();
        }
      }
    }
  }

  /**
   * Finds the first message of a time or later by halving, first among the segments and then in
   * one.
   *
   * @return its number; if all are earlier, that behind the last one searched: what was committed
   *     since has not been looked at
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
        // it cannot be read: in the next one
      }
    }
    return found < 0 ? endNumber() : found;
  }

  /** Which segment was the last to be begun before a time; the first one if none was. */
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
      return begun == null // it was removed, and so were all before it
          || begun.header().created() < time;
    } catch (LogDamagedException e) {
      return false; // the search goes on from segment to segment
    }
  }
}
