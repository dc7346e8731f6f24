package dev.millrace.core.internal;

import dev.millrace.core.WaitStrategy;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;

/**
 * Where a waiting thread parks. A worker of a {@link ForkJoinPool} parks as a managed blocker, so
 * that its pool can run another thread in its place. The task that would end the wait may be queued
 * in that very pool.
 *
 * <p><b>Roles.</b> One thread at a time parks here.
 *
 * <p><b>Failure.</b> If the pool is stopping, or has no spare thread and cannot start one, the
 * worker parks like any other thread.
 *
 * <p><b>Cost.</b> This class allocates nothing. The pool may start a thread. A pool that refuses to
 * start one throws an exception each time.
 */
public class Rest implements ForkJoinPool.ManagedBlocker {
  private final Object blocker;
  private long workerNanos; // how long a worker parks

  /**
   * Makes a place to park. Thread dumps show {@code blocker} as the object that the thread waits
   * for.
   */
  public Rest(Object blocker) {
    this.blocker = blocker;
  }

  /**
   * Parks once, until the thread is unparked or interrupted or {@code nanos} have passed. {@link
   * WaitStrategy#FOREVER} sets no limit. The call may also return for no reason, as {@link
   * LockSupport#park} may.
   *
   * <p>The time that a worker's pool takes to run another thread is not part of {@code nanos}. A
   * worker that sleeps briefly between tries would otherwise never sleep in a slow pool: it would
   * use up its processor, and have the pool start a thread for each try.
   */
  public final void park(long nanos) {
    if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
      parkWorker(nanos);
    } else {
      rest(nanos);
    }
  }

  private void parkWorker(long nanos) {
    workerNanos = nanos;
    try {
      ForkJoinPool.managedBlock(this);
    } catch (InterruptedException | RuntimeException | OutOfMemoryError e) {
      // The pool is stopping, has as many threads as it may have, or could not start another. The
      // thread's interrupt status is unchanged.
      boolean _ = block();
    }
  }

  /**
   * Waits once, for at most {@code nanos}, which may be {@link WaitStrategy#FOREVER}. A subclass
   * that waits without parking overrides this method.
   */
  protected void rest(long nanos) {
    if (nanos == WaitStrategy.FOREVER) {
      LockSupport.park(blocker);
    } else {
      LockSupport.parkNanos(blocker, nanos);
    }
  }

  /**
   * Returns whether there is nothing left to wait for. Before the worker parks, the pool may wait
   * for its own locks, which uses up the worker's parking permit. So a thread must make this true
   * before it unparks the worker, and this method must see that.
   */
  @Override
  public boolean isReleasable() {
    return false;
  }

  /** Parks once, unless there is nothing left to wait for. */
  @Override
  public final boolean block() {
    if (!isReleasable()) {
      rest(workerNanos);
    }
    return true;
  }
}
