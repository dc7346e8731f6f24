package dev.millrace.telemetry;

import dev.millrace.core.Measured;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Asks sources for their values now and then, on a thread that begins with the first of them.
 *
 * <p>Sources are user code: they may block, take longer than the period, throw, or call the
 * telemetry. So none is called under this object's lock. A thread that asks a source holds that
 * task's monitor alone, which keeps other threads from asking it at the same time; the values are
 * stored under this object's lock, and only if the task is still there. Locks are taken in the
 * order task, sampler, telemetry.
 */
final class Sampler {
  /** How long {@link #close} waits for the last sample. */
  private static final Duration LAST_SAMPLE_LIMIT = Duration.ofMillis(500);

  /** A source, and where its values go. */
  static final class Task {
    private final String label;
    private final Measured source;
    private final List<Labelled> places; // one for each metric
    private final Counter failures;
    private final long[] values; // guarded by this

    Task(String label, Measured source, List<Labelled> places, Counter failures) {
      this.label = label;
      this.source = source;
      this.places = List.copyOf(places);
      this.failures = failures;
      this.values = new long[places.size()];
    }

    /** Asks the source. Returns false if it threw, whatever it threw. */
    private boolean ask() {
      try {
        source.readMetrics(values);
        return true;
      } catch (Throwable e) { // thrown by user code, perhaps: the other sources must go on
        return false;
      }
    }

    /** Stores what the source answered. Its values stay as they were if it threw. */
    private void store(boolean hasAnswered) {
      if (!hasAnswered) {
        failures.increment();
        return;
      }
      for (int i = 0; i < values.length; i++) {
        places.get(i).store(values[i]);
      }
    }
  }

  private final long periodNanos;

  // guarded by this
  private final Set<Task> tasks = new LinkedHashSet<>();
  private boolean started;
  private boolean closing; // only the last sample may still ask and store
  private boolean closed; // nothing is stored any more: the memory may be gone

  Sampler(Duration period) {
    this.periodNanos = period.toNanos();
  }

  void add(Task task) {
    synchronized (this) {
      checkOpen();
      if (!started && periodNanos > 0) {
        Thread.ofPlatform().daemon().name("millrace-telemetry-sampler").start(this::run);
        started = true;
      }
      tasks.add(task);
    }
    sample(task);
  }

  /** Ends the task and frees its counters, without waiting for its source; not once closed. */
  synchronized void remove(Task task) {
    if (!closed && tasks.remove(task)) {
      task.places.forEach(Labelled::close);
      task.failures.close();
    }
  }

  void sample() {
    List<Task> all;
    synchronized (this) {
      checkOpen();
      all = tasks();
    }
    for (Task task : all) {
      if (Thread.holdsLock(task)) {
        throw new IllegalStateException("sample() called by a source: label=" + task.label);
      }
    }
    all.forEach(this::sample);
  }

  private void sample(Task task) {
    synchronized (task) {
      if (isOpen()) { // else the last sample may have been taken, and no call may follow it
        update(task);
      }
    }
  }

  private void sampleLast(List<Task> all) {
    for (Task task : all) {
      synchronized (task) {
        update(task);
      }
    }
  }

  /** The caller holds the task's monitor. */
  private void update(Task task) {
    if (isThere(task)) {
      boolean hasAnswered = task.ask();
      synchronized (this) {
        if (isThere(task)) {
          task.store(hasAnswered);
        }
      }
    }
  }

  private synchronized boolean isOpen() {
    return !closing;
  }

  private synchronized boolean isThere(Task task) {
    return !closed && tasks.contains(task);
  }

  /** The sampling thread. */
  private void run() {
    long due = System.nanoTime() + periodNanos;
    while (awaitDue(due)) {
      for (Task task : tasks()) {
        sample(task);
      }
      long now = System.nanoTime();
      due += periodNanos;
      if (due - now < 0) { // overrun: without a pause a slow source would be asked all the time
        due = now + periodNanos;
      }
    }
  }

  private synchronized List<Task> tasks() {
    return List.copyOf(tasks);
  }

  /** Waits until it is time. Returns false on close. */
  private synchronized boolean awaitDue(long due) {
    while (!closing) {
      long left = due - System.nanoTime();
      if (left <= 0) {
        return true;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        // a source interrupted its own thread; this thread ends by closing alone
      }
    }
    return false;
  }

  private void checkOpen() {
    if (closing) {
      throw new IllegalStateException("telemetry must be open: closed");
    }
  }

  /**
   * Samples once more and ends the thread. The last sample is taken on a thread of its own, so a
   * source that blocks delays the caller by no more than the limit. If a source calls this, the
   * last sample leaves it out.
   */
  void close() {
    Thread last;
    synchronized (this) {
      checkOpen();
      List<Task> all = new ArrayList<>(tasks);
      all.removeIf(Thread::holdsLock);
      last =
          Thread.ofPlatform()
              .daemon()
              .name("millrace-telemetry-last-sample")
              .start(() -> sampleLast(all));
      closing = true;
      notifyAll();
    }
    boolean interrupted = Thread.interrupted(); // a caller interrupted before still gets its sample
    try {
      last.join(LAST_SAMPLE_LIMIT);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    synchronized (this) {
      closed = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
