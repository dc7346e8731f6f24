package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Sequencer;
import java.time.Duration;

/** A ring of objects as a producer sees a ring of records: one claim at a time. */
final class ObjectProducer extends Producer<Entry> {
  private final ObjectRing<Entry> ring;
  private final Sequencer sequencer;
  private long sequence;
  private int count;

  ObjectProducer(ObjectRing<Entry> ring) {
    this.ring = ring;
    this.sequencer = ring.sequencer();
  }

  @Override
  public Entry tryClaim() {
    return first(claimed(sequencer.tryClaim(), 1));
  }

  @Override
  public Entry claim() throws InterruptedException {
    return first(claimed(sequencer.claim(), 1));
  }

  @Override
  public Entry claim(Duration timeout) throws InterruptedException {
    return first(claim(1, timeout));
  }

  @Override
  public int tryClaim(int limit) {
    return claimed(sequencer.tryClaim(limit), limit);
  }

  @Override
  public int claim(int limit) throws InterruptedException {
    return claimed(sequencer.claim(limit), limit);
  }

  /** Claims so many objects, all or none; waits up to a time limit. */
  int claim(int all, Duration timeout) throws InterruptedException {
    return claimed(sequencer.claim(all, timeout), all);
  }

  private int claimed(long first, int all) {
    if (first == Sequencer.CLOSED) {
      throw new IllegalStateException("ring takes no more events: " + ring);
    }
    sequence = first;
    count = first < 0 ? 0 : all;
    return count;
  }

  private Entry first(int claimed) {
    return claimed == 0 ? null : at(0);
  }

  @Override
  public Entry at(int index) {
    return ring.get(sequence + index);
  }

  @Override
  public void commit() {
    sequencer.commit(sequence, count);
  }

  @Override
  public void abort() {
    sequencer.abort(sequence, count);
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
