package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import java.time.Duration;
import java.util.List;

/** A ring of events and the sequencer that numbers them. */
abstract sealed class EventRing<E> implements Measured, AutoCloseable
    permits RecordRing, ObjectRing {
  final Sequencer sequencer;

  EventRing(Sequencer sequencer) {
    this.sequencer = sequencer;
  }

  /**
   * How many events fit.
   *
   * @return the capacity
   */
  public final int capacity() {
    return sequencer.capacity();
  }

  /**
   * How many slots are free.
   *
   * @return the number, as seen; the capacity before there is a consumer
   */
  public final int remainingCapacity() {
    return sequencer.remainingCapacity();
  }

  /**
   * Whether a claim was refused with {@link OnFull#SIGNAL}, and half of the ring was not free
   * since, as far as anybody has looked.
   *
   * @return whether producers should slow down
   */
  public final boolean isCongested() {
    return sequencer.isCongested();
  }

  @Override
  public final List<String> counters() {
    return sequencer.counters();
  }

  @Override
  public final List<String> gauges() {
    return sequencer.gauges();
  }

  @Override
  public final void readMetrics(long[] values) {
    sequencer.readMetrics(values);
  }

  /** Closes the ring to producers, as {@link Sequencer#complete()} does. */
  public final void complete() {
    sequencer.complete();
  }

  /**
   * Whether producers have completed, or the ring is closed.
   *
   * @return whether no claim succeeds any more
   */
  public final boolean isCompleted() {
    return sequencer.isCompleted();
  }

  /**
   * Whether nothing more will come, as {@link Sequencer#isDrained()} tells.
   *
   * @return whether both sides can stop
   */
  public final boolean isDrained() {
    return sequencer.isDrained();
  }

  /**
   * Waits until the ring is drained; completes nothing itself.
   *
   * @param timeout how long to wait
   * @return whether it is drained
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  public final boolean awaitDrained(Duration timeout) throws InterruptedException {
    return sequencer.awaitDrained(timeout);
  }

  /** Makes what a consumer of this ring sees of it. */
  abstract Batch<E> newBatch();

  /** Says, behind a claim that was refused for good, why. */
  final IllegalStateException closed() {
    Throwable cause = sequencer.failure();
    String why = cause == null ? "" : ", since a stage failed";
    return new IllegalStateException("ring must be open to claim" + why + ": " + this, cause);
  }

  /**
   * Completes the ring, tells consumers of the end at once, whatever is still to come, wakes
   * whoever waits, and frees the memory. Close when producers and consumers have stopped, or let
   * {@link Pipeline#close()} do it. May be repeated.
   */
  @Override
  public final void close() {
    sequencer.close();
  }
}
