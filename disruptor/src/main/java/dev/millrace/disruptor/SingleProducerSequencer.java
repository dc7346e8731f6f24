package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.Role;

/** A sequencer whose events are published in order, by one cursor. */
final class SingleProducerSequencer extends Sequencer {
  /*
   * Who writes what (each in a Sequence of its own):
   *
   *   field      writer    write mode   read by
   *   published  producer  release      consumers, samplers: acquire; at the end: opaque
   *   written    producer  plain        producer: plain
   *   claimed    producer  opaque       producer: plain; samplers: opaque
   *
   * The producer reads back what it has published from a copy: consumers that wait look at
   * published without pause, and a read of it would wait for its line each time.
   *
   * Invariants: published = written <= claimed <= slowest consumer + capacity, where claimed >
   * written only between claim and publish. Below published all are events.
   *
   * A  published.setRelease in publish     ->  published.getAcquire in reach   the events
   * B  gate.close in closeToProducers      ->  gate.isClosed in isEnd          publications before it
   */
  private final Sequence published = new Sequence();
  private final Sequence written = new Sequence();
  private final Sequence claimed = new Sequence();
  private final Gate gate;
  private final Role producer = new Role("a ring of one producer allows one producer at a time");

  SingleProducerSequencer(RingOptions options) {
    super(options, null);
    this.gate = new Gate(options.capacity());
  }

  @Override
  void gateOn(Sequence... sequences) {
    gate.gateOn(sequences);
  }

  // ---- producer ----

  @Override
  public long tryClaim(int count) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    if (count != 1) {
      Checks.inRange("count", count, 1, capacity());
    }
    long sequence = written.getPlain(); // plain: only the producer uses it
    if (claimed.getPlain() != sequence) { // plain: only the producer writes it
      throw new IllegalStateException(
          "claim must be published or aborted before the next: " + this);
    }
    boolean admitted = gate.admits(sequence + count);
    if (admitted) {
      claimed.setOpaque(sequence + count); // opaque: for estimates
    }
    assert producer.end(call);
    return admitted ? sequence : gate.isClosed() ? CLOSED : FULL;
  }

  @Override
  public boolean publish(long first, int count) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    checkOpen(first, count);
    written.setPlain(first + count); // plain: only the producer uses it
    published.setRelease(first + count); // release A: the events; linearizes
    assert producer.end(call);
    signalConsumers();
    return true;
  }

  @Override
  public void abort(long first, int count) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    checkOpen(first, count);
    claimed.setOpaque(first); // opaque: for estimates
    assert producer.end(call);
  }

  @Override
  boolean endAt(long slotOffset, int count, boolean publishes) {
    long first = written.getPlain(); // plain: only the producer uses it
    int open = (int) (claimed.getPlain() - first); // plain: only the producer writes it
    if (publishes) {
      return publish(first, open);
    }
    abort(first, open);
    return true;
  }

  private void checkOpen(long first, int count) {
    long sequence = written.getPlain(); // plain: only the producer uses it
    long open = claimed.getPlain() - sequence; // plain: only the producer writes it
    if (open == 0) {
      throw new IllegalStateException("claim must be open: none is, " + this);
    }
    if (first != sequence || count != open) {
      throw new IllegalArgumentException(
          "claim must be that of "
              + sequence
              + " and "
              + (open - 1)
              + " more: sequence="
              + first
              + ", count="
              + count);
    }
  }

  // ---- what consumers ask ----

  @Override
  long reach() {
    return published.getAcquire(); // acquire A: sees publish, hence the events
  }

  @Override
  int ready(long sequence, int limit) {
    return limit;
  }

  @Override
  void discard(long first, int count) {
    throw new AssertionError("refused at construction");
  }

  @Override
  boolean isEnd(long sequence) {
    // acquire B: sees the completion, hence in the look at the cursor all publications before it
    return gate.isClosed() && published.getOpaque() == sequence; // opaque: as said
  }

  // ---- end, looks ----

  @Override
  void closeToProducers() {
    gate.close(); // release B: the publications before
  }

  @Override
  public boolean isClosed() {
    return gate.isClosed();
  }

  @Override
  public long claimedEnd() {
    return claimed.getOpaque(); // opaque: an estimate
  }

  @Override
  public long publishedEnd() {
    return reach();
  }

  @Override
  Counters counters(long dropped, long timedOut, long signalled) {
    return new Counters(claimedEnd(), 0, dropped, timedOut, signalled, 0, 0, 0);
  }
}
