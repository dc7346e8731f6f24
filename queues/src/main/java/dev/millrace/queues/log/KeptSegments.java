package dev.millrace.queues.log;

import org.jspecify.annotations.Nullable;

/**
 * The segments in which a reader last sought. They are kept open so that the reader can return to
 * them.
 */
final class KeptSegments {
  static final int MOST = 8;

  private final @Nullable LogSegment[] kept = new LogSegment[MOST];
  private int next; // index of the segment that is replaced next

  /**
   * Takes out the segment of message {@code number}, and keeps the one that the reader leaves.
   *
   * @param left the segment that the reader leaves, or null if it is in none
   * @return the segment of the message, which the caller must close, or null if it is not kept
   */
  @Nullable LogSegment exchange(long number, @Nullable LogSegment left) {
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

  /** Closes the segments whose messages are all before {@code first}. */
  void closeBefore(long first) {
    for (int i = 0; i < kept.length; i++) {
      if (kept[i] != null && kept[i].first() < first) {
        kept[i].close();
        kept[i] = null;
      }
    }
  }
}
