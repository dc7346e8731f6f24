package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;

/**
 * Where a waiting thread parks. A worker of a {@link ForkJoinPool} does so as a managed blocker, so
 * that its pool can run another thread in its place: the task that would end the wait may be queued
 * in that very pool.
 *
 * <p><b>Roles.</b> One thread parks at a time.
 *
 * <p><b>Failure.</b> If the pool stops, or neither has nor gets another thread, the worker parks
 * like any other thread.
 *
 * <p><b>Cost.</b> Nothing is allocated here. The pool may start a thread, and a pool that refuses
 * throws an exception each time.
 */
public class Rest implements ForkJoinPool.ManagedBlocker {
  private final Object blocker;
  private long deadline; // of a worker's park

  /** Makes a place to park; thread dumps show the blocker as what the thread waits for. */
  public Rest(Object blocker) {
    this.blocker = blocker;
  }

  /**
   * Parks once: until the thread is unparked or interrupted, or the time has passed, unless that is
   * {@link WaitStrategy#FOREVER}; or for no reason, as {@link LockSupport#park} may.
   */
  public final void park(long nanos) {
    if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
      parkWorker(nanos);
    } else {
      rest(nanos);
    }
  }

  private void parkWorker(long nanos) {
    deadline = Waiters.deadline(nanos); // starting another thread takes some of the time
    try {
      ForkJoinPool.managedBlock(this);
    } catch (InterruptedException | RuntimeException | OutOfMemoryError e) {
      // By the pool: it stops, has as many threads as it may, or could not make another. The
      // thread's interrupt status is as it was.
      boolean _ = block();
    }
  }

  /**
   * Waits once, for at most the time given, which may be {@link WaitStrategy#FOREVER}. A subclass
   * that does not park overrides it.
   */
  protected void rest(long nanos) {
    if (nanos == WaitStrategy.FOREVER) {
      LockSupport.park(blocker);
    } else {
      LockSupport.parkNanos(blocker, nanos);
    }
  }

  /**
   * Whether there is nothing to wait for any more. The pool may wait for locks of its own before
   * the worker parks, which uses up a permit to park. So a thread must make this true before it
   * unparks another, and this has to see it.
   */
  @Override
  public boolean isReleasable() {
    return false;
  }

  /** Parks once, unless there is nothing to wait for. */
  @Override
  public final boolean block() {
    if (!isReleasable()) {
      rest(deadline == WaitStrategy.FOREVER ? deadline : Math.max(0, deadline - System.nanoTime()));
    }
    return true;
  }
}
