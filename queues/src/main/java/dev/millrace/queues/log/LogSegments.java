package dev.millrace.queues.log;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;

/**
 * The segments of an open log. It knows which segments the log keeps, which of them are mapped, and
 * which are not forced yet.
 */
@NullUnmarked // which fields are null follows from the state
final class LogSegments {
  /*
   * A segment's life: spare (zeros, under a name of its own), current (renamed and with a header,
   * but not forced), sealed (but not forced), complete (forced together with its index, and
   * marked). The newest complete segments, up to MOST_MAPPED bytes, are still mapped.
   *
   * The monitor guards all fields. It is never held while a file is written.
   */

  /** How many bytes of full segments stay mapped for readers. */
  private static final long MOST_MAPPED = 1L << 26;

  private final LogOpening opening;
  private final List<SegmentHeader> kept;
  private final List<Sealed> unforced = new ArrayList<>();
  private final ArrayDeque<Sealed> complete = new ArrayDeque<>(); // the mapped ones
  private LogSegment current; // null before the first one, and once the log is closed
  private long lastCreated; // when the last segment was begun, in the log's time
  private boolean namesUnforced = true;
  private long forces;
  private long removed;

  /**
   * Makes the segments of a recovered log.
   *
   * @param kept all segments of the log
   * @param current the last segment if messages can be appended to it, or null
   */
  LogSegments(LogOpening opening, List<SegmentHeader> kept, LogSegment current) {
    this.opening = opening;
    this.kept = new ArrayList<>(kept);
    this.current = current;
    this.lastCreated = current == null ? Long.MIN_VALUE : current.header().created();
  }

  /** A full segment, the position where its messages end, and the number after the last one. */
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

  /** What must be forced: the full segments, the last one, and whether file names have changed. */
  record Unforced(List<Sealed> full, LogSegment last, boolean hasNames) {}

  // ---- the last one ----

  /**
   * Returns the segment to which the log appends, or null before the first one and once the log is
   * closed.
   */
  synchronized LogSegment current() {
    return current;
  }

  /**
   * Ends the last segment, and continues in {@code next}.
   *
   * @param full the last segment, or null if there is none
   * @param end the position where its messages end
   */
  synchronized void add(LogSegment next, LogSegment full, long end) {
    lastCreated = next.header().created();
    kept.add(next.header());
    namesUnforced = true;
    current = next;
    if (full != null) {
      full.marks().seal(end); // after the next one got its name
      unforced.add(new Sealed(full, end, next.first()));
    }
  }

  /** Continues in a copy of the last segment. */
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

  /** Returns the segment {@code first} for a reader if the log has it mapped, or null otherwise. */
  synchronized LogSegment share(long first) {
    if (opening.isClosed()) {
      return null; // another log may replace the segment
    }
    if (current.first() == first) {
      // if sealed, a later opening has replaced it
      return current.marks().isSealed() ? null : current.share();
    }
    return Stream.concat(unforced.stream(), complete.stream())
        .map(Sealed::segment)
        .filter(segment -> segment.first() == first)
        .findFirst()
        .map(LogSegment::share)
        .orElse(null);
  }

  /** Returns whether the log appends to the segment {@code first}. */
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

  /** Returns what must be forced now. The caller must force the file names, too. */
  synchronized Unforced takeUnforced() {
    boolean hasNames = namesUnforced;
    namesUnforced = false;
    return new Unforced(List.copyOf(unforced), current, hasNames);
  }

  /** Notes that a force has made the segments in {@code full} complete. */
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

  /**
   * Takes out a complete segment that was removed or is far behind. Returns null if there is none.
   */
  private synchronized LogSegment takeUnneeded() {
    if (complete.isEmpty()) {
      return null;
    }
    long mapped = complete.stream().mapToLong(full -> full.segment.header().segmentBytes()).sum();
    boolean isRemoved = complete.peek().segment.first() < firstNumber();
    return isRemoved || mapped > MOST_MAPPED ? complete.remove().segment : null;
  }

  // ---- removing ----

  /** Returns the number of the first message that is kept. */
  synchronized long firstNumber() {
    return kept.getFirst().first();
  }

  /**
   * Returns the oldest segment if a limit says that it is no longer needed, or null otherwise. The
   * last segment is always needed.
   *
   * @param below the first message to keep
   * @param mostBytes how many bytes of segments to keep
   * @param leastTime the earliest time of messages that must be kept
   */
  synchronized SegmentHeader oldestBeyond(long below, long mostBytes, long leastTime) {
    if (kept.size() < 2) {
      return null;
    }
    SegmentHeader second = kept.get(1); // begun after all messages of the oldest
    boolean isBeyond =
        second.first() <= below
            || second.created() < leastTime
            || (mostBytes != Long.MAX_VALUE && diskBytes() > mostBytes);
    return isBeyond ? kept.getFirst() : null;
  }

  /** Notes that the files of the oldest segment were removed. */
  void removeOldest() {
    synchronized (this) {
      kept.removeFirst();
      removed++;
    }
    unmap();
  }

  /**
   * Corrects times that are ahead of the clock, which must have been wrong. The corrected start of
   * a segment is the clock's time then, and is not after the start of the next segment.
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

  /** Returns the size of all segments and their indexes. The caller holds the monitor. */
  private long diskBytes() {
    long bytes = 0;
    for (int i = 0; i < kept.size(); i++) { // by index, because metrics must not allocate
      bytes += kept.get(i).diskBytes();
    }
    return bytes;
  }

  // ---- metrics, and the end ----

  /** Adds the metrics of the segments: see {@link MessageLog#readMetrics}. */
  synchronized void readMetrics(long[] values, long now) {
    long ahead = lastCreated - now;
    values[MessageLog.AHEAD_OF_CLOCK] = lastCreated <= now ? 0 : ahead < 0 ? Long.MAX_VALUE : ahead;
    values[MessageLog.FORCES] = forces;
    values[MessageLog.REMOVED_SEGMENTS] = removed;
    values[MessageLog.FIRST_NUMBER] = firstNumber();
    values[MessageLog.SEGMENTS] = kept.size();
    values[MessageLog.BYTES] = diskBytes();
  }

  /** Unmaps all mapped segments. */
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
