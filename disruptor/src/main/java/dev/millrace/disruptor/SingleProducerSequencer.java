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
    publishTo(first + count);
    assert producer.end(call);
    signalConsumers();
    return true;
  }

  private void publishTo(long end) {
    written.setPlain(end); // plain: only the producer uses it
    published.setRelease(end); // release A: the events; linearizes
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
    long call = 0;
    assert (call = producer.begin()) >= 0;
    long sequence = written.getPlain(); // plain: only the producer uses it
    long end = claimed.getPlain(); // plain: only the producer writes it
    if (end == sequence) {
      throw noneOpen();
    }
    if (publishes) {
      publishTo(end);
    } else {
      claimed.setOpaque(sequence); // opaque: for estimates
    }
    assert producer.end(call);
    if (publishes) {
      signalConsumers();
    }
    return true;
  }

  private void checkOpen(long first, int count) {
    long sequence = written.getPlain(); // plain: only the producer uses it
    long open = claimed.getPlain() - sequence; // plain: only the producer writes it
    if (open == 0) {
      throw noneOpen();
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

  private IllegalStateException noneOpen() {
    return new IllegalStateException("claim must be open: none is, " + this);
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
