package dev.millrace.queues.log;

import dev.millrace.flyweight.internal.Checks;

/**
 * Where a reader is in its log: the number of its next message and, once they are found, the
 * segment and the position of it.
 */
final class ReaderPlace {
  private static final long NEVER = Long.MAX_VALUE; // the end of a segment that is not sealed
  private static final long LOST = -1; // the position of a message that its segment does not have

  private final SegmentFinder finder;
  private final KeptSegments kept = new KeptSegments();
  private LogSegment segment; // of the next message; null until it is found
  private long end = NEVER; // of the segment
  private boolean isLast; // whether no segment was behind this one when that was looked for
  private long position; // of the next message
  private long behind; // its end, once it was found
  private long number;
  private long lost;
  private long knownEnd; // a number behind a message that was there

  /** Before the first message that is kept. */
  ReaderPlace(SegmentFinder finder) {
    this.finder = finder;
    this.number = finder.firstNumber();
  }

  /** The segment of the next message; null if it is not found yet. */
  LogSegment segment() {
    return segment;
  }

  /** The position of the next message, once it was found. */
  long position() {
    return position;
  }

  /** The position behind the next message, once it was found. */
  long behind() {
    return behind;
  }

  /** The number of the next message. */
  long number() {
    return number;
  }

  /** How many messages were removed before the reader came to them. */
  long lostCount() {
    return lost;
  }

  // ---- going on ----

  /** Goes behind messages that were found. */
  void pass(long behind, int count) {
    position = behind;
    number += count;
  }

  /** The position behind a later message of the segment, if that is there, and whole; else 0. */
  long behind(long at, long its) {
    return at < end ? segment.behindWhole(at, its) : 0;
  }

  /**
   * Finds the next message.
   *
   * @return whether it is there; false if it is not there yet
   * @throws LogDamagedException if it never will be
   */
  boolean tryFind() {
    if (segment != null && end == NEVER) {
      boolean _ = noteEnd();
    }
    while (true) {
      long word = 0;
      if (segment != null && position >= 0 && position < end && segment.fits(position)) {
        word = segment.word(position);
        if (word != 0 && segment.isWhole(position, word, number)) {
          behind = LogSegment.behind(position, word);
          return true;
        }
      }
      if (!tryGoOn(word)) {
        return false;
      }
    }
  }

  /** Whether there is no next message; nor will there be, once the log is closed. */
  boolean isAtEnd() {
    try {
      return !tryFind();
    } catch (LogDamagedException e) {
      return false;
    }
  }

  /**
   * Finds out why there is no whole message at the position, and goes where it may be.
   *
   * @param word that was read there; 0 if none was
   * @return whether to try again; false if the message is not there yet
   * @throws LogDamagedException if it never will be
   */
  private boolean tryGoOn(long word) {
    if (segment == null) {
      return tryEnter();
    }
    if (position == LOST) {
      throw damaged(0, "message is missing");
    }
    boolean wasSealed = end != NEVER;
    if (!wasSealed && noteEnd()) {
      return true; // what was committed before the seal is visible now
    }
    long sealed = segment.marks().sealed();
    boolean isAtEnd = position >= end && sealed != 0;
    if (wasSealed && (isAtEnd || sealed == 0) && number > segment.first() && tryEnterNext()) {
      return true;
    }
    if (isAtEnd) { // the next segment is not there yet,
      leave(); // or this one was replaced under its name: the next poll opens it again
      return false;
    }
    if (word != 0 || wasSealed) {
      throw damaged(position, segment.reason(position, word, number));
    }
    return tryLeaveUnsealed();
  }

  /**
   * Leaves a segment that is not sealed if there is a later one: its writer is gone, or about to
   * seal it, or files of another log were copied here. Its messages end where the next one's begin.
   * Reads the names once in each segment, since nearly always this is the last.
   */
  private boolean tryLeaveUnsealed() {
    isLast |= finder.isCurrent(segment.first()); // and the log will seal it
    if (isLast) {
      return false;
    }
    long later = SegmentFinder.above(finder.firsts(), segment.first());
    if (later == segment.first()) {
      isLast = true;
      return false;
    }
    if (segment.marks().isSealed() || (segment.fits(position) && segment.word(position) != 0)) {
      return true; // it has been written since
    }
    if (number < later) {
      throw damaged(position, "message is missing");
    }
    leave();
    return true;
  }

  private LogDamagedException damaged(long at, String reason) {
    return new LogDamagedException(new LogDamage(segment.file(), at, number, 1, reason));
  }

  // ---- segments ----

  /** Goes to the segment that begins with the next message, if there is one. */
  private boolean tryEnterNext() {
    LogSegment next = finder.open(number);
    if (next != null) {
      enter(next);
      position = SegmentHeader.BYTES;
      return true;
    }
    long[] firsts = finder.firsts();
    if (firsts.length == 0 || firsts[firsts.length - 1] == segment.first()) {
      return false; // it is being made
    }
    if (firsts[0] < number && SegmentFinder.floor(firsts, number) == segment.first()) {
      throw damaged(position, "messages behind are missing");
    }
    leave(); // the messages are removed, or in a segment that has just been made, or overlaps
    return true;
  }

  /** Goes to the segment that has the next message; counts those that were removed. */
  private boolean tryEnter() {
    while (segment == null) {
      long[] firsts = finder.firsts();
      if (firsts.length == 0) {
        return false;
      }
      if (number < firsts[0]) {
        lost += firsts[0] - number;
        number = firsts[0];
      }
      kept.closeBefore(firsts[0]);
      LogSegment found = finder.open(SegmentFinder.floor(firsts, number));
      if (found != null) {
        enter(found);
        position = new SegmentSearch(found).find(number);
      }
    }
    return true;
  }

  private void enter(LogSegment next) {
    leave();
    segment = next;
    boolean _ = noteEnd();
  }

  /** Notes where the segment ends, once it does: what an earlier opening lost may follow. */
  private boolean noteEnd() {
    SegmentMarks marks = segment.marks();
    if (!marks.isSealed()) {
      return false;
    }
    long sealed = marks.sealed();
    end = sealed == 0 ? segment.limit() : sealed; // or the mark is damaged
    return true;
  }

  private void leave() {
    LogSegment left = letGo();
    if (left != null) {
      left.close();
    }
  }

  /** Leaves the segment without closing it; returns it, or null. */
  private LogSegment letGo() {
    LogSegment left = segment;
    segment = null;
    end = NEVER;
    isLast = false;
    return left;
  }

  // ---- elsewhere ----

  /** Checks a number that the reader is to move to. */
  long checked(long to) {
    if (to < 0 || to > knownEnd) {
      knownEnd = finder.endNumber();
    }
    return Checks.inRange("number", to, 0, knownEnd);
  }

  /** Moves before a message; to its segment, if that is at hand. Returns its number. */
  long seek(long to) {
    if (!trySeekHere(to)) {
      LogSegment next = kept.exchange(to, letGo());
      if (next != null) {
        enter(next);
        if (!trySeekHere(to)) {
          leave();
        }
      }
    }
    number = to;
    return to;
  }

  private boolean trySeekHere(long to) {
    long found = segment == null ? 0 : segment.indexed(to);
    if (found != 0) {
      position = found;
    }
    return found != 0;
  }

  /** Moves from a damaged message to the next whole one; returns how many were skipped. */
  long skipDamaged() {
    try {
      boolean _ = tryFind();
      return 0;
    } catch (LogDamagedException e) {
      long from = number;
      if (segment == null || !trySkipHere()) {
        number = SegmentFinder.above(finder.firsts(), from);
        leave();
      }
      return number - from;
    }
  }

  /** Moves to the next whole message of the segment, if there is one. */
  private boolean trySkipHere() {
    SegmentSearch search = new SegmentSearch(segment);
    long next;
    if (position == LOST) {
      SegmentSearch.Walk walk = search.walk();
      walk.advanceTo(number);
      next = walk.number() > number && walk.isAtMessage() ? walk.position() : -1;
    } else {
      long limit = Math.min(end, segment.limit());
      next = position < limit ? search.resync(position, number, limit) : -1;
    }
    if (next >= 0) {
      position = next;
      number = segment.numberAt(next);
    }
    return next >= 0;
  }

  /** Closes the segments that it has. */
  void close() {
    leave();
    kept.closeBefore(Long.MAX_VALUE);
  }
}
