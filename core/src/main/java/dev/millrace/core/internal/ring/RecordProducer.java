package dev.millrace.core.internal.ring;

import dev.millrace.core.Producer;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.WaitPlace;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Common superclass of the producers of records in a ring. It has their state, and implements runs
 * and the claims that wait. Subclasses define how a claim is made and how it ends, in one place
 * each.
 */
public abstract class RecordProducer<T> extends Producer<T> {
  /** The ring that holds the records. */
  protected final Ring ring;

  /** The open claim, from next to end. No claim is open while they are equal. */
  protected final Cursor own;

  /**
   * The view, which is a T. If the field had that type, the JIT compiler could not see that the
   * view handed out was just moved.
   */
  protected final Flyweight view;

  /** For assertions: see {@link Role}. */
  protected final Role role = new Role(getClass().getSimpleName() + " allows one thread at a time");

  private int wanted; // by a claim that waits
  private final Object structure;
  private final Waiters waiters;
  private final WaitPlace waitPlace;
  private final Waiters others; // null if the subclass wakes the other side
  private final boolean signals;
  private final Waiters.Attempt again = this::tryAgain;

  /**
   * Makes a producer without an open claim. Its messages name {@code structure}. {@code view} is a
   * view of the ring's memory. The end of a claim wakes {@code others}. That is null if the
   * subclass wakes the other side itself.
   */
  protected RecordProducer(
      Object structure, Ring ring, Cursor own, T view, Waiters waiters, Waiters others) {
    this.structure = structure;
    this.ring = ring;
    this.own = own;
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
  public final @Nullable T claim() throws InterruptedException {
    T claimed = tryClaim();
    return claimed != null || tryRefuse(1) || !awaitClaim(1, WaitStrategy.FOREVER)
        ? claimed
        : view();
  }

  @Override
  public final @Nullable T claim(Duration timeout) throws InterruptedException {
    T claimed = tryClaim();
    return claimed != null || !awaitClaim(1, Checks.nanos("timeout", timeout)) ? claimed : view();
  }

  @Override
  public final int claim(int limit) throws InterruptedException {
    int claimed = tryClaim(limit);
    return claimed > 0 || tryRefuse(limit) || !awaitClaim(limit, WaitStrategy.FOREVER)
        ? claimed
        : (int) (own.end() - own.next());
  }

  /**
   * Refuses a claim that has no timeout and finds no room, if the options say so, and counts its
   * {@code count} records. Returns whether the claim is refused. Otherwise it waits.
   */
  protected abstract boolean tryRefuse(int count);

  private boolean awaitClaim(int limit, long nanos) throws InterruptedException {
    wanted = limit;
    return waiters.await(waitPlace, again, nanos);
  }

  private boolean tryAgain() {
    do {
      if (tryClaim(wanted) > 0) {
        return true;
      }
    } while (tryMakeRoom());
    return false;
  }

  /**
   * Drops the oldest record for a claim that would have to wait, if the structure does that.
   * Returns whether the claim may be tried again.
   */
  protected boolean tryMakeRoom() {
    return false;
  }

  @Override
  public final T at(int index) {
    // At most 35 bytes of code, which HotSpot inlines even where most claims were refused.
    view.moveTo(ring.recordOffset(own.checked(index, own.next()), index));
    return view();
  }

  // ---- what every claim and every end of one does ----

  // A subclass passes its cursor, from a field of the exact class, so that no call needs a profile.

  /** Begins a claim; throws if one is already open. Returns what to pass to {@link #endClaim}. */
  protected final long beginClaim(Cursor own) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw new IllegalStateException(
          "a claim is already open, commit or abort it first: " + structure);
    }
    return call;
  }

  /**
   * Begins a claim of a run; throws if a claim is already open. Returns what to pass to {@link
   * #endClaimOfRun}.
   */
  protected final long beginClaim(Cursor own, int limit) {
    long call = beginClaim(own);
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return call;
  }

  /**
   * Ends a call that claims: moves the view to {@code sequence}, which is in hand. Returns null for
   * {@link Ring#NONE}, and throws for {@link Ring#CLOSED}.
   */
  protected final @Nullable T endClaim(long call, long sequence) {
    if (sequence < 0) {
      refused(call, sequence);
      return null;
    }
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return view();
  }

  /**
   * Ends a call that claims a run: moves the view to the first record in hand and returns how many
   * are in hand. Returns 0 for {@link Ring#NONE}, and throws for {@link Ring#CLOSED}.
   */
  protected final int endClaimOfRun(Cursor own, long call, long answer) {
    if (answer < 0) {
      refused(call, answer);
      return 0;
    }
    long sequence = own.next();
    view.moveTo(ring.recordOffset(sequence));
    assert role.end(call);
    return (int) (own.end() - sequence);
  }

  private void refused(long call, long answer) {
    assert role.end(call);
    if (answer == Ring.CLOSED) {
      wakeOthers(); // they may have waited for this claim to be taken back
      throw alreadyCompleted();
    }
  }

  /**
   * Begins to end the open claim; throws if no claim is open. Returns what to pass to {@link
   * #endCommit} or {@link #endAbort}.
   */
  protected final long beginEnd(Cursor own) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() == own.next()) {
      throw new IllegalStateException("no open claim: " + structure);
    }
    view.leave();
    return call;
  }

  /** Ends a call that commits; throws if the records were not published and so are lost. */
  protected final void endCommit(long call, boolean isPublished) {
    assert role.end(call);
    wakeOthers();
    if (!isPublished) {
      throw lost();
    }
  }

  /** Ends a call that aborts. */
  protected final void endAbort(long call) {
    assert role.end(call);
    wakeOthers(); // after complete, a consumer may wait for the claim to end
  }

  private void wakeOthers() {
    if (signals) {
      others.signal();
    }
  }

  @Override
  public final void close() {
    if (own.end() != own.next()) {
      abort();
    }
    long call = 0;
    assert (call = role.begin()) >= 0;
    completeOwn();
    assert role.end(call);
  }

  /** Completes the structure if this is its only producer. Called while no claim is open. */
  protected void completeOwn() {}

  /** Waits until {@code attempt} has claimed a record or given up. Returns null if it gave up. */
  protected final @Nullable T claimUntil(Waiters.Attempt attempt) throws InterruptedException {
    if (!attempt.tryOnce()) {
      waiters.await(waitPlace, attempt, WaitStrategy.FOREVER);
    }
    return own.end() == own.next() ? null : view();
  }

  /** Makes the exception for a claim after completion. */
  protected IllegalStateException alreadyCompleted() {
    return new IllegalStateException("queue is completed, it takes no more records: " + structure);
  }

  private IllegalStateException lost() {
    return new IllegalStateException(
        view.memory().scope().isAlive()
            ? "claim was given up, because it was open for longer than the stall limit: "
                + structure
            : "closed, so the record is lost: " + structure);
  }

  /** Describes this producer and its structure. */
  @Override
  public final String toString() {
    return getClass().getSimpleName() + " of " + structure;
  }
}
