package dev.millrace.cache.internal;

/**
 * A queue of entries in segments of a shard. Entries are appended at the tail and passed at the
 * head. Only the owner of the shard's lock uses it.
 */
final class Fifo {
  private final int[] segments; // a ring, with the oldest at index first
  private int first;
  private int count;

  long head; // the oldest entry
  long tail; // where the next entry goes
  private long end; // the end of the last segment
  long bytes; // from head to tail, including dead entries and unused space
  long entries; // the number of entries that have not left

  Fifo(int maxSegments) {
    this.segments = new int[maxSegments];
  }

  /** Returns how many bytes fit behind the tail. */
  long room() {
    return end - tail;
  }

  /** Appends a segment. The rest of the previous one stays unused. */
  void addSegment(int segment, long from, long size) {
    bytes += room();
    segments[(first + count) % segments.length] = segment;
    if (count++ == 0) {
      head = from;
    }
    tail = from;
    end = from + size;
  }

  int segmentCount() {
    return count;
  }

  int firstSegment() {
    return segments[first];
  }

  int lastSegment() {
    return segments[(first + count - 1) % segments.length];
  }

  /**
   * Removes the oldest segment, which must not be the only one. Then the caller sets the head to
   * the start of the next segment.
   */
  void removeSegment(long unused) {
    first = (first + 1) % segments.length;
    count--;
    bytes -= unused;
  }

  boolean isEmpty() {
    return count == 0 || (count == 1 && head == tail);
  }

  void clear() {
    count = 0;
    head = 0;
    tail = 0;
    end = 0;
    bytes = 0;
    entries = 0;
  }
}
