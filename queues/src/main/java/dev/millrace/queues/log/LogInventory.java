package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What was found in a log's directory: the segments, how much of them is whole, and what is
 * damaged.
 */
final class LogInventory {
  private final LogFiles files;
  private final boolean repairs;
  private final List<SegmentHeader> segments = new ArrayList<>();
  private final List<LogDamage> damages = new ArrayList<>();
  private long messages;

  /**
   * Makes an empty inventory.
   *
   * @param repairs whether the log is being opened for writing, so that nothing else may change its
   *     files
   */
  LogInventory(LogFiles files, boolean repairs) {
    this.files = files;
    this.repairs = repairs;
  }

  /**
   * A segment as it was found. It is not kept open, because the number of mappings per process is
   * limited.
   */
  record Found(
      SegmentHeader header,
      long sealed,
      long durable,
      long durableEnd,
      boolean isComplete,
      boolean hasIndex) {
    static Found of(LogSegment segment) {
      SegmentMarks marks = segment.marks();
      return new Found(
          segment.header(),
          marks.sealed(),
          marks.durable(),
          marks.durableEnd(),
          segment.isComplete(),
          segment.index().isThere());
    }

    long first() {
      return header.first();
    }
  }

  /**
   * Finds all segments. A segment without a header is set aside, or left out if nothing may be
   * changed.
   */
  List<Found> find() throws IOException {
    List<Found> found = new ArrayList<>();
    for (long first : SegmentNames.firsts(files.names())) {
      try (LogSegment segment = LogSegment.openIfThere(files, first)) {
        if (segment == null) {
          checkMayBeRemoved(first);
          found.clear(); // as are all segments before it
          damages.clear();
        } else {
          found.add(Found.of(segment));
        }
      } catch (LogDamagedException e) {
        damages.add(e.damage());
        if (repairs) {
          setAside(first, !found.isEmpty());
        }
      }
    }
    return found;
  }

  private void checkMayBeRemoved(long first) throws IOException {
    if (repairs) {
      throw new NoSuchFileException(files.path(SegmentNames.segment(first)).toString());
    }
  }

  /**
   * Takes the segment {@code first} out of the log, and keeps its file under a different name.
   *
   * @param isLater whether an earlier segment can be opened
   */
  void setAside(long first, boolean isLater) throws IOException {
    String aside = SegmentNames.aside(files.names(), first, isLater);
    files.rename(SegmentNames.segment(first), aside);
    files.delete(SegmentNames.index(first));
  }

  // ---- what belongs to the log ----

  /** Adds a segment of the log. */
  void add(SegmentHeader segment) {
    segments.add(segment);
  }

  /** Adds the messages and damages that a scan has found. */
  void add(SegmentScanner.Scan scan) {
    messages += scan.messages();
    damages.addAll(scan.damages());
  }

  void add(LogDamage damage) {
    damages.add(damage);
  }

  /** Adds a damage in the segment {@code first}, which need not be open. */
  void addDamage(long first, long position, long number, long count, String reason) {
    Path file = files.path(SegmentNames.segment(first));
    damages.add(new LogDamage(file, position, number, count, reason));
  }

  /**
   * Checks that the next segment begins at the number {@code end} where the segment {@code first}
   * ends.
   */
  void checkGap(long first, long position, long end, long next) {
    if (next > end) {
      addDamage(first, position, end, next - end, "messages are missing");
    } else if (next < end) {
      String reason =
          "segments overlap: the next one begins at number %d, before %d".formatted(next, end);
      addDamage(first, position, next, 0, reason);
    }
  }

  /**
   * Forgets the segments found so far, because they were removed. Their damages stay in the report.
   */
  void forgetSegments() {
    segments.clear();
    messages = 0;
  }

  // ---- the result ----

  List<SegmentHeader> segments() {
    return List.copyOf(segments);
  }

  /** Returns the report on the log, whose next number is {@code end}. */
  LogReport report(long end) {
    long first = segments.isEmpty() ? end : segments.getFirst().first();
    damages.sort(Comparator.comparingLong(LogDamage::number)); // damaged headers were found first
    return new LogReport(segments.size(), first, end, messages, damages);
  }
}
