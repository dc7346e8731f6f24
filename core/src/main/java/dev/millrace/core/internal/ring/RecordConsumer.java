package dev.millrace.core.internal.ring;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Common superclass of the consumers of records in a ring. It has their state, and implements runs,
 * handlers and the polls that wait. Subclasses define how a record is found and how it is freed, in
 * one place each.
 */
public abstract class RecordConsumer<T> extends Consumer<T> {
  /** The run length of consumers whose handlers may be given any number of records at once. */
  protected static final int ANY_RUN = Integer.MAX_VALUE;

  /** The end of the open poll while a handler runs. */
  private static final long HANDLING = -1;

  private static final int MOST_FOR_EACH = 256; // records that forEach takes at once

  /** The ring that holds the records. */
  protected final Ring ring;

  /** The open poll, from next to end. No poll is open while they are equal. */
  protected final Cursor own;

  /**
   * The view, which is a T. If the field had that type, the JIT compiler could not see that the
   * view handed out was just moved.
   */
  protected final Flyweight view;

  /** For assertions: see {@link Role}. */
  protected final Role role = new Role(getClass().getSimpleName() + " allows one thread at a time");

  private int wanted; // by a poll that waits
  private final int handlerRun;
  private final Object structure;
  private final Waiters waiters;
  private final WaitPlace waitPlace;
  private final Waiters others; // null if the subclass wakes the other side
  private final boolean signals;
  private final Waiters.Attempt again = () -> tryPoll(wanted) > 0 || isDrained();

  /**
   * Makes a consumer without an open poll. Its messages name {@code structure}. {@code view} is a
   * view of the ring's memory. {@code handlerRun} is how many records the consumer takes at once
   * for a handler: {@link #ANY_RUN}, or 1 if the records that a throwing handler leaves must stay
   * for other consumers. A release wakes {@code others}. That is null if the subclass wakes the
   * other side itself.
   */
  protected RecordConsumer(
      Object structure,
      Ring ring,
      Cursor own,
      T view,
      int handlerRun,
      Waiters waiters,
      Waiters others) {
    this.own = own;
    this.handlerRun = handlerRun;
    this.structure = structure;
    this.ring = ring;
    this.view = (Flyweight) view;
    this.waiters = waiters;
    this.waitPlace = new WaitPlace(waiters);
    this.others = others;
    this.signals = others != null && others.needSignals();
  }

  @SuppressWarnings("unchecked") // it was made for T
  private T view() {
    return (T) view;
  }

  @Override
  public final @Nullable T poll() throws InterruptedException {
    T polled = tryPoll();
    return polled != null || !awaitPoll(1, WaitStrategy.FOREVER) ? polled : polled();
  }

  @Override
  public final @Nullable T poll(Duration timeout) throws InterruptedException {
    T polled = tryPoll();
    return polled != null || !awaitPoll(1, Checks.nanos("timeout", timeout)) ? polled : polled();
  }

  @Override
  public final int poll(int limit) throws InterruptedException {
    int polled = tryPoll(limit);
    return polled > 0 || !awaitPoll(limit, WaitStrategy.FOREVER)
        ? polled
        : (int) (own.end() - own.next());
  }

  private boolean awaitPoll(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    return waiters.await(waitPlace, again, nanos);
  }

  /** Returns the view, or null if the wait ended because the queue is drained. */
  private @Nullable T polled() {
    return own.end() == own.next() ? null : view();
  }

  @Override
  public final T at(int index) {
    // At most 35 bytes of code, which HotSpot inlines even where most polls found nothing.
    view.moveTo(ring.recordOffset(own.checked(index, own.next()), index));
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
    long sequence = own.next();
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

  // ---- what every poll and every release does ----

  // A subclass passes its cursor, from a field of the exact class, so that no call needs a profile.

  /** Begins a poll; throws if one is already open. Returns what to pass to {@link #endPoll}. */
  protected final long beginPoll(Cursor own) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw new IllegalStateException("a poll is already open, release it first: " + structure);
    }
    return call;
  }

  /**
   * Begins a poll of a run; throws if a poll is already open. Returns what to pass to {@link
   * #endPollOfRun}.
   */
  protected final long beginPoll(Cursor own, int limit) {
    long call = beginPoll(own);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return call;
  }

  /**
   * Ends a call that polls: takes {@code sequence} in hand and moves the view there. Returns null
   * if the sequence is negative.
   */
  protected final @Nullable T endPoll(Cursor own, long call, long sequence) {
    if (sequence < 0) {
      assert role.end(call);
      return null;
    }
    own.take(sequence, 1);
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return view();
  }

  /**
   * Ends a call that polls a run: moves the view to the first record in hand, if there is one.
   * Returns how many records are in hand.
   */
  protected final int endPollOfRun(Cursor own, long call) {
    long sequence = own.next();
    int count = (int) (own.end() - sequence);
    if (count > 0) {
      view.moveTo(ring.recordOffset(sequence));
    }
    assert role.end(call);
    return count;
  }

  /** Begins a release; throws if no poll is open or a handler is working on the polled records. */
  protected final long beginRelease(Cursor own) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() <= own.next()) {
      throw new IllegalStateException("nothing to release: no open poll, " + structure);
    }
    view.leave();
    return call;
  }

  /** Ends a call that releases. */
  protected final void endRelease(long call) {
    assert role.end(call);
    if (signals) {
      others.signal();
    }
  }

  /** Gives the record in hand to a handler and then releases it. */
  protected final void handleOne(Cursor own, Handler<? super T> handler) {
    long sequence = own.next();
    own.end(HANDLING);
    try {
      handler.handle(view());
    } finally {
      own.end(sequence + 1);
      release();
    }
  }

  /** Waits until {@code attempt} has polled a record or given up. Returns null if it gave up. */
  protected final @Nullable T pollUntil(Waiters.Attempt attempt) throws InterruptedException {
    if (!attempt.tryOnce()) {
      waiters.await(waitPlace, attempt, WaitStrategy.FOREVER);
    }
    return polled();
  }

  /** Describes this consumer and its structure. */
  @Override
  public final String toString() {
    return getClass().getSimpleName() + " of " + structure;
  }
}
