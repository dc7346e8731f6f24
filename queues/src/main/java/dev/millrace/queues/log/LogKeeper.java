package dev.millrace.queues.log;

import dev.millrace.queues.internal.LogWords;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The two threads of a log. One syncs, and removes segments that need not be kept. The other makes
 * segments ahead. This takes a long time, so it must not delay syncs.
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
  private boolean isForceWanted = true; // of full segments; initially true, to check the limits
  private boolean isStopped;

  private long syncedNanos = System.nanoTime(); // time of the last sync; for the syncing thread
  private List<Thread> threads = List.of(); // empty in tests that do their work themselves

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

  /** Starts the threads of the log in {@code directory}. */
  void start(Object directory) {
    threads =
        List.of(
            start("millrace-log " + directory, this::run),
            start("millrace-log-spare " + directory, supply::run));
  }

  private static Thread start(String name, Runnable body) {
    return Thread.ofPlatform().daemon().name(name).start(body);
  }

  /** Requests a force of full segments soon. */
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

  /** Waits until there is work. Returns false if the log is closed. */
  private boolean awaitWork() {
    keeping.lock();
    try {
      long left = pauseNanos();
      while (left > 0 && !isForceWanted && !isStopped) {
        left = wanted.awaitNanos(left);
      }
      return !isStopped;
    } catch (InterruptedException e) {
      return true; // nothing should interrupt this thread: close stops it
    } finally {
      keeping.unlock();
    }
  }

  /** Returns how long it is until the next sync or check of ages. */
  private long pauseNanos() {
    long sinceSync = System.nanoTime() - syncedNanos;
    return Math.min(
        Math.max(LEAST_SYNC_NANOS, options.syncNanos()) - sinceSync,
        options.retainAge() == Long.MAX_VALUE ? Long.MAX_VALUE : AGE_NANOS);
  }

  /** Does what the threads do in each round. */
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
        commit.force(isDue); // full segments are forced in any case
      } while (options.syncNanos() == 0 && words.durable() > before);
      retention.removeUnkept(0);
    } catch (Throwable e) { // from the disk, from the clock, or for lack of memory
      // the next call that syncs or needs a segment reports the failure; removing is tried again
    }
    if (isDue) {
      syncedNanos = System.nanoTime(); // even after a failure, to pause before retrying
    }
  }

  /** Stops the threads and waits for them. */
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
