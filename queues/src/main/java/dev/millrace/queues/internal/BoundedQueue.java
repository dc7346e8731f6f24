package dev.millrace.queues.internal;

import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import java.time.Duration;

/**
 * What all bounded record queues have in common besides moving records, for code that accepts any
 * of them. Each queue documents what its methods do.
 */
public interface BoundedQueue<T> extends Measured, AutoCloseable {
  /** Completes the queue, after which no claim succeeds. */
  void complete();

  /** Returns whether the queue is completed, so that claims throw. */
  boolean isCompleted();

  /** Returns whether nothing more will come, so that both sides can stop. */
  boolean isDrained();

  /**
   * Waits until the queue is drained or {@code timeout} has passed; returns whether it is drained.
   */
  boolean awaitDrained(Duration timeout) throws InterruptedException;

  /** Completes the queue and frees its memory. */
  @Override
  void close();

  /** Returns how many records fit. */
  int capacity();

  /** Returns an estimate of the number of records. */
  int sizeEstimate();

  /** Shows copies of the records to {@code viewer}; returns how many were shown. */
  int snapshot(Handler<? super T> viewer);
}
