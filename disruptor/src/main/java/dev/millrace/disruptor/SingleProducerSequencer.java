package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.SoleClaims;
import dev.millrace.flyweight.internal.Checks;
import org.jspecify.annotations.Nullable;

/** A sequencer whose sole producer publishes events in order, with one cursor. */
final class SingleProducerSequencer extends Sequencer {
  /*
   * Fields:
   *
   *   field      writer    write mode   read by
   *   published  producer  release      consumers, samplers: acquire
   *   found      any       release      any: acquire
   *   own's      see SoleClaims, whose pairs are P, Q and R
   *
   * The producer keeps a copy of published in own.next. Waiting consumers read published all the
   * time, so reading it back would cost the producer a cache miss each time.
   *
   * Invariants: published = own.next. Every slot below published holds an event.
   *
   * A  published.setRelease in publish     ->  published.getAcquire in reach   the events
   * B  found.setRelease in isEnd           ->  found.getAcquire in isEnd       what was done before
   *                                                                           the completion
   */
  private static final long UNKNOWN = -1;

  final SoleClaims own;

  /**
   * The end, once it was found. Without this field, a claim that is taken back could hide the end
   * for a moment.
   */
  private final Sequence found = new Sequence(UNKNOWN);

  private final Role producer = new Role("a ring of one producer allows one producer at a time");
  private final Sequence published = new Sequence();

  @SuppressWarnings("NullAway") // without claims, every published slot holds an event
  SingleProducerSequencer(
      RingOptions options, boolean isContiguous, @Nullable NativeMemory memory) {
    super(options, isContiguous, memory, null);
    this.own = new SoleClaims(options.capacity());
  }

  @Override
  void gateOn(Sequence... sequences) {
    own.gateOn(sequences);
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
      throw new IllegalStateException("a claim is already open, commit or abort it first: " + this);
    }
    long claimed = own.tryClaim(count);
    assert producer.end(call);
    return answered(claimed);
  }

  /**
   * Claims adjacent slots, as many as are free, up to {@code limit} and the end of the ring.
   * Returns a number that is not negative, or {@link #FULL} or {@link #CLOSED}.
   */
  long tryClaim(Ring ring, int limit) {
    return answered(
        limit == 1
            ? own.tryClaim(1)
            : own.tryClaimUpTo(Math.min(limit, ring.contiguous(own.next())), 1));
  }

  /** Wakes threads that may have waited for a claim to be taken back. */
  private long answered(long claimed) {
    if (claimed == CLOSED) {
      wakeAll();
    }
    return claimed;
  }

  /** Publishes the claimed slots before the sequence {@code end}. */
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
    abort();
    assert producer.end(call);
  }

  /** Gives the open claim back. */
  void abort() {
    own.abort();
    if (isCompleted()) {
      wakeAll(); // threads may have waited for the claim to end
    }
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
    if (found.getAcquire() == sequence) { // acquire B: what was done before the completion
      return true;
    }
    // The set of claims is final, and the consumer has reached its end. So every claim is
    // published, and none is open.
    if (!isEndKnown() || own.endSeen() != sequence) {
      return false;
    }
    found.setRelease(sequence); // release B: what was done before the completion
    return true;
  }

  // ---- end, queries ----

  @Override
  void closeToProducers() {
    own.close();
  }

  @Override
  public boolean isCompleted() {
    return own.isClosed();
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
