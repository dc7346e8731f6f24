package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogFiles;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks every message of a log, which may be open, without changing anything. */
final class LogVerifier {
  private final LogFiles files;
  private final SegmentScanner scanner;
  private final LogInventory inventory;
  private long number; // one past the last message

  LogVerifier(LogFiles files, SegmentScanner scanner) {
    this.files = files;
    this.scanner = scanner;
    this.inventory = new LogInventory(files, false);
  }

  @SuppressWarnings("NullAway") // only a deserialized exception has no damage
  LogReport verify() throws IOException {
    List<LogInventory.Found> found = inventory.find();
    for (int i = 0; i < found.size(); i++) {
      try (LogSegment segment = LogSegment.openIfThere(files, found.get(i).first())) {
        if (segment == null) {
          inventory.forgetSegments(); // as were all before it
        } else {
          verify(segment, i + 1 < found.size() ? found.get(i + 1) : null);
        }
      } catch (LogDamagedException e) { // its header was whole at first
        inventory.add(e.damage());
      }
    }
    return inventory.report(number);
  }

  private void verify(LogSegment segment, LogInventory.@Nullable Found next) {
    SegmentMarks marks = segment.marks();
    long durableEnd = marks.durableEnd(); // before the scan, because the log may be written
    boolean isSealed = marks.isSealed();
    SegmentScanner.Scan scan = scanner.scan(segment, next != null);
    inventory.add(scan);
    inventory.add(segment.header());
    number = Math.max(scan.number(), durableEnd);
    boolean isTorn;
    if (isSealed) {
      isTorn = scan.position() != marks.sealed(); // 0 if the mark is damaged
    } else if (next != null) {
      isTorn = scan.number() < next.first(); // a kill before sealing loses nothing
    } else {
      isTorn = hasDamageAt(segment, scan);
    }
    boolean isDamaged = segment.isCut() || isTorn || number > scan.number();
    if (isDamaged) {
      long end = next == null ? number : next.first();
      inventory.addDamage(
          segment.first(),
          scan.position(),
          scan.number(),
          Math.max(0, end - scan.number()),
          segment.isCut() ? "file is too short" : reason(segment, scan));
    }
    if (next != null && (next.first() < scan.number() || !isDamaged)) {
      inventory.checkGap(segment.first(), marks.sealed(), scan.number(), next.first());
    }
    checkIndex(segment, scan);
  }

  private static boolean hasDamageAt(LogSegment segment, SegmentScanner.Scan scan) {
    long word = segment.fits(scan.position()) ? segment.word(scan.position()) : 0;
    return word != 0 && !segment.isWhole(scan.position(), word, scan.number());
  }

  private static String reason(LogSegment segment, SegmentScanner.Scan scan) {
    return segment.fits(scan.position())
        ? segment.reason(scan.position(), segment.word(scan.position()), scan.number())
        : "mark of the end is damaged";
  }

  private void checkIndex(LogSegment segment, SegmentScanner.Scan scan) {
    SegmentSearch.Walk walk = new SegmentSearch(segment).walk();
    do {
      if (walk.number() < scan.number()
          && walk.isAtMessage()
          && segment.index().position(walk.number()) != walk.position()) {
        inventory.addDamage(
            segment.first(), walk.position(), walk.number(), 0, "index is not right");
        return; // one is enough, because the messages can still be read
      }
    } while (walk.tryAdvance() && walk.number() < scan.number());
  }
}
