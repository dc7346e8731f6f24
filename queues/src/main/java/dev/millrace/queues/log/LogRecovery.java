package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;

/**
 * Prepares a log's directory for appending, once an opening has taken it over.
 *
 * <p>A segment that is marked as complete was forced to the disk, together with all segments before
 * it. The segments after it are scanned. If anything but zeros follows the last message, it is left
 * unchanged. The segment is then sealed there, or set aside under a different name if it holds no
 * message, and a new segment is begun.
 */
@NullUnmarked // which fields are null follows from the state
final class LogRecovery {
  /*
   * In the last segment, a sync marks messages as durable only if all messages before them were
   * forced first. So a gap below such a mark, or in a segment before one that has a mark, was not
   * caused by a crash: the disk has damaged durable messages. In that case the messages after the
   * gap are kept and can be read. A gap elsewhere ends the log. The messages after it never were
   * durable, and their numbers will be given out again.
   */
  private final LogFiles files;
  private final LogOpening opening;
  private final SegmentScanner scanner;
  private final LogInventory inventory;

  /**
   * The highest number at which a segment ends. If segments overlap, a later one may end at a lower
   * number.
   */
  private long highest;

  private LogSegment tail; // the last segment, if messages can be appended to it
  private boolean isTailOwn; // whether this opening is its only writer, and nothing follows its end
  private long position; // where the next message goes in the tail
  private long number; // number of the next message
  private long time = Long.MIN_VALUE; // no message may be earlier

  LogRecovery(LogFiles files, LogOpening opening, SegmentScanner scanner) {
    this.files = files;
    this.opening = opening;
    this.scanner = scanner;
    this.inventory = new LogInventory(files, true);
  }

  /**
   * A log that is ready for appending.
   *
   * @param report what was found
   * @param segments the segments of the log
   * @param tail the last segment, open, if messages can be appended to it; otherwise null
   * @param isTailOwn whether this opening is its only writer, and nothing follows its end
   * @param position where the next message goes in the tail
   * @param number the number of the next message
   * @param time the earliest time that the next message may have
   */
  record Recovered(
      LogReport report,
      List<SegmentHeader> segments,
      LogSegment tail,
      boolean isTailOwn,
      long position,
      long number,
      long time) {}

  /** Recovers the log. The caller then owns the last segment. */
  Recovered recover() throws IOException {
    deleteStrayIndexes();
    recoverSegments();
    LogReport report = inventory.report(number);
    return new Recovered(report, inventory.segments(), tail, isTailOwn, position, number, time);
  }

  /** Deletes indexes without a segment. */
  private void deleteStrayIndexes() throws IOException {
    List<String> names = files.names();
    long[] firsts = SegmentNames.firsts(names);
    for (long first : SegmentNames.indexFirsts(names)) {
      if (Arrays.binarySearch(firsts, first) < 0) {
        files.delete(SegmentNames.index(first));
      }
    }
  }

  private void recoverSegments() throws IOException {
    List<LogInventory.Found> found = inventory.find();
    if (found.isEmpty()) { // the numbers of segments set aside are not reused
      number = SegmentNames.lastFirst(files.names());
      return;
    }
    int from = found.size(); // index of the first segment not known to be complete
    while (from > 0 && !found.get(from - 1).isComplete()) {
      from--;
    }
    for (LogInventory.Found complete : found.subList(0, from)) {
      highest = Math.max(highest, complete.durableEnd());
    }
    number = highest;
    checkGaps(found, from);
    if (from > 0) {
      LogInventory.Found before = found.get(from - 1);
      try (LogSegment known = LogSegment.open(files, before.first(), false)) {
        long last = known.indexed(before.durableEnd() - 1);
        time = last == 0 ? known.header().created() : known.timeAt(last);
      }
    }
    scanFrom(found, from);
  }

  /** Reports numbers that are missing between complete segments, which are not scanned. */
  private void checkGaps(List<LogInventory.Found> found, int to) throws IOException {
    for (int i = 0; i < to; i++) {
      LogInventory.Found its = found.get(i);
      if (its.isComplete() && i + 1 < found.size()) { // otherwise its last mark was lost in a crash
        inventory.checkGap(its.first(), its.sealed(), its.durableEnd(), found.get(i + 1).first());
      }
      if (!its.hasIndex()) {
        try (LogSegment segment = openWithIndex(its)) {
          scanner.scan(segment, true).damages().forEach(inventory::add);
          segment.forceIndex(); // before it gets its name, because it will not be scanned again
        }
        nameIndex(its.first());
      }
      inventory.add(its.header());
    }
  }

  /** Opens a segment with an empty index, under the name of the spare index. */
  private LogSegment openWithIndex(LogInventory.Found found) throws IOException {
    long bytes = SegmentIndex.bytes(found.header().segmentBytes());
    files.create(SegmentNames.SPARE_INDEX, bytes).close();
    return LogSegment.open(files, found.first(), SegmentNames.SPARE_INDEX, true);
  }

  private void nameIndex(long first) throws IOException {
    files.rename(SegmentNames.SPARE_INDEX, SegmentNames.index(first));
  }

  private void scanFrom(List<LogInventory.Found> found, int from) throws IOException {
    int durable = -1; // the last segment with a mark
    for (int i = 0; i < found.size(); i++) {
      durable = found.get(i).durable() != 0 ? i : durable;
    }
    for (int i = from; i < found.size(); i++) {
      LogInventory.Found its = found.get(i);
      LogSegment segment =
          its.hasIndex() ? LogSegment.open(files, its.first(), true) : openWithIndex(its);
      try {
        if (!its.hasIndex()) {
          nameIndex(its.first());
        }
        if (!scan(segment, i < durable, found.subList(i + 1, found.size()))) {
          return;
        }
      } finally {
        if (segment != tail) {
          segment.close();
        }
      }
    }
  }

  /**
   * Scans {@code segment}, and then ends it or uses it for appending. Returns whether the log
   * continues with the next segment.
   */
  private boolean scan(LogSegment segment, boolean wasDurable, List<LogInventory.Found> behind)
      throws IOException {
    SegmentScanner.Scan scan = scanner.scan(segment, wasDurable);
    inventory.add(scan);
    time = Math.max(Math.max(time, segment.header().created()), scan.time());
    long end = Math.max(scan.number(), segment.marks().durableEnd());
    if (!behind.isEmpty() && (scan.number() == behind.getFirst().first() || wasDurable)) {
      number = behind.getFirst().first();
      inventory.checkGap(segment.first(), segment.marks().sealed(), scan.number(), number);
      finish(segment, scan);
      highest = Math.max(highest, scan.number());
      return true;
    }
    for (LogInventory.Found later : behind) { // after a crash: these were never durable
      long first = later.first();
      inventory.addDamage(first, 0, first, 0, "a segment before was not completed");
      inventory.setAside(first, true); // before this one is marked as complete, to leave no gap
    }
    number = Math.max(highest, end);
    useOrSeal(segment, scan, end);
    return false;
  }

  /** Uses {@code segment} for appending if nothing follows its last message. Otherwise ends it. */
  private void useOrSeal(LogSegment segment, SegmentScanner.Scan scan, long end)
      throws IOException {
    SegmentMarks marks = segment.marks();
    boolean isReached = scan.number() == end && !segment.isCut();
    boolean isWhole = isReached && !marks.isSealed() && segment.isEmptyFrom(scan.position());
    boolean isUsable = isReached && number == end && segment.fits(scan.position());
    if (isUsable && (isWhole || isEnd(segment, scan))) {
      segment.index().clearFrom(end);
      inventory.add(segment.header());
      tail = segment;
      long closed = marks.closed();
      isTailOwn =
          isWhole
              && marks.opening() == opening.number()
              && closed != 0
              && closed + 1 == opening.number();
      position = scan.position();
    }
    if (!isWhole && scan.position() != marks.sealed()) {
      String reason =
          scan.number() < end ? "durable messages are lost" : "message was not completed";
      inventory.addDamage(
          segment.first(),
          scan.position(),
          scan.number(),
          end - scan.number(),
          segment.isCut() ? "file is too short" : reason);
    }
    if (tail != null) {
      return;
    }
    if (scan.number() == segment.first()) {
      marks.seal(SegmentHeader.BYTES); // readers leave it for its successor
      inventory.setAside(segment.first(), false);
    } else {
      finish(segment, scan);
    }
  }

  /** Returns whether nothing after the messages need be kept, because it was never committed. */
  private static boolean isEnd(LogSegment segment, SegmentScanner.Scan scan) {
    if (segment.marks().isSealed()) { // by an opening that did not finish
      return segment.marks().sealed() == scan.position();
    }
    long limit = segment.limit();
    return segment.word(scan.position()) == 0 // a claim was open
        && new SegmentSearch(segment).resync(scan.position(), scan.number(), limit) < 0;
  }

  /** Ends {@code segment} after its last message, and makes that durable. */
  private void finish(LogSegment segment, SegmentScanner.Scan scan) throws IOException {
    segment.index().clearFrom(scan.number());
    if (segment.marks().sealed() != scan.position()) {
      segment.marks().seal(scan.position());
    }
    LogSegments.Sealed sealed = new LogSegments.Sealed(segment, scan.position(), scan.number());
    sealed.force();
    files.force();
    sealed.markComplete();
    inventory.add(segment.header());
  }
}
