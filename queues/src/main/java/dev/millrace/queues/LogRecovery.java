package dev.millrace.queues;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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

  private static final long WINDOW_BYTES = 1 << 20; // is made dirty at once

  private final LogFiles files;
  private final boolean repairs;
  private final List<LogDamage> damages = new ArrayList<>();
  private long messages;

  /** The highest number behind a segment: that of a later one is lower if segments overlap. */
  private long highest;

  /** The segments that are part of the log, by their first numbers, and when they were begun. */
  final List<MessageLog.Entry> entries = new ArrayList<>();

  /** The last segment, if messages can be appended to it. */
  LogSegment tail;

  /** Whether this opening is its only writer, and nothing follows its end. */
  boolean isTailOwn;

  /** The number of this opening for writing. */
  long opening;

  /** The segment that says so; null if there is none. */
  LogSegment.Taken taken;

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

  /** A segment as it was found; it is not kept open, since a process has only so many mappings. */
  private record Found(
      MessageLog.Entry entry,
      long sealed,
      long durable,
      long durableEnd,
      boolean isComplete,
      boolean hasIndex) {
    long first() {
      return entry.first();
    }
  }

  LogReport report() {
    long first = entries.isEmpty() ? number : entries.getFirst().first();
    damages.sort(Comparator.comparingLong(LogDamage::number)); // headers are found first
    return new LogReport(entries.size(), first, number, messages, damages);
  }

  // ---- opening ----

  /** Recovers the log. The caller then owns {@link #tail}, which is open, and {@link #letGo}. */
  void recover() throws IOException {
    takeOver();
    removeLeftovers();
    List<Found> found = findSegments();
    if (found.isEmpty()) { // what was set aside is not to be given out again
      number = LogSegment.lastFirst(files.names());
      return;
    }
    int from = found.size(); // the first one that is not known to be complete
    while (from > 0 && !found.get(from - 1).isComplete) {
      from--;
    }
    for (Found complete : found.subList(0, from)) {
      highest = Math.max(highest, complete.durableEnd);
    }
    number = highest;
    checkGaps(found, from);
    if (from > 0) {
      Found before = found.get(from - 1);
      try (LogSegment known = LogSegment.open(files, before.first(), false)) {
        long last = known.indexed(before.durableEnd - 1);
        time = known.isAt(last, before.durableEnd - 1) ? known.timeAt(last) : known.created;
      }
    }
    scanFrom(found, from);
  }

  /** Takes the log over from an earlier opening, which may still write it: see MessageLog. */
  private void takeOver() throws IOException {
    List<String> names = files.names();
    for (String name : LogSegment.lastNames(names)) {
      opening = Math.max(opening, LogSegment.opening(files, name));
    }
    opening++;
    do {
      letGo();
      String last = LogSegment.lastName(names);
      if (last != null) {
        taken = LogSegment.takeOver(files, last, opening);
        opening = taken.opening();
      }
      takeSpares();
      names = files.names();
    } while (!hasTaken(LogSegment.lastName(names)));
  }

  /** Whether the last segment is the one that was taken over: another may have its name now. */
  private boolean hasTaken(String last) throws IOException {
    return last == null
        ? taken == null
        : taken != null && LogSegment.opening(files, last) == taken.written();
  }

  /** Unmaps what was taken over, once the log has a segment of its own. */
  void letGo() {
    if (taken != null) {
      taken.close();
      taken = null;
    }
  }

  /** Takes a segment that waits to be begun, and deletes what was being made or begun. */
  private void takeSpares() throws IOException {
    for (String name : files.names()) {
      if (MessageLog.MADE.matcher(name).matches()) {
        if (name.endsWith("ready.log")) {
          rename(name, MessageLog.SPARE);
        } else if (name.endsWith("ready.index")) {
          rename(name, MessageLog.SPARE_INDEX);
        } else if (!name.equals(MessageLog.SPARE) && !name.equals(MessageLog.SPARE_INDEX)) {
          files.delete(name);
        }
      }
    }
  }

  private void rename(String ready, String name) throws IOException {
    try {
      files.rename(ready, name);
    } catch (NoSuchFileException e) {
      // the earlier opening has just begun it, under a name of its own
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

  /** Finds all segments; one without a header is set aside, or left out if it cannot be. */
  private List<Found> findSegments() throws IOException {
    List<Found> found = new ArrayList<>();
    for (long first : LogSegment.firsts(files.names())) {
      try (LogSegment segment = LogSegment.open(files, first, false)) {
        found.add(
            new Found(
                entryOf(segment),
                segment.sealed(),
                segment.durable(),
                segment.durableEnd(),
                segment.isComplete(),
                segment.hasIndex()));
      } catch (LogDamagedException e) {
        damages.add(e.damage());
        if (repairs) {
          setAside(first, found.isEmpty() ? ASIDE : LATER);
        }
      } catch (NoSuchFileException e) {
        LogSegment.checkRemoved(files, first, e);
        if (repairs) {
          throw e;
        }
        found.clear(); // the log's retention has removed it meanwhile, and all before it
        damages.clear();
      }
    }
    return found;
  }

  /** Reports numbers that are missing between segments that are complete, which are not scanned. */
  private void checkGaps(List<Found> found, int to) throws IOException {
    for (int i = 0; i < to; i++) {
      Found its = found.get(i);
      if (its.isComplete && i + 1 < found.size()) { // or its last mark was lost in a crash
        checkGap(its.first(), its.sealed, its.durableEnd, found.get(i + 1).first());
      }
      if (!its.hasIndex) {
        try (LogSegment segment = openWithIndex(its)) {
          scan(segment, true);
          segment.forceIndex(); // before it has its name: it will not be scanned again
        }
        nameIndex(its.first());
      }
      entries.add(its.entry);
    }
  }

  /** Checks that the next segment begins where one ends. */
  private void checkGap(long first, long position, long end, long next) {
    Path file = files.path(LogSegment.name(first));
    if (next > end) {
      damages.add(new LogDamage(file, position, end, next - end, "messages are missing"));
    } else if (next < end) {
      String reason =
          "segments overlap: the next one begins at number %d, before %d".formatted(next, end);
      damages.add(new LogDamage(file, position, next, 0, reason));
    }
  }

  /** Opens a segment with an index in which nothing is yet, under the spare one's name. */
  private LogSegment openWithIndex(Found found) throws IOException {
    files.create(MessageLog.SPARE_INDEX, LogSegment.indexBytes(found.entry.segmentBytes())).close();
    return LogSegment.open(files, found.first(), MessageLog.SPARE_INDEX, true);
  }

  private void nameIndex(long first) throws IOException {
    files.rename(MessageLog.SPARE_INDEX, LogSegment.indexName(first));
  }

  private static MessageLog.Entry entryOf(LogSegment segment) {
    return new MessageLog.Entry(
        segment.first, segment.created, segment.clock, segment.segmentBytes);
  }

  private void scanFrom(List<Found> found, int from) throws IOException {
    int durable = -1; // the last segment with a mark
    for (int i = 0; i < found.size(); i++) {
      durable = found.get(i).durable != 0 ? i : durable;
    }
    for (int i = from; i < found.size(); i++) {
      Found its = found.get(i);
      LogSegment segment =
          its.hasIndex ? LogSegment.open(files, its.first(), true) : openWithIndex(its);
      try {
        if (!its.hasIndex) {
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
  private boolean scan(LogSegment segment, boolean wasDurable, List<Found> behind)
      throws IOException {
    Scan scan = scan(segment, wasDurable);
    messages += scan.messages;
    time = Math.max(Math.max(time, segment.created), scan.time);
    long end = Math.max(scan.number, segment.durableEnd());
    if (!behind.isEmpty() && (scan.number == behind.getFirst().first() || wasDurable)) {
      number = behind.getFirst().first();
      checkGap(segment.first, segment.sealed(), scan.number, number);
      finish(segment, scan);
      highest = Math.max(highest, scan.number);
      return true;
    }
    for (Found later : behind) { // a crash: what followed was never durable
      Path file = files.path(LogSegment.name(later.first()));
      damages.add(new LogDamage(file, 0, later.first(), 0, "a segment before was not completed"));
      // before this one is marked as complete, or there would be a gap
      setAside(later.first(), LATER);
    }
    number = Math.max(highest, end);
    useOrSeal(segment, scan, end);
    return false;
  }

  /** Takes up a segment for appending, if nothing follows its last message; or else ends it. */
  private void useOrSeal(LogSegment segment, Scan scan, long end) throws IOException {
    boolean isOpen = !segment.isSealed() && !segment.isCut && scan.number == end;
    boolean isWhole = isOpen && segment.isEmptyFrom(scan.position);
    boolean isUsable = number == end && scan.number == end && !segment.isCut;
    if (isUsable && segment.fits(scan.position) && (isWhole || isEnd(segment, scan))) {
      segment.clearIndex(end);
      entries.add(entryOf(segment));
      tail = segment;
      long closed = segment.closed();
      isTailOwn = isWhole && segment.opening() == opening && closed != 0 && closed + 1 == opening;
      position = scan.position;
    }
    if (!isWhole && scan.position != segment.sealed()) {
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
    if (tail != null) {
      return;
    }
    if (scan.number == segment.first) {
      segment.seal(LogSegment.HEADER_BYTES); // so that readers leave it for the next of its name
      setAside(segment.first, ASIDE);
    } else {
      finish(segment, scan);
    }
  }

  /** Whether nothing that follows the messages need be kept, as it was never committed. */
  private static boolean isEnd(LogSegment segment, Scan scan) {
    return segment.isSealed()
        ? segment.sealed() == scan.position // by an opening that did not come to its end
        : segment.word(scan.position) == 0 // but a claim was open
            && segment.resync(scan.position, scan.number, segment.bytes) < 0;
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
    entries.add(entryOf(segment));
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
    if (repairs) {
      segment.touchHeadersAndIndex(); // first, as with the messages below
    }
    long sealed = segment.sealed();
    long limit = sealed == 0 ? segment.bytes : sealed;
    long durable = wasDurable ? limit : segment.durable();
    long at = LogSegment.HEADER_BYTES;
    long next = segment.first;
    long count = 0;
    long last = -1;
    Touched touched = new Touched(segment, at, repairs ? limit : at);
    while (at < limit && segment.fits(at)) {
      touched.reach(at + LogSegment.MESSAGE_BYTES); // first, since a dirty page stays as it is
      long word = segment.word(at);
      if (word != 0 && isWhole(segment, at, word, next)) {
        long end = at + LogSegment.room(LogSegment.length(word));
        if (touched.reach(end)) {
          continue; // it is checked again
        }
        if (repairs && segment.hasIndex()) {
          segment.reindex(next, at);
        }
        last = at;
        at = end;
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
    touched.close();
    return new Scan(at, next, last < 0 ? segment.created : segment.timeAt(last), count);
  }

  /**
   * How far a segment was made dirty, window by window. Another thread does the next one meanwhile:
   * the page faults take half as long as the scan.
   */
  private static final class Touched {
    private final LogSegment segment;
    private final long limit;
    private long end; // of what is dirty
    private long aheadEnd; // of what will be, once the other thread is through
    private CompletableFuture<?> ahead = CompletableFuture.completedFuture(null);

    Touched(LogSegment segment, long from, long limit) {
      this.segment = segment;
      this.limit = limit;
      this.end = from;
      this.aheadEnd = from;
    }

    /** Makes all dirty up to a position; returns whether it was not. */
    boolean reach(long position) {
      if (Math.min(position, limit) <= end) {
        return false;
      }
      close();
      if (end < position) { // the first window, or what a long message has behind the second
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
    void close() {
      ahead.join();
      end = aheadEnd;
    }
  }

  // ---- verifying ----

  /** Reads all messages of all segments. */
  void verify() throws IOException {
    List<Found> found = findSegments();
    for (int i = 0; i < found.size(); i++) {
      try (LogSegment segment = LogSegment.open(files, found.get(i).first(), false)) {
        verify(segment, i + 1 < found.size() ? found.get(i + 1) : null);
      } catch (LogDamagedException e) { // its header was whole before
        damages.add(e.damage());
      } catch (NoSuchFileException e) {
        LogSegment.checkRemoved(files, found.get(i).first(), e);
        entries.clear(); // all before it are removed too
        messages = 0;
      }
    }
  }

  private void verify(LogSegment segment, Found next) {
    long durableEnd = segment.durableEnd(); // before the scan, for a writer may be at work
    boolean isSealed = segment.isSealed();
    Scan scan = scan(segment, next != null);
    messages += scan.messages;
    entries.add(entryOf(segment));
    number = Math.max(scan.number, durableEnd);
    boolean isTorn;
    if (isSealed) {
      isTorn = scan.position != segment.sealed(); // which is 0 if the mark is damaged
    } else if (next != null) {
      isTorn = scan.number < next.first(); // a kill before the mark loses nothing
    } else {
      isTorn = hasDamageAt(segment, scan);
    }
    boolean isDamaged = segment.isCut || isTorn || number > scan.number;
    if (isDamaged) {
      long end = next == null ? number : next.first();
      damages.add(
          new LogDamage(
              segment.file,
              scan.position,
              scan.number,
              Math.max(0, end - scan.number),
              segment.isCut ? "file is too short" : reason(segment, scan)));
    }
    if (next != null && (next.first() < scan.number || !isDamaged)) {
      checkGap(segment.first, segment.sealed(), scan.number, next.first());
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
