package dev.millrace.bench.compare;

/** Where a producer's records on the heap come from, for contenders that pass references. */
abstract class HeapTicks {
  /** As they are best for a work: in turn, or new ones. */
  static HeapTicks of(Work work, boolean inTurn) {
    return inTurn ? new InTurn(work) : new Fresh();
  }

  /** The record that {@link #advance} will step over. */
  abstract HeapTick peek();

  /** To be called once the record has been sent. */
  abstract void advance();

  /**
   * Used in turn: as many as can be in the queue and in hand, twice, so that none is written while
   * it may still be read.
   */
  private static final class InTurn extends HeapTicks {
    private final HeapTick[] records;
    private int next;

    InTurn(Work work) {
      int inHand = work.consumers() * work.receives() + work.sends();
      records = new HeapTick[2 * Integer.highestOneBit(work.capacity() + inHand)];
      for (int i = 0; i < records.length; i++) {
        records[i] = new HeapTick();
      }
    }

    @Override
    HeapTick peek() {
      return records[next & (records.length - 1)];
    }

    @Override
    void advance() {
      next++;
    }
  }

  /** Made anew. */
  private static final class Fresh extends HeapTicks {
    private HeapTick next = new HeapTick();

    @Override
    HeapTick peek() {
      return next;
    }

    @Override
    void advance() {
      next = new HeapTick();
    }
  }
}
