package dev.millrace.core.internal;

import java.lang.invoke.ConstantBootstraps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The lifecycle of a structure: open, then completed by its producers, then drained by its
 * consumers, then closed by its owner. The owner may close it at any earlier point.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>Progress.</b> {@link #complete} and {@link #close} are lock-free. All other methods are
 * wait-free.
 */
public final class Lifecycle {
  /*
   * A  STATE.compareAndExchangeRelease    ->  STATE.getAcquire in isCompleted    what was done
   *    in complete and drain                  and isDrained                        before
   *
   * Invariant: the state only rises.
   */
  private static final int OPEN = 0;
  private static final int COMPLETED = 1;
  private static final int DRAINED = 2;
  private static final int CLOSED = 3;

  private static final List<String> NAMES = List.of("open", "completed", "drained", "closed");

  @SuppressWarnings("unused") // through STATE
  private int state;

  /** Makes the lifecycle of an open structure. */
  public Lifecycle() {}

  /**
   * Completes the structure. What the caller did before is visible to any thread that finds the
   * structure completed.
   */
  public void complete() {
    // release A: what was done before
    var _ = (int) STATE.compareAndExchangeRelease(this, OPEN, COMPLETED);
  }

  /** Marks the structure as drained if it is completed and not yet closed. */
  public void drain() {
    // release A: what was done before
    var _ = (int) STATE.compareAndExchangeRelease(this, COMPLETED, DRAINED);
  }

  /** Closes the structure; returns true if it was not closed before. */
  public boolean close() {
    int state = (int) STATE.getOpaque(this); // opaque: the exchange confirms it
    // atomic: only one caller closes it; the exchange continues the release sequence of complete
    while (state != CLOSED && !STATE.weakCompareAndSetPlain(this, state, CLOSED)) {
      state = (int) STATE.getOpaque(this); // opaque: as above
    }
    return state != CLOSED;
  }

  /**
   * Returns whether no more will be produced, because the structure is completed, drained or
   * closed. If so, everything done before the completion is visible.
   */
  public boolean isCompleted() {
    return (int) STATE.getAcquire(this) != OPEN; // acquire A: sees the completion
  }

  /**
   * Returns whether the structure was marked as drained or is closed. If so, everything done before
   * it was marked is visible.
   */
  public boolean isDrained() {
    return (int) STATE.getAcquire(this) >= DRAINED; // acquire A: sees it drained
  }

  /** Returns the state. */
  @Override
  public String toString() {
    return NAMES.get((int) STATE.getOpaque(this)); // opaque: only displayed
  }

  private static final VarHandle STATE =
      ConstantBootstraps.fieldVarHandle(
              MethodHandles.lookup(), "state", VarHandle.class, Lifecycle.class, int.class)
          .withInvokeExactBehavior();
}
