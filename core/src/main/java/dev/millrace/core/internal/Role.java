package dev.millrace.core.internal;

import dev.millrace.core.Sequence;

/**
 * Detects overlapping calls of a side that only one thread may use at a time. Meant for assertions.
 *
 * <pre>{@code
 * long call = 0;
 * assert (call = producer.begin()) >= 0;
 * ...
 * assert producer.end(call);
 * }</pre>
 */
public final class Role {
  /*
   * Each call remembers the number of calls finished before it and, at its end, counts itself by
   * compare-and-set from that number. Of two overlapping calls, the one that ends last fails. What
   * counts is the overlap, not the thread. So a role may pass from thread to thread, and a call
   * that ends with an exception leaves nothing behind.
   */
  private final Sequence finished = new Sequence();
  private final String contract;

  /**
   * Makes a role. {@code contract} says which threads may do what, and begins the message of the
   * assertion error.
   */
  public Role(String contract) {
    this.contract = contract;
  }

  /** Begins a call. Returns the number to pass to {@link #end}, which is never negative. */
  public long begin() {
    // opaque: a stale read may miss an overlap, but never reports one that is not there
    return finished.getOpaque();
  }

  /**
   * Ends a call. {@code call} is the number that {@link #begin} returned. Returns true, or throws
   * {@link AssertionError} if another call has ended in between.
   */
  public boolean end(long call) {
    // atomic: of two calls with the same number only one succeeds
    while (!finished.weakCompareAndSetPlain(call, call + 1)) {
      if (finished.getOpaque() != call) { // opaque: else it failed spuriously
        throw new AssertionError(
            contract + ": another call overlapped one of " + Thread.currentThread());
      }
    }
    return true;
  }
}
