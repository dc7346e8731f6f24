package dev.millrace.queues.log;

import dev.millrace.core.internal.Rest;
import dev.millrace.queues.internal.LogFiles;
import dev.millrace.queues.internal.LogWords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Forces a log to the disk. Only one force runs at a time, and it serves all threads that wait for
 * the disk.
 */
final class GroupCommit {
  /*
   * The thread that has set isForcing does the forcing and marking, and the others wait for it. One
   * force serves all waiting threads, except those whose messages were committed after it began.
   * One of these forces next. The lock is not held during a force.
   *
   * After a failed force it is unknown what is on the disk, so the failure is permanent.
   */
  private final LogFiles files;
  private final LogSegments segments;
  private final LogOpening opening;
  private final LogWords words;
  private final boolean isEager; // whether a waiting thread forces by itself

  private final ReentrantLock syncing = new ReentrantLock(); // guards the fields below
  private final Condition forced = syncing.newCondition(); // a force has ended
  private boolean isForcing;
  private @Nullable Throwable failure; // of the first force that failed

  GroupCommit(
      LogFiles files, LogSegments segments, LogOpening opening, LogWords words, boolean isEager) {
    this.files = files;
    this.segments = segments;
    this.opening = opening;
    this.words = words;
    this.isEager = isEager;
  }

  // ---- waiting ----

  /** Forces everything committed to the disk: see {@link MessageLog#sync}. */
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

  /** Waits until message {@code number} is on the disk: see {@link MessageLog#awaitDurable}. */
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

  /**
   * Waits until a force has ended, for at most {@code nanos}. Returns how much of that time is
   * left.
   */
  private long awaitForced(long nanos) throws InterruptedException {
    ForcedWait wait = new ForcedWait();
    wait.park(nanos);
    if (wait.interrupted != null) {
      throw wait.interrupted;
    }
    return wait.left;
  }

  /**
   * Waits for the end of a force. While a worker of a pool waits on a condition, the pool may run
   * another thread, but not during a timed wait. Rest covers that case.
   */
  private final class ForcedWait extends Rest {
    private long left;
    private @Nullable InterruptedException interrupted; // kept, because the pool may throw its own

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
   * Forces once no other thread is forcing.
   *
   * @param isAll whether to force not only full segments but also the messages in the last one,
   *     with its header and name. Once the segments before it are removed, only these say at which
   *     number the log continues
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

  /** Forces, releasing the lock, which the caller holds, for that time. */
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
    long written = words.written(); // read first: the segments hold all below it
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
      segments.checkOwn(); // after the force: nothing is durable if another opening has taken over
      full.forEach(LogSegments.Sealed::markComplete);
      if (isAll || unforced.hasNames()) {
        last.marks().markDurable(to, end);
      }
    } catch (Throwable e) { // after an error, too, it is unknown what is on the disk
      throw fail(e);
    }
    if (end > words.durable()) {
      words.markDurable(end);
    }
    segments.markForced(full);
  }

  // ---- failing ----

  /** Throws if it is no longer known what is on the disk. */
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

  /** Records {@code cause} unless there already was a failure. Returns the exception to throw. */
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
