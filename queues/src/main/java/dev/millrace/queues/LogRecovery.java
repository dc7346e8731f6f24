package dev.millrace.queues;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Finds out what a log's directory holds, and makes it ready for appending.
 *
 * <p>A segment that is marked as complete was forced to the disk, and so were all before it. Those
 * behind are scanned: whatever subset of their pages has reached the disk, a message counts if its
 * checksum is right and all before it count. What follows the last one is left as it is, unless it
 * is nothing but zeros: the segment is sealed there, or set aside under another name if it holds no
 * message, and a new one is begun.
 */
class LogRecovery {
  /*
   * A sync marks as durable, in the last segment, only what was forced after all before it. So a
   * gap below such a mark, or in a segment before one that has a mark, is not of a crash: the disk
   * has damaged what was durable. Then what follows the gap is kept and can be read. A gap elsewhere
   * ends the log: what follows never was durable, and would be the numbers to be given out next.
   */
  private static final String ASIDE = ".aside";

  /** Of a segment behind one that can be opened, whose end is where numbers go on. */
  private static final String LATER = ".later" + ASIDE;

  private final LogFiles files;
  private final boolean repairs;
  private final List<LogDamage> damages = new ArrayList<>();
  private long messages;

  /** The segments that are part of the log, by their first numbers, and when they were begun. */
  final List<MessageLog.Entry> entries = new ArrayList<>();

  /** The last segment, if messages can be appended to it. */
  LogSegment tail;

  /** Where the next message goes in it. */
  long position;

  /** The number of the next message. */
  long number;

  /** No message may be earlier. */
  long time = Long.MIN_VALUE;

  /** Makes one that changes nothing, or one that seals, sets aside, and rebuilds indexes. */
  LogRecovery(LogFiles files, boolean repairs) {
    this.files = files;
    this.repairs = repairs;
  }

  /** Where the messages of a segment end. */
  record Scan(long position, long number, long time, long messages) {}

  LogReport report() {
    long first = entries.isEmpty() ? number : entries.getFirst().first();
    damages.sort(Comparator.comparingLong(LogDamage::number)); // headers are found first
    return new LogReport(entries.size(), first, number, messages, damages);
  }

  // ---- opening ----

  /** Recovers the log; what is left open in {@link #tail} is its caller's. */
  void recover() throws IOException {
    removeLeftovers();
    List<LogSegment> open = new ArrayList<>();
    try {
      openSegments(open);
      if (open.isEmpty()) { // what was set aside is not to be given out again
        number = LogSegment.lastFirst(files.names());
      } else {
        int from = open.size(); // the first one that is not known to be complete
        while (from > 0 && !open.get(from - 1).isComplete()) {
          from--;
        }
        if (from > 0) {
          number = open.get(from - 1).durableEnd();
        }
        checkGaps(open, from);
        if (from > 0) {
          LogSegment known = open.get(from - 1);
          long last = known.indexed(number - 1);
          time = known.isAt(last, number - 1) ? known.timeAt(last) : known.created;
        }
        scanFrom(open, from);
      }
    } finally {
      for (LogSegment segment : open) {
        if (segment != tail) {
          segment.close();
        }
      }
    }
  }

  /** Deletes indexes without a segment. */
  private void removeLeftovers() throws IOException {
    List<String> names = files.names();
    long[] firsts = LogSegment.firsts(names);
    for (long first : LogSegment.indexFirsts(names)) {
      if (Arrays.binarySearch(firsts, first) < 0) {
        files.delete(LogSegment.indexName(first));
      }
    }
  }

  /** Opens all segments; one without a header is set aside, or left out if it cannot be. */
  private void openSegments(List<LogSegment> open) throws IOException {
    long[] firsts = LogSegment.firsts(files.names());
    for (long first : firsts) {
      try {
        open.add(LogSegment.open(files, first, repairs));
      } catch (LogDamagedException e) {
        damages.add(e.damage());
        if (repairs) {
          setAside(first, open.isEmpty() ? ASIDE : LATER);
        }
      } catch (NoSuchFileException e) {
        if (repairs) {
          throw e;
        } // the log's retention has removed it meanwhile
      }
    }
  }

  /** Reports numbers that are missing between segments that are complete, which are not scanned. */
  private void checkGaps(List<LogSegment> open, int to) throws IOException {
    for (int i = 0; i < to; i++) {
      LogSegment segment = open.get(i);
      if (segment.isComplete() && i + 1 < open.size()) { // or its last mark was lost in a crash
        checkGap(segment, segment.durableEnd(), open.get(i + 1).first);
      }
      if (!segment.hasIndex()) {
        segment = withIndex(open, i);
        scan(segment, true);
        segment.forceIndex(); // before it has its name: it will not be scanned again
        nameIndex(segment);
      }
      addEntry(segment);
    }
  }

  private void checkGap(LogSegment segment, long end, long next) {
    if (next > end) {
      damages.add(
          new LogDamage(segment.file, segment.sealed(), end, next - end, "messages are missing"));
    }
  }

  /** Opens a segment again, with an index in which nothing is yet, under the spare one's name. */
  private LogSegment withIndex(List<LogSegment> open, int i) throws IOException {
    LogSegment segment = open.get(i);
    files.create(MessageLog.SPARE_INDEX, LogSegment.indexBytes(segment.segmentBytes)).close();
    LogSegment again = LogSegment.open(files, segment.first, MessageLog.SPARE_INDEX, true);
    segment.close();
    open.set(i, again);
    return again;
  }

  private void nameIndex(LogSegment segment) throws IOException {
    files.rename(MessageLog.SPARE_INDEX, LogSegment.indexName(segment.first));
  }

  private void addEntry(LogSegment segment) {
    entries.add(new MessageLog.Entry(segment.first, segment.created, segment.segmentBytes));
  }

  private void scanFrom(List<LogSegment> open, int from) throws IOException {
    int durable = -1; // the last segment with a mark
    for (int i = 0; i < open.size(); i++) {
      durable = open.get(i).durable() != 0 ? i : durable;
    }
    for (int i = from; i < open.size(); i++) {
      LogSegment segment = open.get(i);
      if (!segment.hasIndex()) {
        segment = withIndex(open, i);
        nameIndex(segment);
      }
      boolean isLast = i + 1 == open.size();
      boolean wasDurable = i < durable;
      Scan scan = scan(segment, wasDurable);
      messages += scan.messages;
      time = Math.max(Math.max(time, segment.created), scan.time);
      long end = Math.max(scan.number, segment.durableEnd());
      if (isLast) {
        number = end;
        useOrSeal(segment, scan, end);
      } else if (scan.number == open.get(i + 1).first || wasDurable) {
        checkGap(segment, scan.number, open.get(i + 1).first);
        finish(segment, scan);
        number = open.get(i + 1).first;
      } else { // a crash: what follows was never durable
        for (LogSegment later : open.subList(i + 1, open.size())) {
          damages.add(
              new LogDamage(later.file, 0, later.first, 0, "a segment before was not completed"));
          setAside(
              later.first, LATER); // before this one is marked as complete, or there would be a gap
        }
        number = end;
        useOrSeal(segment, scan, end);
        return;
      }
    }
  }

  /** Takes up a segment for appending, if nothing follows its last message; or else ends it. */
  private void useOrSeal(LogSegment segment, Scan scan, long end) throws IOException {
    boolean hasRoom = !segment.isSealed() && !segment.isCut && segment.fits(scan.position);
    if (hasRoom && scan.number == end && segment.isEmptyFrom(scan.position)) {
      segment.clearIndex(end);
      addEntry(segment);
      tail = segment;
      position = scan.position;
      return;
    }
    if (scan.position != segment.sealed()) {
      damages.add(
          new LogDamage(
              segment.file,
              scan.position,
              scan.number,
              end - scan.number,
              segment.isCut
                  ? "file is too short"
                  : scan.number < end ? "durable messages are lost" : "message was not completed"));
    }
    if (scan.number == segment.first) {
      setAside(segment.first, ASIDE);
    } else {
      finish(segment, scan);
    }
  }

  /** Ends a segment behind its last message, and makes that durable. */
  private void finish(LogSegment segment, Scan scan) throws IOException {
    segment.clearIndex(scan.number);
    if (segment.sealed() != scan.position) {
      segment.seal(scan.position);
    }
    segment.force(scan.position);
    segment.forceMarks();
    segment.forceIndex();
    files.force();
    segment.markComplete(scan.position, scan.number);
    addEntry(segment);
  }

  /** Takes a file out of the log, and keeps it. */
  private void setAside(long first, String suffix) throws IOException {
    List<String> names = files.names();
    String name = LogSegment.name(first);
    String aside = name + suffix;
    for (int i = 1; names.contains(aside); i++) {
      aside = name + suffix + i;
    }
    files.rename(name, aside);
    files.delete(LogSegment.indexName(first));
  }

  // ---- scanning ----

  /** Whether a message counts. */
  boolean isWhole(LogSegment segment, long position, long word, long number) {
    return segment.isWhole(position, word, number);
  }

  /**
   * Goes through a segment's messages, and corrects its index.
   *
   * @param wasDurable whether all of it was on the disk once, whatever its marks say
   */
  Scan scan(LogSegment segment, boolean wasDurable) {
    long sealed = segment.sealed();
    long limit = sealed == 0 ? segment.bytes : sealed;
    long durable = wasDurable ? limit : segment.durable();
    long at = LogSegment.HEADER_BYTES;
    long next = segment.first;
    long count = 0;
    long last = -1;
    while (at < limit && segment.fits(at)) {
      long word = segment.word(at);
      if (word != 0 && isWhole(segment, at, word, next)) {
        if (repairs && segment.hasIndex()) {
          segment.reindex(next, at);
        }
        last = at;
        at += LogSegment.room(LogSegment.length(word));
        next++;
        count++;
        continue;
      }
      long found = at < durable ? segment.resync(at, next, limit) : -1;
      if (found < 0) {
        break;
      }
      long number = segment.numberAt(found);
      damages.add(
          new LogDamage(segment.file, at, next, number - next, segment.reason(at, word, next)));
      at = found;
      next = number;
    }
    return new Scan(at, next, last < 0 ? segment.created : segment.timeAt(last), count);
  }

  // ---- verifying ----

  /** Reads all messages of all segments. */
  void verify() throws IOException {
    List<LogSegment> open = new ArrayList<>();
    try {
      openSegments(open);
      for (int i = 0; i < open.size(); i++) {
        verify(open.get(i), i + 1 < open.size() ? open.get(i + 1) : null);
      }
    } finally {
      open.forEach(LogSegment::close);
    }
  }

  private void verify(LogSegment segment, LogSegment next) {
    long durableEnd = segment.durableEnd(); // before the scan, for a writer may be at work
    Scan scan = scan(segment, next != null);
    messages += scan.messages;
    addEntry(segment);
    number = Math.max(scan.number, durableEnd);
    long sealed = segment.sealed();
    boolean isTorn;
    if (segment.isSealed()) {
      isTorn = scan.position != sealed; // which is 0 if the mark is damaged
    } else if (next != null) {
      isTorn = scan.number != next.first; // a kill before the mark loses nothing
    } else {
      isTorn = hasDamageAt(segment, scan);
    }
    if (segment.isCut || isTorn || number > scan.number) {
      long end = next == null ? number : next.first;
      damages.add(
          new LogDamage(
              segment.file,
              scan.position,
              scan.number,
              end - scan.number,
              segment.isCut ? "file is too short" : reason(segment, scan)));
    } else if (next != null) {
      checkGap(segment, scan.number, next.first);
    }
    checkIndex(segment, scan);
  }

  private static boolean hasDamageAt(LogSegment segment, Scan scan) {
    long word = segment.fits(scan.position) ? segment.word(scan.position) : 0;
    return word != 0 && !segment.isWhole(scan.position, word, scan.number);
  }

  private static String reason(LogSegment segment, Scan scan) {
    return segment.fits(scan.position)
        ? segment.reason(scan.position, segment.word(scan.position), scan.number)
        : "mark of the end is damaged";
  }

  private void checkIndex(LogSegment segment, Scan scan) {
    LogSegment.Walk walk = segment.new Walk(LogSegment.HEADER_BYTES, segment.first);
    do {
      if (walk.number < scan.number
          && segment.isAt(walk.position, walk.number)
          && segment.indexed(walk.number) != walk.position) {
        damages.add(
            new LogDamage(segment.file, walk.position, walk.number, 0, "index is not right"));
        return; // the first one is enough: the messages can be read
      }
    } while (walk.goesOn() && walk.number < scan.number);
  }
}
