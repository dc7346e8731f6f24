package dev.millrace.core.internal;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Common superclass of the consumers of records in a ring: their state, runs, handlers, and the
 * forms that wait. Subclasses define how a record is found and how it is freed, in one place each.
 *
 * @param <T> the view of a record
 */
public abstract class RecordConsumer<T> extends Consumer<T> {
  /** For kinds whose handlers may be given a run of any length. */
  protected static final int ANY_RUN = Integer.MAX_VALUE;

  /** The end of the open poll while a handler runs. */
  protected static final long HANDLING = -1;

  /** The limit of a consumer whose memory is freed: below every sequence. */
  private static final long FREED = -1;

  private static final int MOST_FOR_EACH = 256; // records that forEach takes at once

  /** Where the records are. */
  protected final Ring ring;

  /** The open poll: from {@link #next} to end. None is open while they are equal. */
  protected final Cursor own;

  /**
   * A T. If the field had that type, the JIT could not see that the view handed out was just moved.
   */
  protected final Flyweight view;

  /** For assertions: see {@link Role}. */
  protected final Role role = new Role(getClass().getSimpleName() + " allows one thread at a time");

  private final MemorySegment.Scope scope; // of the memory: one read less for each poll

  private int wanted; // by a poll that waits
  private final int handlerRun;
  private final Object structure;
  private final Waiters waiters;
  private final Waiters.Attempt again = () -> tryPoll(wanted) > 0 || isDrained();

  /**
   * Makes a consumer that has no poll.
   *
   * @param structure the structure that it is the consumer of, for messages
   * @param ring where the records are
   * @param view the view, on the ring's memory
   * @param waiters the waiters of its side
   * @param handlerRun how many records are taken at once for a handler: {@link #ANY_RUN}, or 1 if
   *     the records that a throwing handler has left must stay for other consumers
   */
  protected RecordConsumer(Object structure, Ring ring, T view, Waiters waiters, int handlerRun) {
    this(structure, ring, new Cursor(), view, waiters, handlerRun);
  }

  /** The same with a cursor that is made elsewhere. */
  protected RecordConsumer(
      Object structure, Ring ring, Cursor own, T view, Waiters waiters, int handlerRun) {
    this.own = own;
    this.handlerRun = handlerRun;
    this.structure = structure;
    this.ring = ring;
    this.view = (Flyweight) view;
    this.scope = this.view.memory().scope();
    this.waiters = waiters;
  }

  /**
   * The sequence that comes next: the first of those in hand, if there are any.
   *
   * @return the sequence
   */
  protected abstract long next();

  @SuppressWarnings("unchecked") // it was made for T
  private T view() {
    return (T) view;
  }

  @Override
  public final T poll() throws InterruptedException {
    T polled = tryPoll();
    return polled != null || !waits(1, WaitStrategy.FOREVER) ? polled : polled();
  }

  @Override
  public final T poll(Duration timeout) throws InterruptedException {
    T polled = tryPoll();
    return polled != null || !waits(1, Checks.nanos("timeout", timeout)) ? polled : polled();
  }

  @Override
  public final int poll(int limit) throws InterruptedException {
    int polled = tryPoll(limit);
    return polled > 0 || !waits(limit, WaitStrategy.FOREVER) ? polled : (int) (own.end() - next());
  }

  private boolean waits(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    return waiters.await(again, nanos);
  }

  /**
   * Waits as the consumer's strategy says.
   *
   * @param attempt until it succeeds
   * @throws InterruptedException if the thread was interrupted
   */
  protected final void waitFor(Waiters.Attempt attempt) throws InterruptedException {
    waiters.await(attempt, WaitStrategy.FOREVER);
  }

  /** The view, or null: the wait may have ended since the queue did. */
  private T polled() {
    return own.end() == next() ? null : view();
  }

  @Override
  public final T at(int index) {
    // At most 35 bytes of code, which HotSpot inlines even where most polls were in vain.
    view.moveTo(ring.recordOffset(own.checked(index, next()), index));
    return view();
  }

  @Override
  public int drain(Handler<? super T> handler, int limit) {
    Checks.notNull("handler", handler);
    int done = 0;
    int count;
    do {
      count = tryPoll(Math.min(limit - done, handlerRun));
      if (count > 0) {
        handle(handler, count);
        done += count;
      }
    } while (count == handlerRun && done < limit);
    return done;
  }

  @Override
  public final void forEach(Handler<? super T> handler) throws InterruptedException {
    Checks.notNull("handler", handler);
    int count;
    while ((count = poll(Math.min(MOST_FOR_EACH, handlerRun))) > 0) {
      handle(handler, count);
    }
  }

  private void handle(Handler<? super T> handler, int count) {
    long sequence = next();
    long offset = ring.recordOffset(sequence);
    own.end(HANDLING);
    int i = 0;
    try {
      for (; i < count; i++) {
        view.moveTo(offset + ring.distance(i));
        handler.handle(view());
      }
    } finally {
      own.end(sequence + Math.min(i + 1, count)); // one whose handler throws is consumed
      release();
    }
  }

  /**
   * Forgets the records that were seen and not taken, because their memory is freed: polls find
   * nothing from now on. Called by the thread that has freed it.
   */
  protected final void forgetRecords() {
    own.limit(FREED); // opaque: a poll that overlaps may undo it, which is why it calls isFreed
  }

  /**
   * Whether the memory is freed; if so, polls find nothing from now on. To be called after each
   * change of the limit. The thread that frees the memory makes all threads pass a safepoint before
   * it calls {@link #forgetRecords}: either the limit was changed before that, or this sees that
   * the memory is freed.
   *
   * @return whether it is freed
   */
  protected final boolean isFreed() {
    if (scope.isAlive()) {
      return false;
    }
    forgetRecords();
    return true;
  }

  /**
   * Returns the exception for a poll while another one is open.
   *
   * @return what to throw
   */
  protected final IllegalStateException isOpen() {
    return new IllegalStateException("poll must be released before the next: " + structure);
  }

  /**
   * Returns the exception for a release when no poll is open.
   *
   * @return what to throw
   */
  protected final IllegalStateException noneOpen() {
    return new IllegalStateException("nothing to release: no open poll, " + structure);
  }

  /** Returns what it is the consumer of. */
  @Override
  public final String toString() {
    return getClass().getSimpleName() + " of " + structure;
  }
}
