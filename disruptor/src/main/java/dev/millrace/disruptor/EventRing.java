package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import java.time.Duration;
import java.util.List;

/**
 * A ring of events, and the sequencer that numbers them.
 *
 * <p>The public methods are not final, so that javac adds bridges to the public subclasses.
 */
abstract sealed class EventRing<E> implements Measured, AutoCloseable
    permits RecordRing, ObjectRing {
  final Sequencer sequencer;

  EventRing(Sequencer sequencer) {
    this.sequencer = sequencer;
  }

  /**
   * Returns how many events fit into the ring.
   *
   * @return the capacity
   */
  public int capacity() {
    return sequencer.capacity();
  }

  /**
   * Returns how many slots are free.
   *
   * @return an estimate, or the capacity if there is no consumer yet
   */
  public int remainingCapacity() {
    return sequencer.remainingCapacity();
  }

  /**
   * Returns whether the ring is congested. The ring becomes congested when {@link OnFull#SIGNAL}
   * makes a claim fail. The ring stays congested until a call to this method finds at least half of
   * the slots free.
   *
   * @return whether producers should slow down
   */
  public boolean isCongested() {
    return sequencer.isCongested();
  }

  @Override
  public List<String> counters() {
    return sequencer.counters();
  }

  @Override
  public List<String> gauges() {
    return sequencer.gauges();
  }

  @Override
  public void readMetrics(long[] values) {
    sequencer.readMetrics(values);
  }

  /** Closes the ring to producers, as {@link Sequencer#complete()} does. */
  public void complete() {
    sequencer.complete();
  }

  /**
   * Returns whether the ring is completed or closed.
   *
   * @return true if no claim can succeed any more
   */
  public boolean isCompleted() {
    return sequencer.isCompleted();
  }

  /**
   * Returns whether no more events will come, as {@link Sequencer#isDrained()} does.
   *
   * @return whether both sides can stop
   */
  public boolean isDrained() {
    return sequencer.isDrained();
  }

  /**
   * Waits until the ring is drained. This method does not complete the ring.
   *
   * @param timeout how long to wait
   * @return false if the timeout passed first
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDrained(Duration timeout) throws InterruptedException {
    return sequencer.awaitDrained(timeout);
  }

  /** Makes a batch, through which one consumer sees this ring's events. */
  abstract Batch<E> newBatch();

  /**
   * Returns the exception for a claim in a completed ring. Its cause is the failure, if there was
   * one.
   */
  final IllegalStateException closed() {
    Throwable cause = sequencer.failure();
    String why = cause == null ? "" : ", since a stage failed";
    return new IllegalStateException("ring takes no more events" + why + ": " + this, cause);
  }

  /**
   * Completes the ring, wakes all waiting threads, and frees the memory. Consumers see the end at
   * once, even if events remain. Close the ring only after producers and consumers have stopped. If
   * a pipeline uses the ring, {@link Pipeline#close()} closes it. Repeated calls are allowed.
   */
  @Override
  public void close() {
    sequencer.close(this);
  }
}
