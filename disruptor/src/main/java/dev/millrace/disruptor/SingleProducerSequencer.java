package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.Gate;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.internal.Checks;

/** A sequencer whose events are published in order, by one cursor. */
final class SingleProducerSequencer extends Sequencer {
  /*
   * Who writes what:
   *
   *   field      writer    write mode   read by
   *   published  producer  release      consumers, samplers: acquire; at the end: opaque
   *   own.next   producer  plain        producer: plain
   *   own.end    producer  opaque       producer: plain; samplers: opaque
   *
   * The producer keeps a copy of what it has published: waiting consumers read published without
   * pause, so reading it back would cost the producer a cache miss each time.
   *
   * Invariants: published = own.next <= own.end <= slowest consumer + capacity, where own.end >
   * own.next only between claim and commit. Below published all are events.
   *
   * A  published.setRelease in publish     ->  published.getAcquire in reach   the events
   * B  gate.close in closeToProducers      ->  gate.isClosed in isEnd          publications before it
   */
  final Cursor own = new Cursor();
  private final Gate gate;
  private final Role producer = new Role("a ring of one producer allows one producer at a time");
  private final Sequence published = new Sequence();

  SingleProducerSequencer(RingOptions options, boolean isContiguous, NativeMemory memory) {
    super(options, isContiguous, memory, null);
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
    long sequence = own.next();
    if (own.end() != sequence) {
      throw new IllegalStateException(
          "claim must be committed or aborted before the next: " + this);
    }
    boolean admitted = gate.admits(sequence + count);
    if (admitted) {
      own.end(sequence + count);
    }
    assert producer.end(call);
    return admitted ? sequence : gate.isClosed() ? CLOSED : FULL;
  }

  /** Claims adjacent slots, as many as are free up to a limit and the end of the ring. */
  boolean tryClaim(Ring ring, int limit) {
    long sequence = own.next();
    if (limit == 1) {
      boolean admitted = gate.admits(sequence + 1);
      own.end(admitted ? sequence + 1 : sequence);
      return admitted;
    }
    long most = sequence + Math.min(limit, ring.contiguous(sequence));
    long end = Math.max(sequence, gate.limit(most));
    own.end(end);
    return end != sequence;
  }

  /** Publishes what is claimed, up to a sequence. */
  void publish(long end) {
    noteTime(own.next(), end);
    own.next(end);
    published.setRelease(end); // release A: the events; linearizes
  }

  @Override
  public void commit(long first, int count) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    checkOpen(first, count);
    publish(first + count);
    assert producer.end(call);
    signalConsumers();
  }

  @Override
  public void abort(long first, int count) {
    long call = 0;
    assert (call = producer.begin()) >= 0;
    checkOpen(first, count);
    own.end(first);
    assert producer.end(call);
  }

  private void checkOpen(long first, int count) {
    long sequence = own.next();
    long open = own.end() - sequence;
    if (open == 0) {
      throw new IllegalStateException("no open claim: " + this);
    }
    if (first != sequence || count != open) {
      throw new IllegalArgumentException(
          "claim must be that of %d and %d more: sequence=%d, count=%d"
              .formatted(sequence, open - 1, first, count));
    }
  }

  // ---- for consumers ----

  @Override
  long reach() {
    return published.getAcquire(); // acquire A: sees publish, hence the events
  }

  @Override
  boolean isEnd(long sequence) {
    // acquire B: sees the completion, hence in the look at the cursor all publications before it
    return gate.isClosed() && published.getOpaque() == sequence; // opaque: as said
  }

  // ---- end, queries ----

  @Override
  void closeToProducers() {
    gate.close(); // release B: the publications before
  }

  @Override
  public boolean isCompleted() {
    return gate.isClosed();
  }

  @Override
  public long claimedEnd() {
    return own.endSeen();
  }

  @Override
  public long publishedEnd() {
    return reach();
  }
}
