package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Makes what a log's directory holds ready for appending, once an opening has taken it over.
 *
 * <p>A segment that is marked as complete was forced to the disk, and so were all before it. Those
 * behind are scanned. What follows the last message is left as it is, unless it is nothing but
 * zeros: the segment is sealed there, or set aside under another name if it holds no message, and a
 * new one is begun.
 */
final class LogRecovery {
  /*
   * A sync marks as durable, in the last segment, only what was forced after all before it. So a
   * gap below such a mark, or in a segment before one that has a mark, is not of a crash: the disk
   * has damaged what was durable. Then what follows the gap is kept and can be read. A gap
   * elsewhere ends the log: what follows never was durable, and would be the numbers to be given
   * out next.
   */
  private final LogFiles files;
  private final LogOpening opening;
  private final SegmentScanner scanner;
  private final LogInventory inventory;

  /** The highest number behind a segment: that of a later one is lower if segments overlap. */
  private long highest;

  private LogSegment tail; // the last segment, if messages can be appended to it
  private boolean isTailOwn; // whether this opening is its only writer, and nothing follows its end
  private long position; // where the next message goes in it
  private long number; // of the next message
  private long time = Long.MIN_VALUE; // no message may be earlier

  LogRecovery(LogFiles files, LogOpening opening, SegmentScanner scanner) {
    this.files = files;
    this.opening = opening;
    this.scanner = scanner;
    this.inventory = new LogInventory(files, true);
  }

  /**
   * A log that is ready.
   *
   * @param report what was found
   * @param segments those of the log
   * @param tail the last one, open, if messages can be appended to it; else null
   * @param isTailOwn whether this opening is its only writer, and nothing follows its end
   * @param position where the next message goes in it
   * @param number of the next message
   * @param time no message may be earlier
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
    if (found.isEmpty()) { // what was set aside is not to be given out again
      number = SegmentNames.lastFirst(files.names());
      return;
    }
    int from = found.size(); // the first one that is not known to be complete
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

  /** Reports numbers that are missing between segments that are complete, which are not scanned. */
  private void checkGaps(List<LogInventory.Found> found, int to) throws IOException {
    for (int i = 0; i < to; i++) {
      LogInventory.Found its = found.get(i);
      if (its.isComplete() && i + 1 < found.size()) { // or its last mark was lost in a crash
        inventory.checkGap(its.first(), its.sealed(), its.durableEnd(), found.get(i + 1).first());
      }
      if (!its.hasIndex()) {
        try (LogSegment segment = openWithIndex(its)) {
          scanner.scan(segment, true).damages().forEach(inventory::add);
          segment.forceIndex(); // before it has its name: it will not be scanned again
        }
        nameIndex(its.first());
      }
      inventory.add(its.header());
    }
  }

  /** Opens a segment with an index in which nothing is yet, under the spare one's name. */
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

  /** Goes through a segment, and ends it or takes it up; returns whether the log goes on behind. */
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
    for (LogInventory.Found later : behind) { // a crash: what followed was never durable
      long first = later.first();
      inventory.addDamage(first, 0, first, 0, "a segment before was not completed");
      inventory.setAside(
          first, true); // before this one is marked as complete, or there would be a gap
    }
    number = Math.max(highest, end);
    useOrSeal(segment, scan, end);
    return false;
  }

  /** Takes up a segment for appending, if nothing follows its last message; or else ends it. */
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
      marks.seal(SegmentHeader.BYTES); // so that readers leave it for the next of its name
      inventory.setAside(segment.first(), false);
    } else {
      finish(segment, scan);
    }
  }

  /** Whether nothing that follows the messages need be kept, as it was never committed. */
  private static boolean isEnd(LogSegment segment, SegmentScanner.Scan scan) {
    if (segment.marks().isSealed()) { // by an opening that did not come to its end
      return segment.marks().sealed() == scan.position();
    }
    long limit = segment.limit();
    return segment.word(scan.position()) == 0 // but a claim was open
        && new SegmentSearch(segment).resync(scan.position(), scan.number(), limit) < 0;
  }

  /** Ends a segment behind its last message, and makes that durable. */
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
