package dev.millrace.queues.log;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.internal.Speculative;

/**
 * Finds messages in a segment. It uses the index where that is right, and otherwise walks from
 * message to message, including damaged ones.
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
   * @param number the message's number, from the first one in the segment to one past the last
   * @return the position where the message is or will be; negative if it is missing
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

  /** Returns one past the number of the last message. */
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
   * Finds the first message whose time is at or after {@code time}, by binary search.
   *
   * @param end one past the last message to search
   * @return its number, or {@code end} if all messages are earlier
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
   * Finds the next whole message after a damaged one.
   *
   * @param position the position of the damaged message
   * @param number the number of the damaged message
   * @param limit the position at which to stop
   * @return the position of the whole message, negative if there is none
   */
  @Speculative // a message is trusted once it was found whole
  long resync(long position, long number, long limit) {
    long last = Math.min(limit, segment.limit()) - LogSegment.MESSAGE_BYTES;
    for (long at = position + 8; at <= last; at += 8) {
      int length = LogSegment.length(segment.memory().get(JAVA_LONG, at));
      if (length >= 0 && length <= last - at) {
        long skipped = segment.numberAt(at) - number; // each skipped message takes some room
        if (skipped > 0
            && skipped <= (at - position) / LogSegment.MESSAGE_BYTES
            && segment.isAt(at, number + skipped)) {
          return at;
        }
      }
    }
    return -1;
  }

  /** Returns a walk that starts at the first message. */
  Walk walk() {
    return new Walk(SegmentHeader.BYTES, first);
  }

  /** Walks from message to message, including damaged ones. */
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

    /**
     * Advances to message {@code to}, or to the first one after it, or as far as there are
     * messages.
     */
    void advanceTo(long to) {
      while (number < to && tryAdvance()) {}
    }

    /**
     * Advances past the next whole message, or to the first whole one after a damaged one. Returns
     * false if there is none.
     */
    boolean tryAdvance() {
      long sealed = segment.marks().sealed();
      long limit = sealed == 0 ? segment.limit() : sealed;
      if (position >= limit || !segment.fits(position)) {
        return false;
      }
      long durable = segment.marks().durable(); // first: messages below it exist
      if (isAtMessage()) {
        position = segment.behind(position);
        number++;
        return true;
      }
      if (sealed == 0 && position >= durable) {
        return false; // the message is not there yet, or was never finished
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
