package dev.millrace.core.internal;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;

/**
 * Common superclass of the producers of records in a ring: their state, runs, and the forms that
 * wait. Subclasses define how a claim is made and how it ends, in one place each.
 *
 * @param <T> the view of a record
 */
public abstract class RecordProducer<T> extends Producer<T> {
  /** Where the records are. */
  protected final Ring ring;

  /** The open claim: from next to end. None is open while they are equal. */
  protected final Cursor own;

  /**
   * A T. If the field had that type, the JIT could not see that the view handed out was just moved.
   */
  protected final Flyweight view;

  /** For assertions: see {@link Role}. */
  protected final Role role = new Role(getClass().getSimpleName() + " allows one thread at a time");

  private int wanted; // by a claim that waits
  private final Object structure;
  private final Waiters waiters;
  private final Waiters.Attempt again = this::tryAgain;

  /**
   * Makes a producer that has no claim.
   *
   * @param structure the structure that it is the producer of, for messages
   * @param ring where the records are
   * @param own its cursor
   * @param view the view, on the ring's memory
   * @param waiters the waiters of its side
   */
  protected RecordProducer(Object structure, Ring ring, Cursor own, T view, Waiters waiters) {
    this.structure = structure;
    this.ring = ring;
    this.own = own;
    this.view = (Flyweight) view;
    this.waiters = waiters;
  }

  @SuppressWarnings("unchecked") // it was made for T
  private T view() {
    return (T) view;
  }

  @Override
  public final T claim() throws InterruptedException {
    T claimed = tryClaim();
    return claimed != null || refuses(1) || !waits(1, WaitStrategy.FOREVER) ? claimed : view();
  }

  @Override
  public final T claim(Duration timeout) throws InterruptedException {
    T claimed = tryClaim();
    return claimed != null || !waits(1, Checks.nanos("timeout", timeout)) ? claimed : view();
  }

  @Override
  public final int claim(int limit) throws InterruptedException {
    int claimed = tryClaim(limit);
    return claimed > 0 || refuses(limit) || !waits(limit, WaitStrategy.FOREVER)
        ? claimed
        : (int) (own.end() - own.next());
  }

  /**
   * Whether a claim that finds no room and has no timeout gives up at once. Called once for each
   * such claim, so that it can be counted.
   *
   * @param count how many records were to be claimed
   * @return whether it does not wait
   */
  protected abstract boolean refuses(int count);

  private boolean waits(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    return waiters.await(again, nanos);
  }

  private boolean tryAgain() {
    do {
      if (tryClaim(wanted) > 0) {
        return true;
      }
    } while (makesRoom());
    return false;
  }

  /**
   * Makes room for a claim that would have to wait, where the structure drops its oldest records.
   *
   * @return whether a record was dropped
   */
  protected boolean makesRoom() {
    return false;
  }

  /**
   * Waits as the producer's strategy says.
   *
   * @param attempt until it succeeds
   * @throws InterruptedException if the thread was interrupted
   */
  protected final void waitFor(Waiters.Attempt attempt) throws InterruptedException {
    waiters.await(attempt, WaitStrategy.FOREVER);
  }

  @Override
  public final T at(int index) {
    // At most 35 bytes of code, which HotSpot inlines even where most claims were refused.
    view.moveTo(ring.recordOffset(own.checked(index, own.next()), index));
    return view();
  }

  /**
   * Returns the exception for a claim while another one is open.
   *
   * @return what to throw
   */
  protected final IllegalStateException isOpen() {
    return new IllegalStateException(
        "claim must be committed or aborted before the next: " + structure);
  }

  /**
   * Returns the exception for a commit or an abort when no claim is open.
   *
   * @return what to throw
   */
  protected final IllegalStateException noneOpen() {
    return new IllegalStateException("no open claim: " + structure);
  }

  /**
   * Returns the exception for a claim after the end.
   *
   * @return what to throw
   */
  protected final IllegalStateException completed() {
    return new IllegalStateException("queue is completed, it takes no more records: " + structure);
  }

  /**
   * Returns the exception for a commit after the memory was freed.
   *
   * @param cause what the memory threw
   * @return what to throw
   */
  protected final IllegalStateException closed(IllegalStateException cause) {
    return new IllegalStateException("queue is closed, the record is lost: " + structure, cause);
  }

  /** Returns what it is the producer of. */
  @Override
  public final String toString() {
    return getClass().getSimpleName() + " of " + structure;
  }
}
