package dev.millrace.bench.compare;

/**
 * Records that a producer uses in turn, for contenders that pass references: as many as can be in
 * the queue and in hand, twice, so that none is written while it may still be read.
 */
final class Pool {
  private final HeapTick[] records;
  private int next;

  Pool(Work work) {
    records = new HeapTick[2 * Integer.highestOneBit(work.capacity() + inHand(work))];
    for (int i = 0; i < records.length; i++) {
      records[i] = new HeapTick();
    }
  }

  private static int inHand(Work work) {
    return work.consumers() * work.receives() + work.sends();
  }

  /** The record that {@link #advance} will step over. */
  HeapTick peek() {
    return records[next & (records.length - 1)];
  }

  /** To be called once the record has been sent. */
  void advance() {
    next++;
  }
}
