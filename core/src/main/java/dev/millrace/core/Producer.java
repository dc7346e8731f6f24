package dev.millrace.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of a structure through which a thread adds records. A producer hands out a view of a free
 * record. The caller writes the record in place and then commits it:
 *
 * {@snippet file="Examples.java" region="produce"}
 *
 * <p>Factories return final subclasses of this class. Use the subclasses in code on a hot path,
 * because the JVM cannot inline a call through this class in a program that uses several
 * subclasses.
 *
 * <p><b>Roles.</b> A producer belongs to one thread at a time. A thread may hand the producer over
 * to another thread if the hand-over establishes a happens-before edge between the calls of the two
 * threads. With assertions enabled ({@code -ea}), overlapping calls throw an {@link
 * AssertionError}. With assertions disabled, overlapping calls may corrupt the order of the
 * records. Memory stays safe.
 *
 * <p><b>The view</b> is the same object for every claim. While no claim is open, every access to
 * the view throws {@link IndexOutOfBoundsException}. The next claim moves the view to the newly
 * claimed record.
 *
 * <p><b>Failure.</b> While the structure is full, {@code tryClaim} returns null or 0, and {@code
 * claim} waits unless a different {@link OnFull} policy was set. The following throw {@link
 * IllegalStateException}: a claim while another claim is open, a claim after the structure was
 * completed, and a commit or an abort while no claim is open.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public abstract class Producer<T> implements AutoCloseable {
  /** This constructor is for subclasses in this library. */
  protected Producer() {}

  /**
   * Claims a record.
   *
   * @return the view, positioned on a record whose fields still hold old values, or null if the
   *     structure is full
   * @throws IllegalStateException if a claim is open, or the structure was completed
   */
  public abstract @Nullable T tryClaim();

  /**
   * Claims a record, waiting while the structure is full.
   *
   * @return the view, positioned on the record; null only if the structure is full and drops new
   *     records
   * @throws IllegalStateException if a claim is open, or the structure is completed before or
   *     during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract @Nullable T claim() throws InterruptedException;

  /**
   * Claims a record, waiting up to a time limit while the structure is full.
   *
   * @param timeout how long to wait; zero or less tries once
   * @return the view, positioned on the record, or null if the structure is still full
   * @throws IllegalStateException if a claim is open, or the structure is completed before or
   *     during the call
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract @Nullable T claim(Duration timeout) throws InterruptedException;

  /**
   * Claims a run of records that are adjacent in memory. The run has as many records as are free,
   * up to the limit, but never extends past the end of the ring.
   *
   * @param limit the most records to claim, at least 1
   * @return how many were claimed, to be written with {@link #at}, or 0 if the structure is full
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a claim is open, or the structure was completed
   */
  public abstract int tryClaim(int limit);

  /**
   * Claims a run of records, waiting while the structure is full.
   *
   * @param limit the most records to claim, at least 1
   * @return how many were claimed, at least 1; 0 only if the structure is full and drops new
   *     records
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
   * @throws IndexOutOfBoundsException if the claim has no such record, or no claim is open
   */
  public abstract T at(int index);

  /**
   * Publishes all records of the open claim.
   *
   * @throws IllegalStateException if no claim is open
   */
  public abstract void commit();

  /**
   * Gives up the open claim, so that consumers see none of its records.
   *
   * @throws IllegalStateException if no claim is open
   */
  public abstract void abort();

  /** Aborts the open claim, if there is one. A subclass may do more. Repeated calls are allowed. */
  @Override
  public abstract void close();
}
