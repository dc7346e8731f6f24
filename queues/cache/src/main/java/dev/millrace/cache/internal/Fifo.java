package dev.millrace.cache.internal;

/**
 * A queue of entries in segments of a shard: appended at the tail, passed at the head. Only the
 * owner of the shard's lock uses it.
 */
final class Fifo {
  private final int[] segments; // a ring, the oldest at first
  private int first;
  private int count;

  long head; // the oldest entry
  long tail; // where the next one goes
  private long end; // of the last segment
  long bytes; // from head to tail, with what is dead or was left unused in between
  long entries; // that have not left

  Fifo(int maxSegments) {
    this.segments = new int[maxSegments];
  }

  /** How much fits behind the tail. */
  long room() {
    return end - tail;
  }

  /** Appends a segment; the rest of the last one stays unused. */
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
   * Removes the oldest segment, which is not the only one. Set the head to the next one's start.
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
