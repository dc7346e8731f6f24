package dev.millrace.queues.log;

import dev.millrace.core.internal.Rest;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.LogWords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The forces of a log: one at a time, each for all threads that wait for the disk. */
final class GroupCommit {
  /*
   * The thread that has set isForcing forces and marks; others wait for it. One force serves all
   * that wait, except for what was committed after it began: then one of them forces next. The lock
   * is not held during a force.
   *
   * After a force that failed it is unknown what is on the disk, so the failure stays.
   */
  private final LogFiles files;
  private final LogSegments segments;
  private final LogOpening opening;
  private final LogWords words;
  private final boolean isEager; // whether one that waits forces

  private final ReentrantLock syncing = new ReentrantLock(); // guards what follows
  private final Condition forced = syncing.newCondition(); // a force has ended
  private boolean isForcing;
  private Throwable failure; // of a force

  GroupCommit(
      LogFiles files, LogSegments segments, LogOpening opening, LogWords words, boolean isEager) {
    this.files = files;
    this.segments = segments;
    this.opening = opening;
    this.words = words;
    this.isEager = isEager;
  }

  // ---- waiting ----

  /** Puts all that is committed on the disk: see {@link MessageLog#sync}. */
  void sync() {
    long end = words.written();
    syncing.lock();
    try {
      do {
        opening.checkOpen();
        checkForced();
        if (isForcing) {
          forced.awaitUninterruptibly();
        } else {
          forceUnlocked(true);
        }
      } while (words.durable() < end);
    } finally {
      syncing.unlock();
    }
  }

  /** Waits until a message is on the disk: see {@link MessageLog#awaitDurable}. */
  boolean awaitDurable(long number, long nanos) throws InterruptedException {
    if (words.durable() > number) {
      return true;
    }
    syncing.lockInterruptibly();
    try {
      long left = nanos;
      while (words.durable() <= number) {
        opening.checkOpen();
        checkForced();
        if (left <= 0) {
          return false;
        }
        if (isEager && words.written() > number && !isForcing) {
          forceUnlocked(true);
        } else {
          left = awaitForced(left);
        }
      }
      return true;
    } finally {
      syncing.unlock();
    }
  }

  /** Waits until a force has ended, for a time at most; returns how much of that is left. */
  private long awaitForced(long nanos) throws InterruptedException {
    ForcedWait wait = new ForcedWait();
    wait.park(nanos);
    if (wait.interrupted != null) {
      throw wait.interrupted;
    }
    return wait.left;
  }

  /**
   * Waits for the end of a force. A condition lets a pool run another thread by itself, but not
   * where it waits for a time.
   */
  private final class ForcedWait extends Rest {
    private long left;
    private InterruptedException interrupted; // kept, since the pool may throw one of its own

    ForcedWait() {
      super(GroupCommit.this);
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // the caller has the loop
    protected void rest(long nanos) {
      try {
        left = forced.awaitNanos(nanos);
      } catch (InterruptedException e) {
        interrupted = e;
      }
    }
  }

  // ---- forcing ----

  /**
   * Forces once no other thread does.
   *
   * @param isAll whether to force what is in the last segment, too, not only what is full, and the
   *     last one's header and name: once those before are removed, nothing else says at which
   *     number the log goes on
   */
  void force(boolean isAll) {
    syncing.lock();
    try {
      while (isForcing) {
        forced.awaitUninterruptibly();
      }
      forceUnlocked(isAll);
    } finally {
      syncing.unlock();
    }
  }

  /** Forces; gives up the lock, which the caller has, for as long as that takes. */
  private void forceUnlocked(boolean isAll) {
    isForcing = true;
    syncing.unlock();
    try {
      forceNow(isAll);
    } finally {
      syncing.lock();
      isForcing = false;
      forced.signalAll();
    }
  }

  private void forceNow(boolean isAll) {
    checkForced();
    long written = words.written(); // before the segments: what is below is in these
    LogSegments.Unforced unforced = segments.takeUnforced();
    LogSegment last = unforced.last();
    List<LogSegments.Sealed> full = unforced.full();
    long end = isAll ? Math.max(written, last.first()) : last.marks().durableEnd();
    if (full.isEmpty() && !unforced.hasNames() && end <= words.durable()) {
      return;
    }
    try {
      full.forEach(LogSegments.Sealed::force);
      long to = Math.max(SegmentHeader.BYTES, last.forced());
      if (isAll && end > last.first()) {
        to = last.behind(last.index().position(end - 1));
      }
      if (isAll || unforced.hasNames()) {
        last.force(to);
      }
      if (unforced.hasNames()) {
        files.force();
      }
      segments.checkOwn(); // behind the force: what is not this opening's any more is not durable
      full.forEach(LogSegments.Sealed::markComplete);
      if (isAll || unforced.hasNames()) {
        last.marks().markDurable(to, end);
      }
    } catch (Throwable e) { // an error too leaves unknown what is on the disk
      throw fail(e);
    }
    if (end > words.durable()) {
      words.markDurable(end);
    }
    segments.markForced(full);
  }

  // ---- failing ----

  /** Refuses what needs a log that still knows what is on the disk. */
  void checkForced() {
    try {
      segments.checkOwn();
    } catch (IOException e) {
      throw fail(e);
    }
    syncing.lock();
    try {
      if (failure != null) {
        throw failed();
      }
    } finally {
      syncing.unlock();
    }
  }

  /** Takes note of a failure, unless there was one; returns what to throw. */
  private UncheckedIOException fail(Throwable cause) {
    syncing.lock();
    try {
      failure = failure == null ? cause : failure;
      return failed();
    } finally {
      syncing.unlock();
    }
  }

  private UncheckedIOException failed() {
    return new UncheckedIOException(
        failure instanceof LogOpening.LostException
            ? new IOException(failure.getMessage(), failure)
            : new IOException(
                "a force failed, open the log again: directory=" + files.directory(), failure));
  }
}
