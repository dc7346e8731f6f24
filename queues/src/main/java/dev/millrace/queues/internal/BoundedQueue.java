package dev.millrace.queues.internal;

import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import java.time.Duration;

/**
 * What all bounded queues of records have besides ways to move records, for code that takes any of
 * them. See the queues for what each method does.
 */
public interface BoundedQueue<T> extends Measured, AutoCloseable {
  /** Completes the queue: no claim succeeds any more. */
  void complete();

  /** Whether the queue is completed, so that claims throw. */
  boolean isCompleted();

  /** Whether nothing more will come, so that both sides can stop. */
  boolean isDrained();

  /** Waits until the queue is drained, or the time is up; returns whether it is drained. */
  boolean awaitDrained(Duration timeout) throws InterruptedException;

  /** Completes the queue and frees its memory. */
  @Override
  void close();

  /** How many records fit. */
  int capacity();

  /** About how many records there are. */
  int sizeEstimate();

  /** Shows copies of the records; returns how many were shown. */
  int snapshot(Handler<? super T> viewer);
}
