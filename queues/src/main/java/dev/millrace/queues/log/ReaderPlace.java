package dev.millrace.queues.log;

import dev.millrace.flyweight.internal.Checks;
import org.jspecify.annotations.NullUnmarked;

/**
 * The place of a reader in its log: the number of its next message and, once found, the segment and
 * position of that message.
 */
@NullUnmarked // which fields are null follows from the state
final class ReaderPlace {
  private static final long NEVER = Long.MAX_VALUE; // the end of a segment that is not sealed
  private static final long LOST = -1; // the position of a message that is missing in its segment

  private final SegmentFinder finder;
  private final KeptSegments kept = new KeptSegments();
  private LogSegment segment; // segment of the next message; null until it is found
  private long end = NEVER; // end of the segment
  private boolean isLast; // whether no segment followed this one when last checked
  private long position; // position of the next message
  private long behind; // end of the next message, once it was found
  private long number;
  private long lost;
  private long knownEnd; // one past a message known to exist

  /** What the log has lost of the messages that were released; null if nothing, or once passed. */
  private LogDamage cutBack;

  /** Makes a place before the first message that is kept. */
  ReaderPlace(SegmentFinder finder) {
    this.finder = finder;
    this.number = finder.firstNumber();
  }

  /**
   * Makes a place where a reader of this name has released. Its messages may have been removed
   * since. If the log has lost them, the place is at the end of the log, and polls throw.
   */
  ReaderPlace(SegmentFinder finder, ReaderFile file) {
    this.finder = finder;
    ReaderFile.Place its = file.place();
    this.number = Math.min(its.position(), finder.endNumber());
    if (number < its.position()) {
      file.cutBack(number); // before the log gives these numbers out again
    }
    if (number < its.released()) {
      String reason = "log has lost messages that reader " + file.name() + " has released";
      this.cutBack = new LogDamage(file.file(), 0, number, its.released() - number, reason);
    }
  }

  /** Returns the segment of the next message, or null if it is not found yet. */
  LogSegment segment() {
    return segment;
  }

  /** Returns the position of the next message, once it was found. */
  long position() {
    return position;
  }

  /** Returns the position after the next message, once it was found. */
  long behind() {
    return behind;
  }

  /** Returns the number of the next message. */
  long number() {
    return number;
  }

  /** Returns how many messages were removed before the reader reached them. */
  long lostCount() {
    return lost;
  }

  // ---- going on ----

  /** Moves past {@code count} messages that were found. */
  void pass(long behind, int count) {
    position = behind;
    number += count;
  }

  /**
   * Returns the position after the message with the number {@code its}, if that is whole at the
   * position {@code at} of the segment, or 0 otherwise.
   */
  long behind(long at, long its) {
    return at < end ? segment.behindWhole(at, its) : 0;
  }

  /**
   * Finds the next message.
   *
   * @return whether the message is there; false if it is not there yet
   * @throws LogDamagedException if the message is damaged or missing for good
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

  /**
   * Finds the message before the next one. The place is before that message then.
   *
   * @return whether there is one; false at the oldest message that is kept
   * @throws LogDamagedException if the message is damaged or missing; the place has not changed
   */
  boolean tryFindPrevious() {
    checkNotCutBack();
    long its = number - 1;
    if (!tryEnterWith(its)) {
      return false;
    }
    long at = segment.index().position(its);
    long after = behindHere(at, its);
    if (after == 0) { // the index is missing or wrong
      at = new SegmentSearch(segment).find(its);
      after = behindHere(at, its);
    }
    if (after == 0) {
      LogDamage damage = damageBefore(at, its);
      leave();
      throw new LogDamagedException(damage);
    }
    number = its;
    position = at;
    behind = after;
    return true;
  }

  /** Moves to the segment of a message before the place. Returns false if it is not kept. */
  private boolean tryEnterWith(long its) {
    boolean isHere = segment != null && segment.first() <= its;
    while (!isHere) {
      long[] firsts = finder.firsts();
      if (firsts.length == 0 || its < firsts[0]) {
        return false;
      }
      LogSegment found = finder.open(SegmentFinder.floor(firsts, its));
      isHere = found != null;
      if (isHere) {
        enter(found);
      }
    }
    return true;
  }

  private long behindHere(long at, long its) {
    return at >= SegmentHeader.BYTES ? behind(at, its) : 0;
  }

  private LogDamage damageBefore(long at, long its) {
    if (at >= 0 && at < end && segment.fits(at)) {
      return new LogDamage(segment.file(), at, its, 1, segment.reason(at, segment.word(at), its));
    }
    long last = Math.min(its, new SegmentSearch(segment).end()); // a gap is passed in one step
    return new LogDamage(segment.file(), 0, last, its + 1 - last, "messages are missing");
  }

  /** Returns whether there is no next message. Once the log is closed, there will never be one. */
  boolean isAtEnd() {
    try {
      return !tryFind();
    } catch (LogDamagedException e) {
      return false;
    }
  }

  /**
   * Determines why there is no whole message at the position, and moves to where it may be.
   *
   * @param word the word read there, or 0 if none was read
   * @return whether to try again; false if the message is not there yet
   * @throws LogDamagedException if the message is damaged or missing for good
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
      return true; // everything committed before the seal is visible now
    }
    long sealed = segment.marks().sealed();
    boolean isAtEnd = position >= end && sealed != 0;
    if (wasSealed && (isAtEnd || sealed == 0) && number > segment.first() && tryEnterNext()) {
      return true;
    }
    if (isAtEnd) { // the next segment does not exist yet,
      leave(); // or this one was replaced under its name: the next poll opens it again
      return false;
    }
    if (word != 0 || wasSealed) {
      throw damaged(position, segment.reason(position, word, number));
    }
    return tryLeaveUnsealed();
  }

  /**
   * Leaves a segment that is not sealed if there is a later one. Its writer is gone or is about to
   * seal it, or files of a different log were copied here. Its messages end where those of the next
   * segment begin. The names are read only once in each segment, because it is nearly always the
   * last one.
   */
  private boolean tryLeaveUnsealed() {
    isLast |= finder.isCurrent(segment.first()); // then the log will seal it
    if (isLast) {
      return false;
    }
    long later = SegmentFinder.above(finder.firsts(), segment.first());
    if (later == segment.first()) {
      isLast = true;
      return false;
    }
    if (segment.marks().isSealed() || (segment.fits(position) && segment.word(position) != 0)) {
      return true; // the message has been written since
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

  /** Moves to the segment that begins with the next message, if there is one. */
  private boolean tryEnterNext() {
    LogSegment next = finder.open(number);
    if (next != null) {
      enter(next);
      position = SegmentHeader.BYTES;
      return true;
    }
    long[] firsts = finder.firsts();
    if (firsts.length == 0 || firsts[firsts.length - 1] == segment.first()) {
      return false; // the next segment is being made
    }
    if (firsts[0] < number && SegmentFinder.floor(firsts, number) == segment.first()) {
      throw damaged(position, "messages behind are missing");
    }
    leave(); // the messages were removed, or are in a new or overlapping segment
    return true;
  }

  /** Moves to the segment that has the next message, counting messages that were removed. */
  private boolean tryEnter() {
    checkNotCutBack();
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

  /** Throws if the reader has not been told yet what the log has lost. */
  private void checkNotCutBack() {
    if (cutBack != null) {
      throw new LogDamagedException(cutBack);
    }
  }

  private void enter(LogSegment next) {
    leave();
    segment = next;
    boolean _ = noteEnd();
  }

  /**
   * Notes where the segment ends, once it is sealed. Messages that an earlier opening has lost may
   * follow.
   */
  private boolean noteEnd() {
    SegmentMarks marks = segment.marks();
    if (!marks.isSealed()) {
      return false;
    }
    long sealed = marks.sealed();
    end = sealed == 0 ? segment.limit() : sealed; // 0 if the mark is damaged
    return true;
  }

  private void leave() {
    LogSegment left = letGo();
    if (left != null) {
      left.close();
    }
  }

  /** Leaves the segment without closing it. Returns the segment, or null if there is none. */
  private LogSegment letGo() {
    LogSegment left = segment;
    segment = null;
    end = NEVER;
    isLast = false;
    return left;
  }

  // ---- elsewhere ----

  /** Checks the number {@code to} to which the reader is to move. */
  long checked(long to) {
    if (to < 0 || to > knownEnd) {
      knownEnd = finder.endNumber();
    }
    return Checks.inRange("number", to, 0, knownEnd);
  }

  /**
   * Moves before message {@code to}, and to its segment if that is open. Returns the message's
   * number.
   */
  long seek(long to) {
    cutBack = null;
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

  /** Moves from a damaged message to the next whole one. Returns how many were skipped. */
  long skipDamaged() {
    try {
      boolean _ = tryFind();
      return 0;
    } catch (LogDamagedException e) {
      if (cutBack != null) {
        long count = cutBack.count();
        cutBack = null;
        return count;
      }
      long from = number;
      if (segment == null || !trySkipHere()) {
        number = SegmentFinder.above(finder.firsts(), from);
        leave();
      }
      return number - from;
    }
  }

  /** Moves to the next whole message in the segment, if there is one. */
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

  /** Closes all open segments. */
  void close() {
    leave();
    kept.closeBefore(Long.MAX_VALUE);
  }
}
