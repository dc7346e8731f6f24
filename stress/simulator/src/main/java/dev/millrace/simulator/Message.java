package dev.millrace.simulator;

/**
 * A value that was written to an atomic location. A location's messages are linked in modification
 * order, which need not be the order in which they were written.
 */
final class Message {
  /** The distance of two messages when the later is appended; others are put between. */
  static final long TIMESTAMP_STEP = 1L << 40;

  final long timestamp;
  final long bits;
  final Object reference;

  /** Whether it was written by a read-modify-write, which nothing may come between. */
  final boolean glued;

  /** What its writer released with it; null if nothing. */
  long[] view;

  int[] clock;

  /** Who wrote it plain, and at which of its clock's ticks, if the variable was plain then. */
  int plainWriter;

  int plainWriteClock = Integer.MAX_VALUE;

  Message older;
  Message newer;

  /** Who wrote it and where; kept when tracing. */
  String origin;

  Message(long timestamp, long bits, Object reference, boolean glued) {
    this.timestamp = timestamp;
    this.bits = bits;
    this.reference = reference;
    this.glued = glued;
  }

  /** Says whether it was written plain before all that a clock knows; views do not tell that. */
  boolean isBefore(int[] clock) {
    return plainWriteClock <= clock[plainWriter];
  }

  /** Links this one behind an older one. */
  void follow(Message former) {
    older = former;
    newer = former.newer;
    former.newer = this;
    if (newer != null) {
      newer.older = this;
    }
  }

  /** Returns a timestamp between a message and its successor. */
  static long timestampBehind(Message message) {
    if (message.newer == null) {
      return message.timestamp + TIMESTAMP_STEP;
    }
    long between = (message.timestamp + message.newer.timestamp) >>> 1;
    if (between == message.timestamp) {
      throw new IllegalStateException("modification order must have room between two messages");
    }
    return between;
  }
}
