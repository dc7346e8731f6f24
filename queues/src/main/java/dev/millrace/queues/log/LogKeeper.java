package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogWords;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads of a log: one syncs and removes what need not be kept; the other makes segments
 * ahead, which takes long, so that no sync waits for it.
 */
final class LogKeeper {
  private static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1); // between checks of ages
  private static final long LEAST_SYNC_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final LogOptions options;
  private final SegmentSupply supply;
  private final GroupCommit commit;
  private final LogRetention retention;
  private final LogWords words;

  private final ReentrantLock keeping = new ReentrantLock(); // guards the two flags
  private final Condition wanted = keeping.newCondition();
  private boolean isForceWanted = true; // of what is full; at first, to check the limits
  private boolean isStopped;

  private long syncedNanos = System.nanoTime(); // the last time; of the thread that syncs
  private List<Thread> threads = List.of(); // none in tests that do their work themselves

  LogKeeper(
      LogOptions options,
      SegmentSupply supply,
      GroupCommit commit,
      LogRetention retention,
      LogWords words) {
    this.options = options;
    this.supply = supply;
    this.commit = commit;
    this.retention = retention;
    this.words = words;
  }

  /** Starts the threads of the log in a directory. */
  void start(Object directory) {
    threads =
        List.of(
            start("millrace-log " + directory, this::run),
            start("millrace-log-spare " + directory, supply::run));
  }

  private static Thread start(String name, Runnable body) {
    return Thread.ofPlatform().daemon().name(name).start(body);
  }

  /** Has what is full forced soon. */
  void wantForce() {
    keeping.lock();
    try {
      isForceWanted = true;
      wanted.signal();
    } finally {
      keeping.unlock();
    }
  }

  private void run() {
    while (awaitWork()) {
      syncAndRemove();
    }
  }

  /** Waits until there is work; returns false if the log is closed. */
  private boolean awaitWork() {
    keeping.lock();
    try {
      long left = pauseNanos();
      while (left > 0 && !isForceWanted && !isStopped) {
        left = wanted.awaitNanos(left);
      }
      return !isStopped;
    } catch (InterruptedException e) {
      return true; // nothing is meant to interrupt it: close stops it
    } finally {
      keeping.unlock();
    }
  }

  /** How long until the next sync or check of ages. */
  private long pauseNanos() {
    long sinceSync = System.nanoTime() - syncedNanos;
    return Math.min(
        Math.max(LEAST_SYNC_NANOS, options.syncNanos()) - sinceSync,
        options.retainAge() == Long.MAX_VALUE ? Long.MAX_VALUE : AGE_NANOS);
  }

  /** Does what the threads do each time. */
  void work() {
    supply.makeIfWanted();
    syncAndRemove();
  }

  private void syncAndRemove() {
    keeping.lock();
    try {
      isForceWanted = false;
    } finally {
      keeping.unlock();
    }
    boolean isDue = System.nanoTime() - syncedNanos >= options.syncNanos();
    try {
      long before;
      do {
        before = words.durable();
        commit.force(isDue); // what is full is forced in any case
      } while (options.syncNanos() == 0 && words.durable() > before);
      retention.removeUnkept(0);
    } catch (Throwable e) { // as of the disk, of the clock, or for lack of memory
      // reported to the next caller that syncs or needs a segment; removing is tried again
    }
    if (isDue) {
      syncedNanos = System.nanoTime(); // after a failure too: the next round is not at once
    }
  }

  /** Stops the threads, and waits for them. */
  void stop() {
    supply.stop();
    keeping.lock();
    try {
      isStopped = true;
      wanted.signal();
    } finally {
      keeping.unlock();
    }
    boolean wasInterrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
