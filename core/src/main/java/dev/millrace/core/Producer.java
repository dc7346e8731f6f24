package dev.millrace.core;

import java.time.Duration;

/**
 * The end of a structure at which records go in. It hands out a view of a free record, which is
 * written in place and then committed:
 *
 * {@snippet file="Examples.java" region="produce"}
 *
 * <p>Factories return final subclasses. Code on a hot path should name those: a call through this
 * class cannot be inlined where a program has several kinds.
 *
 * <p><b>Roles.</b> Belongs to one thread at a time. It may be handed to another thread if the
 * hand-over orders their calls. With assertions enabled ({@code -ea}) overlapping calls throw an
 * {@link AssertionError}; without them they corrupt the order of records, but never memory.
 *
 * <p><b>The view</b> is the same object each time. While no claim is open, each access to it throws
 * {@link IndexOutOfBoundsException}; during the next claim it shows that record.
 *
 * <p><b>Failure.</b> Full is a value: null or 0. A claim while another is open, a commit or an
 * abort while none is, and claims of a structure that was completed throw {@link
 * IllegalStateException}.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public abstract class Producer<T> implements AutoCloseable {
  /** For the structures of this library. */
  protected Producer() {}

  /**
   * Claims a record.
   *
   * @return the view, positioned on the record, whose fields still hold old values; null when full
   * @throws IllegalStateException if a claim is open, or the structure was completed
   */
  public abstract T tryClaim();

  /**
   * Claims a record; waits while full.
   *
   * @return the view, positioned on the record; null only if the structure drops new records when
   *     it is full
   * @throws IllegalStateException if a claim is open, or the structure is completed before or
   *     during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract T claim() throws InterruptedException;

  /**
   * Claims a record; waits while full, up to a time limit.
   *
   * @param timeout how long to wait; zero or less tries once
   * @return the view, positioned on the record; null when still full
   * @throws IllegalStateException if a claim is open, or the structure is completed before or
   *     during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract T claim(Duration timeout) throws InterruptedException;

  /**
   * Claims a run of records that are adjacent in memory: as many as are free, up to the limit and
   * the end of the ring.
   *
   * @param limit the most records to claim, at least 1
   * @return how many were claimed, to be written with {@link #at}; 0 when full
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a claim is open, or the structure was completed
   */
  public abstract int tryClaim(int limit);

  /**
   * Claims a run of records; waits while full.
   *
   * @param limit the most records to claim, at least 1
   * @return how many were claimed, at least 1; 0 only if the structure drops new records when it is
   *     full
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a claim is open, or the structure is completed before or
   *     during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract int claim(int limit) throws InterruptedException;

  /**
   * Moves the view to a record of the open claim.
   *
   * @param index which record of the run, from 0
   * @return the view
   * @throws IndexOutOfBoundsException if the claim has no such record, or none is open
   */
  public abstract T at(int index);

  /**
   * Publishes all records of the open claim.
   *
   * @throws IllegalStateException if no claim is open
   */
  public abstract void commit();

  /**
   * Gives up the open claim: none of its records will be seen.
   *
   * @throws IllegalStateException if no claim is open
   */
  public abstract void abort();

  /** Aborts an open claim, if there is one. Some kinds do more. May be called repeatedly. */
  @Override
  public abstract void close();
}
