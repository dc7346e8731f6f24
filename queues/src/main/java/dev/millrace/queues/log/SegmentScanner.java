package dev.millrace.queues.log;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Scans the messages of a segment and finds where they end. Whatever subset of the segment's pages
 * has reached the disk, a message counts if its checksum is right and all messages before it count.
 */
class SegmentScanner {
  private static final long WINDOW_BYTES = 1 << 20; // how much is made dirty at once

  private final boolean repairs;

  /**
   * Makes a scanner.
   *
   * @param repairs whether to correct the index, and to make every page read dirty, because it may
   *     not be on the disk. Otherwise the scanner changes nothing
   */
  SegmentScanner(boolean repairs) {
    this.repairs = repairs;
  }

  /**
   * The result of a scan.
   *
   * @param position the position after the last message
   * @param number the number of the message that would be at the position
   * @param time the time of the last message
   * @param messages how many messages are whole
   * @param damages the damages between the messages
   */
  record Scan(long position, long number, long time, long messages, List<LogDamage> damages) {}

  /** Returns whether the message at {@code position} counts. */
  boolean isWhole(LogSegment segment, long position, long word, long number) {
    return segment.isWhole(position, word, number);
  }

  /**
   * Scans a segment.
   *
   * @param wasDurable whether the whole segment was once on the disk, whatever its marks say
   */
  Scan scan(LogSegment segment, boolean wasDurable) {
    if (repairs) {
      segment.touchHeadersAndIndex(); // first, as with the messages below
    }
    long sealed = segment.marks().sealed();
    long limit = sealed == 0 ? segment.limit() : sealed;
    long durable = wasDurable ? limit : segment.marks().durable();
    SegmentSearch search = new SegmentSearch(segment);
    List<LogDamage> damages = new ArrayList<>();
    long at = SegmentHeader.BYTES;
    long next = segment.first();
    long count = 0;
    long last = -1;
    Touched touched = new Touched(segment, at, repairs ? limit : at);
    while (at < limit && segment.fits(at)) {
      // first, because a dirty page cannot change under the scan
      boolean _ = touched.tryReach(at + LogSegment.MESSAGE_BYTES);
      long word = segment.word(at);
      if (word != 0 && isWhole(segment, at, word, next)) {
        long end = LogSegment.behind(at, word);
        if (touched.tryReach(end)) {
          continue; // check the message again
        }
        if (repairs) {
          segment.index().correct(next, at);
        }
        last = at;
        at = end;
        next++;
        count++;
        continue;
      }
      long found = at < durable ? search.resync(at, next, limit) : -1;
      if (found < 0) {
        break;
      }
      long number = segment.numberAt(found);
      String reason = segment.reason(at, word, next);
      damages.add(new LogDamage(segment.file(), at, next, number - next, reason));
      at = found;
      next = number;
    }
    touched.await();
    long time = last < 0 ? segment.header().created() : segment.timeAt(last);
    return new Scan(at, next, time, count, damages);
  }

  /**
   * Makes a segment dirty, window by window. Another thread works on the next window at the same
   * time, because the page faults take half as long as the scan.
   */
  private static final class Touched {
    private final LogSegment segment;
    private final long limit;
    private long end; // end of the dirty part
    private long aheadEnd; // its end once the other thread is done
    private CompletableFuture<?> ahead = CompletableFuture.completedFuture(null);

    Touched(LogSegment segment, long from, long limit) {
      this.segment = segment;
      this.limit = limit;
      this.end = from;
      this.aheadEnd = from;
    }

    /** Makes the segment dirty up to {@code position}. Returns false if it already was. */
    boolean tryReach(long position) {
      if (Math.min(position, limit) <= end) {
        return false;
      }
      await();
      if (end < position) { // the first window, or the rest of a message longer than a window
        end = Math.min(limit, position + WINDOW_BYTES);
        segment.touch(aheadEnd, end);
      }
      long from = end;
      long to = Math.min(limit, from + WINDOW_BYTES);
      ahead = CompletableFuture.runAsync(() -> segment.touch(from, to));
      aheadEnd = to;
      return true;
    }

    /** Waits for the other thread. */
    void await() {
      ahead.join();
      end = aheadEnd;
    }
  }
}
