package dev.millrace.queues.internal;

import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import java.time.Duration;

/**
 * What all bounded queues of records have besides ways to move records, for code that takes any of
 * them. See the queues for what each method does.
 *
 * @param <T> the view of a record
 */
public interface BoundedQueue<T> extends Measured, AutoCloseable {
  /** Completes the queue: no claim succeeds any more. */
  void complete();

  /**
   * Whether the queue is completed.
   *
   * @return whether claims throw
   */
  boolean isCompleted();

  /**
   * Whether nothing more will come.
   *
   * @return whether both sides can stop
   */
  boolean isDrained();

  /**
   * Waits until the queue is drained.
   *
   * @param timeout how long
   * @return whether it is
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  boolean awaitDrained(Duration timeout) throws InterruptedException;

  /** Completes the queue and frees its memory. */
  @Override
  void close();

  /**
   * How many records fit.
   *
   * @return the number
   */
  int capacity();

  /**
   * About how many records there are.
   *
   * @return an estimate
   */
  int sizeEstimate();

  /**
   * Shows copies of the records.
   *
   * @param viewer gets each
   * @return how many were shown
   */
  int snapshot(Handler<? super T> viewer);
}
