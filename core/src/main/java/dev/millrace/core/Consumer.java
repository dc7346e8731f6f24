package dev.millrace.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of a structure from which a thread takes records. A consumer hands out a view of the next
 * record. The caller reads the record in place and then releases it:
 *
 * {@snippet file="Examples.java" region="consume"}
 *
 * <p>Factories return final subclasses of this class. Use the subclasses in code on a hot path,
 * because the JVM cannot inline a call through this class in a program that uses several
 * subclasses.
 *
 * <p><b>Roles.</b> A consumer belongs to one thread at a time. A thread may hand the consumer over
 * to another thread if the hand-over establishes a happens-before edge between the calls of the two
 * threads. With assertions enabled ({@code -ea}), overlapping calls throw an {@link
 * AssertionError}. With assertions disabled, overlapping calls may deliver a record twice or lose
 * it. Memory stays safe.
 *
 * <p><b>The view</b> is the same object for every poll. While no poll is open, every access to the
 * view throws {@link IndexOutOfBoundsException}. The next poll moves the view to the next record.
 *
 * <p><b>Failure.</b> While the structure is empty, {@code tryPoll} returns null or 0, and {@code
 * poll} waits. A poll while another poll is open throws {@link IllegalStateException}, as does a
 * release while no poll is open. If a handler throws an exception, the record that the handler
 * received counts as consumed, and later records stay in the structure.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public abstract class Consumer<T> {
  /** This constructor is for subclasses in this library. */
  protected Consumer() {}

  /**
   * Takes the next record.
   *
   * @return the view, positioned on the record, or null if the structure is empty
   * @throws IllegalStateException if a poll is open
   */
  public abstract @Nullable T tryPoll();

  /**
   * Takes the next record, waiting while the structure is empty.
   *
   * @return the view, positioned on the record, or null if the producers have completed and every
   *     record has been consumed
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract @Nullable T poll() throws InterruptedException;

  /**
   * Takes the next record, waiting up to a time limit while the structure is empty.
   *
   * @param timeout how long to wait; zero or less tries once
   * @return the view, positioned on the record, or null if the structure is still empty, or if the
   *     producers have completed and every record has been consumed
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract @Nullable T poll(Duration timeout) throws InterruptedException;

  /**
   * Takes a run of records that are adjacent in memory. The run has as many records as are
   * available, up to the limit, but never extends past the end of the ring.
   *
   * @param limit the most records to take, at least 1
   * @return how many were taken, to be read with {@link #at}, or 0 if the structure is empty
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a poll is open
   */
  public abstract int tryPoll(int limit);

  /**
   * Takes a run of records, waiting while the structure is empty.
   *
   * @param limit the most records to take, at least 1
   * @return how many were taken, at least 1, or 0 if the producers have completed and every record
   *     has been consumed
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract int poll(int limit) throws InterruptedException;

  /**
   * Moves the view to a record of the open poll.
   *
   * @param index which record of the run, from 0
   * @return the view
   * @throws IndexOutOfBoundsException if the poll has no such record, or no poll is open
   */
  public abstract T at(int index);

  /**
   * Frees all records of the open poll.
   *
   * @throws IllegalStateException if no poll is open
   */
  public abstract void release();

  /**
   * Hands a run of records to a handler, one record after the other, and then frees them.
   *
   * @param handler receives the view
   * @param limit the most records to take, at least 1
   * @return how many were handed over, or 0 if the structure is empty
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a poll is open
   */
  public abstract int drain(Handler<? super T> handler, int limit);

  /**
   * Hands records to a handler, and waits while the structure is empty. The method returns once the
   * producers have completed and every record has been consumed.
   *
   * @param handler receives the view
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract void forEach(Handler<? super T> handler) throws InterruptedException;

  /**
   * Returns whether the producers have completed and every record has been consumed. Once the
   * method returns true, no more records will come.
   *
   * @return true when the consumer can stop
   */
  public abstract boolean isDrained();
}
