package dev.millrace.ohlcv.candle;

import dev.millrace.core.Sequence;

/** A count that one thread raises and any may read. */
final class Tally {
  private final Sequence count = new Sequence();

  void add(long more) {
    // plain: only this thread writes it; release: who sees the count sees what was counted
    count.setRelease(count.getPlain() + more);
  }

  /** Raises it to this, if it is below. */
  void raiseTo(long least) {
    add(Math.max(0, least - count.getPlain())); // plain: only this thread writes it
  }

  void increment() {
    add(1);
  }

  long get() {
    return count.getAcquire(); // acquire: sees what was counted
  }
}
