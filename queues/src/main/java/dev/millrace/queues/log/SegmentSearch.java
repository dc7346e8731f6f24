package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.internal.Speculative;

/**
 * Finds messages in a segment: by its index where that is right, and else by going from message to
 * message, over damaged ones too.
 */
final class SegmentSearch {
  private final LogSegment segment;
  private final long first;

  SegmentSearch(LogSegment segment) {
    this.segment = segment;
    this.first = segment.first();
  }

  /**
   * Finds a message.
   *
   * @param number from that of the first message to the one behind the last
   * @return where it is, or is going to be; negative if it is not there
   */
  long find(long number) {
    if (number == first) {
      return SegmentHeader.BYTES;
    }
    long position = segment.indexed(number);
    if (position != 0) {
      return position;
    }
    long before = segment.indexed(number - 1);
    if (before != 0) {
      return segment.behind(before);
    }
    Walk walk = walk();
    walk.advanceTo(number);
    return walk.number() == number ? walk.position() : -1;
  }

  /** Finds the number behind the last message that is there. */
  long end() {
    long known = segment.index().last();
    long position = segment.indexed(known);
    if (position == 0) { // an entry is written before the word of its message
      known--;
      position = segment.indexed(known);
    }
    Walk walk = position == 0 ? walk() : new Walk(position, known);
    walk.advanceTo(Long.MAX_VALUE);
    return Math.max(walk.number(), segment.marks().durableEnd());
  }

  /**
   * Finds the first message of a time or later by halving.
   *
   * @param end the number behind the last message to search
   * @return its number; the end if all are earlier
   */
  long firstSince(long time, long end) {
    long low = first;
    long high = end;
    while (low < high) {
      long middle = (low + high) >>> 1;
      long position = segment.indexed(middle);
      if (position == 0) {
        return firstSinceByWalking(time, end);
      }
      if (segment.timeAt(position) < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private long firstSinceByWalking(long time, long end) {
    Walk walk = walk();
    do {
      if (walk.isAtMessage() && segment.timeAt(walk.position()) >= time) {
        return walk.number();
      }
    } while (walk.tryAdvance() && walk.number() < end);
    return end;
  }

  /**
   * Finds the next whole message behind one that is damaged.
   *
   * @param position of the damaged one
   * @param number of the damaged one
   * @param limit where to stop
   * @return its position; negative if there is none
   */
  @Speculative // a message is believed once it is found whole
  long resync(long position, long number, long limit) {
    long last = Math.min(limit, segment.limit()) - LogSegment.MESSAGE_BYTES;
    for (long at = position + 8; at <= last; at += 8) {
      int length = LogSegment.length(segment.memory().get(JAVA_LONG, at));
      if (length >= 0 && length <= last - at) {
        long skipped = segment.numberAt(at) - number; // each takes some room
        if (skipped > 0
            && skipped <= (at - position) / LogSegment.MESSAGE_BYTES
            && segment.isAt(at, number + skipped)) {
          return at;
        }
      }
    }
    return -1;
  }

  /** A walk from the first message on. */
  Walk walk() {
    return new Walk(SegmentHeader.BYTES, first);
  }

  /** Goes from message to message, over damaged ones too. */
  final class Walk {
    private long position;
    private long number;

    private Walk(long position, long number) {
      this.position = position;
      this.number = number;
    }

    long position() {
      return position;
    }

    long number() {
      return number;
    }

    boolean isAtMessage() {
      return segment.isAt(position, number);
    }

    /** Goes to a number, to the first behind it, or as far as there are messages. */
    void advanceTo(long to) {
      while (number < to && tryAdvance()) {}
    }

    /**
     * Goes behind the next whole message, or to the first whole one behind damage; returns false if
     * there is none.
     */
    boolean tryAdvance() {
      long sealed = segment.marks().sealed();
      long limit = sealed == 0 ? segment.limit() : sealed;
      if (position >= limit || !segment.fits(position)) {
        return false;
      }
      long durable = segment.marks().durable(); // before the message: it was there by then
      if (isAtMessage()) {
        position = segment.behind(position);
        number++;
        return true;
      }
      if (sealed == 0 && position >= durable) {
        return false; // no message is there yet, or it was never finished
      }
      long next = resync(position, number, limit);
      if (next < 0) {
        return false;
      }
      position = next;
      number = segment.numberAt(next);
      return true;
    }
  }
}
