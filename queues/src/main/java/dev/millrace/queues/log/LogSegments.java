package dev.millrace.queues.log;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The segments of an open log: which ones it keeps, which of them are mapped, and what of them is
 * not forced yet.
 */
final class LogSegments {
  /*
   * A segment's life: spare (zeros, under a name of its own), current (renamed, header written,
   * not forced), sealed (unforced), complete (forced, index too; marked; the newest of them, of
   * MOST_MAPPED bytes at most, are still mapped).
   *
   * The monitor guards all fields. It is never held while a file is written.
   */

  /** How many bytes of full segments stay mapped for readers. */
  private static final long MOST_MAPPED = 1L << 26;

  private final LogOpening opening;
  private final List<SegmentHeader> kept;
  private final List<Sealed> unforced = new ArrayList<>();
  private final ArrayDeque<Sealed> complete = new ArrayDeque<>(); // those that are mapped
  private LogSegment current; // null before the first, and once the log is closed
  private long lastCreated; // when the last one was begun, by the log's time
  private boolean namesUnforced = true;
  private long forces;
  private long removed;

  /**
   * Those of a log that was recovered.
   *
   * @param kept its segments
   * @param current the last one, if messages can be appended to it; else null
   */
  LogSegments(LogOpening opening, List<SegmentHeader> kept, LogSegment current) {
    this.opening = opening;
    this.kept = new ArrayList<>(kept);
    this.current = current;
    this.lastCreated = current == null ? Long.MIN_VALUE : current.header().created();
  }

  /** A segment that is full, where its messages end, and the number behind them. */
  record Sealed(LogSegment segment, long position, long end) {
    void force() {
      segment.force(position);
      segment.forceMarks();
      segment.forceIndex();
    }

    void markComplete() {
      segment.marks().markComplete(position, end);
    }
  }

  /** What is to be forced: the segments that are full, the last one, and the files' names. */
  record Unforced(List<Sealed> full, LogSegment last, boolean hasNames) {}

  // ---- the last one ----

  /** The segment that the log appends to; null before the first, and once the log is closed. */
  synchronized LogSegment current() {
    return current;
  }

  /**
   * Ends the last segment, and goes on in another.
   *
   * @param full the last one; null if there is none
   * @param end where it ends
   */
  synchronized void add(LogSegment next, LogSegment full, long end) {
    lastCreated = next.header().created();
    kept.add(next.header());
    namesUnforced = true;
    current = next;
    if (full != null) {
      full.marks().seal(end); // behind the name of the next one
      unforced.add(new Sealed(full, end, next.first()));
    }
  }

  /** Goes on in a copy of the last segment. */
  void replaceLast(LogSegment copy) {
    LogSegment last;
    synchronized (this) {
      last = current;
      kept.removeLast();
      kept.add(copy.header());
      current = copy;
    }
    last.close();
  }

  /** Checks that no other opening has taken the log over. */
  void checkOwn() throws IOException {
    opening.checkOwn(openingOfLast());
  }

  private synchronized long openingOfLast() {
    return current == null ? opening.number() : current.marks().opening();
  }

  // ---- for readers ----

  /** A segment for a reader, if the log has it mapped; else null. */
  synchronized LogSegment share(long first) {
    if (opening.isClosed()) {
      return null; // another log may replace it
    }
    if (current.first() == first) {
      // or a later opening has replaced it
      return current.marks().isSealed() ? null : current.share();
    }
    return Stream.concat(unforced.stream(), complete.stream())
        .map(Sealed::segment)
        .filter(segment -> segment.first() == first)
        .findFirst()
        .map(LogSegment::share)
        .orElse(null);
  }

  /** Whether a segment is the one that the log appends to. */
  synchronized boolean isCurrent(long first) {
    return current != null && current.first() == first;
  }

  boolean isClosed() {
    return opening.isClosed();
  }

  // ---- forcing ----

  synchronized boolean isAllForced() {
    return unforced.isEmpty();
  }

  /** What is to be forced now; the caller forces the names. */
  synchronized Unforced takeUnforced() {
    boolean hasNames = namesUnforced;
    namesUnforced = false;
    return new Unforced(List.copyOf(unforced), current, hasNames);
  }

  /** Takes note of a force, after which some segments are complete. */
  void markForced(List<Sealed> full) {
    synchronized (this) {
      unforced.removeAll(full);
      complete.addAll(full);
      forces++;
    }
    unmap();
  }

  private void unmap() {
    for (LogSegment oldest; (oldest = takeUnneeded()) != null; ) {
      oldest.close();
    }
  }

  /** Takes out what is complete and removed, or far behind; null if there is no more. */
  private synchronized LogSegment takeUnneeded() {
    if (complete.isEmpty()) {
      return null;
    }
    long mapped = complete.stream().mapToLong(full -> full.segment.header().segmentBytes()).sum();
    boolean isRemoved = complete.peek().segment.first() < firstNumber();
    return isRemoved || mapped > MOST_MAPPED ? complete.remove().segment : null;
  }

  // ---- removing ----

  /** The number of the first message that is kept. */
  synchronized long firstNumber() {
    return kept.getFirst().first();
  }

  /**
   * The oldest segment, if a limit says that it is not needed any more; else null, as for the last.
   *
   * @param below the first message to keep
   * @param mostBytes how many bytes of segments to keep
   * @param leastTime messages that are earlier need not be kept
   */
  synchronized SegmentHeader oldestBeyond(long below, long mostBytes, long leastTime) {
    if (kept.size() < 2) {
      return null;
    }
    SegmentHeader second = kept.get(1); // no message of the oldest is later than when it was begun
    boolean isBeyond =
        second.first() <= below
            || second.created() < leastTime
            || (mostBytes != Long.MAX_VALUE && diskBytes() > mostBytes);
    return isBeyond ? kept.getFirst() : null;
  }

  /** Takes note that the files of the oldest segment are removed. */
  void removeOldest() {
    synchronized (this) {
      kept.removeFirst();
      removed++;
    }
    unmap();
  }

  /**
   * Corrects times that are ahead of the clock, which so has been wrong: a segment was begun when
   * the clock said so, and not after the next one.
   */
  synchronized void correctTimes(long now) {
    long next = Long.MAX_VALUE;
    for (int i = kept.size() - 1; i >= 0; i--) {
      SegmentHeader its = kept.get(i);
      if (its.created() > now) {
        kept.set(i, its.withCreated(Math.min(its.clock(), next)));
      }
      next = kept.get(i).created();
    }
  }

  /** The size of all segments and their indexes; the caller has the monitor. */
  private long diskBytes() {
    long bytes = 0;
    for (int i = 0; i < kept.size(); i++) { // without an iterator: metrics allocate nothing
      bytes += kept.get(i).diskBytes();
    }
    return bytes;
  }

  // ---- metrics, and the end ----

  /** Adds what they know to a log's metrics: see {@link MessageLog#readMetrics}. */
  synchronized void readMetrics(long[] values, long now) {
    long ahead = lastCreated - now;
    values[MessageLog.AHEAD_OF_CLOCK] = lastCreated <= now ? 0 : ahead < 0 ? Long.MAX_VALUE : ahead;
    values[MessageLog.FORCES] = forces;
    values[MessageLog.REMOVED_SEGMENTS] = removed;
    values[MessageLog.FIRST_NUMBER] = firstNumber();
    values[MessageLog.SEGMENTS] = kept.size();
    values[MessageLog.BYTES] = diskBytes();
  }

  /** Unmaps what is mapped. */
  synchronized void close() {
    unforced.forEach(full -> full.segment.close());
    unforced.clear();
    complete.forEach(full -> full.segment.close());
    complete.clear();
    if (current != null) {
      current.close();
      current = null;
    }
  }
}
