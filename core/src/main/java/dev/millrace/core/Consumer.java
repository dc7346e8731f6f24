package dev.millrace.core;

import java.time.Duration;

/**
 * The end of a structure at which records come out. It hands out a view of the next record, which
 * is read in place and then released:
 *
 * {@snippet file="Examples.java" region="consume"}
 *
 * <p>Factories return final subclasses. Code on a hot path should name those: a call through this
 * class cannot be inlined where a program has several kinds.
 *
 * <p><b>Roles.</b> Belongs to one thread at a time. It may be handed to another thread if the
 * hand-over orders their calls. With assertions enabled ({@code -ea}) overlapping calls throw an
 * {@link AssertionError}; without them records may come twice or not at all, but memory stays safe.
 *
 * <p><b>The view</b> is the same object each time. While no poll is open, each access to it throws
 * {@link IndexOutOfBoundsException}; during the next poll it shows that record.
 *
 * <p><b>Failure.</b> Empty is a value: null or 0. A poll while another is open, and a release while
 * none is, throw {@link IllegalStateException}. A record whose handler throws counts as consumed;
 * later ones stay.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public abstract class Consumer<T> {
  /** For the structures of this library. */
  protected Consumer() {}

  /**
   * Takes the next record.
   *
   * @return the view, positioned on the record; null when empty
   * @throws IllegalStateException if a poll is open
   */
  public abstract T tryPoll();

  /**
   * Takes the next record; waits while empty.
   *
   * @return the view, positioned on the record; null when the producers have completed and all is
   *     consumed
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract T poll() throws InterruptedException;

  /**
   * Takes the next record; waits while empty, up to a time limit.
   *
   * @param timeout how long to wait; zero or less tries once
   * @return the view, positioned on the record; null when still empty, or when the producers have
   *     completed and all is consumed
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract T poll(Duration timeout) throws InterruptedException;

  /**
   * Takes a run of records that are adjacent in memory: as many as are available, up to the limit
   * and the end of the ring.
   *
   * @param limit the most records to take, at least 1
   * @return how many were taken, to be read with {@link #at}; 0 when empty
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a poll is open
   */
  public abstract int tryPoll(int limit);

  /**
   * Takes a run of records; waits while empty.
   *
   * @param limit the most records to take, at least 1
   * @return how many were taken, at least 1; 0 when the producers have completed and all is
   *     consumed
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
   * @throws IndexOutOfBoundsException if the poll has no such record, or none is open
   */
  public abstract T at(int index);

  /**
   * Frees all records of the open poll.
   *
   * @throws IllegalStateException if no poll is open
   */
  public abstract void release();

  /**
   * Hands a run of records to a handler, one after the other, and frees them.
   *
   * @param handler receives the view
   * @param limit the most records to take, at least 1
   * @return how many were handed over; 0 when empty
   * @throws IllegalArgumentException if the limit is less than 1
   * @throws IllegalStateException if a poll is open
   */
  public abstract int drain(Handler<? super T> handler, int limit);

  /**
   * Hands all records to a handler until the producers have completed and all is consumed; waits
   * while empty.
   *
   * @param handler receives the view
   * @throws IllegalStateException if a poll is open
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public abstract void forEach(Handler<? super T> handler) throws InterruptedException;

  /**
   * Returns whether nothing more will come: the producers have completed, and all is consumed.
   *
   * @return true when the consumer can stop
   */
  public abstract boolean isDrained();
}
