package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Role;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The consumer's side of the queues that have one consumer: what it has polled, what it has freed,
 * and how it finds the end. How it finds a record is the kinds' difference.
 */
abstract sealed class SingleConsumerQueue<F extends Flyweight> extends OffHeapQueue<F>
    permits SpscQueue, MpscQueue {
  /*
   * Who writes what (each in a Sequence of its own):
   *
   *   field      writer    write mode   read by
   *   head       consumer  release      producers, close: acquire; samplers: opaque
   *   consumed   consumer  plain        consumer: plain
   *   polled     consumer  plain        consumer: plain
   *
   * Invariants: head <= consumed; polled > consumed only between poll and release.
   *
   * A  head.setRelease in free  ->  head.getAcquire in            slot is free again
   *                                 Gate.slowest,
   *                                 and in SpscQueue, MpscQueue
   */

  // values of polled that are no sequence
  private static final long ENDED = Long.MIN_VALUE; // the consumer has seen the end
  private static final long DRAINING = Long.MIN_VALUE + 1; // a handler runs

  final Sequence head = new Sequence();
  final Sequence consumed = new Sequence();
  private final Sequence polled = new Sequence();
  private final Role consumer;

  SingleConsumerQueue(
      QueueOptions options, Function<MemorySegment, F> flyweights, boolean oneProducer) {
    super(keepsOldest(options), flyweights, oneProducer, true);
    this.consumer = new Role(getClass().getSimpleName() + " allows one consumer at a time");
  }

  private static QueueOptions keepsOldest(QueueOptions options) {
    if (Checks.notNull("options", options).onFull() == OnFull.DROP_OLDEST) {
      throw new IllegalArgumentException(
          "onFull must be WAIT or DROP_NEWEST where only one consumer takes records out:"
              + " onFull="
              + options.onFull());
    }
    return options;
  }

  // ---- what the kinds know ----

  /** Whether a record is there; moves {@link #pass past} slots that hold none. */
  abstract boolean isPublished();

  /** How many records are there, up to a limit; moves {@link #pass past} slots that hold none. */
  abstract int available(int limit);

  /** Whether the consumer, having found nothing, will never find anything. */
  abstract boolean isAtEnd();

  // ---- consumer ----

  @Override
  public final long tryPoll() {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    if (polled.getPlain() != consumed.getPlain()) { // plain: only the consumer writes them
      return endOrOpenPoll();
    }
    if (!isPublished()) {
      assert consumer.end(call);
      return ended() ? CLOSED : EMPTY;
    }
    long sequence = consumed.getPlain(); // plain: only the consumer writes it
    polled.setPlain(sequence + 1); // plain: only the consumer reads it
    assert consumer.end(call);
    return recordOffset(sequence);
  }

  @Override
  final void holdPolled(F flyweight, long offset, int count) {
    flyweight.moveTo(offset);
  }

  @Override
  final int pollRun(F flyweight, int limit) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    int count = openRun(limit);
    if (count > 0) {
      holdPolled(flyweight, recordOffset(consumed.getPlain()), count); // plain: its own
    }
    assert consumer.end(call);
    return count;
  }

  /** Opens a poll of up to {@code limit} records and tells how many it has. */
  private int openRun(int limit) {
    if (polled.getPlain() != consumed.getPlain()) { // plain: only the consumer writes them
      return (int) endOrOpenPoll();
    }
    int count = available(limit);
    if (count == 0 || isDrained()) { // drained: abandoned, with a run that no look at memory denies
      return ended() ? CLOSED : 0;
    }
    polled.setPlain(consumed.getPlain() + count); // plain: only the consumer reads them
    return count;
  }

  private long endOrOpenPoll() {
    if (polled.getPlain() == ENDED) { // plain: only the consumer writes it
      return CLOSED;
    }
    throw new IllegalStateException("poll must be released before the next: " + this);
  }

  private boolean ended() {
    if (!isAtEnd()) {
      return false;
    }
    finish();
    polled.setPlain(ENDED); // plain: only the consumer reads it
    return true;
  }

  @Override
  public final void release(F flyweight) {
    release();
  }

  @Override
  public final void release(long offset) {
    checkOffset("poll", offset, consumed, polled);
    release();
  }

  private void release() {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    long sequence = consumed.getPlain(); // plain: only the consumer writes it
    long end = polled.getPlain(); // plain: only the consumer writes it
    if (end <= sequence) {
      throw noneOpen("poll");
    }
    free(end);
    assert consumer.end(call);
  }

  /** Moves on past slots that hold no record. */
  final void pass(long end) {
    polled.setPlain(end); // plain: only the consumer reads it
    free(end);
  }

  private void free(long end) {
    consumed.setPlain(end); // plain: only the consumer reads it
    head.setRelease(end); // release A: the consumer's reads of the slots
    signalProducers();
  }

  @Override
  public final int drain(F flyweight, Consumer<? super F> handler, int limit) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    checkOwn(flyweight);
    Checks.notNull("handler", handler);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    int count = openRun(limit);
    if (count <= 0) {
      assert consumer.end(call);
      return count;
    }
    long sequence = consumed.getPlain(); // plain: only the consumer writes it
    int done = 0;
    polled.setPlain(DRAINING); // plain: only the consumer reads it
    try {
      while (done < count) {
        flyweight.moveTo(recordOffset(sequence + done));
        done++;
        handler.accept(flyweight);
      }
    } finally {
      polled.setPlain(sequence + done); // plain: only the consumer reads it
      free(sequence + done);
    }
    assert consumer.end(call);
    return count;
  }

  /** Checks that a claim or poll is open, and that it is of the record at the offset. */
  final void checkOffset(String what, long offset, Sequence first, Sequence end) {
    long sequence = first.getPlain(); // plain: the caller's own
    if (end.getPlain() <= sequence) { // plain: the caller's own
      throw noneOpen(what);
    }
    if (offset != recordOffset(sequence)) {
      throw new IllegalArgumentException(
          "offset must be that of the open "
              + what
              + ", "
              + recordOffset(sequence)
              + ": offset="
              + offset);
    }
  }

  // ---- samplers ----

  @Override
  final long firstSequence() {
    return head.getOpaque(); // opaque: a count
  }

  @Override
  final boolean isStillThere(long sequence) {
    return head.getOpaque() <= sequence; // opaque: a fence orders it behind the copy
  }
}
