package dev.millrace.queues.log;

/** The segments that a reader sought in last, kept open so that it can return to them. */
final class KeptSegments {
  static final int MOST = 8;

  private final LogSegment[] kept = new LogSegment[MOST];
  private int next; // which one is replaced next

  /**
   * Takes out the segment of a message, and keeps the one that the reader leaves.
   *
   * @param left the segment that the reader leaves; null if it is in none
   * @return the segment of the message, which the caller closes; null if it is not kept
   */
  LogSegment exchange(long number, LogSegment left) {
    for (int i = 0; i < kept.length; i++) {
      if (kept[i] != null && kept[i].indexed(number) != 0) {
        LogSegment found = kept[i];
        kept[i] = left;
        return found;
      }
    }
    if (left != null) {
      if (kept[next] != null) {
        kept[next].close();
      }
      kept[next] = left;
      next = (next + 1) % kept.length;
    }
    return null;
  }

  /** Closes those whose messages are all before a number. */
  void closeBefore(long first) {
    for (int i = 0; i < kept.length; i++) {
      if (kept[i] != null && kept[i].first() < first) {
        kept[i].close();
        kept[i] = null;
      }
    }
  }
}
