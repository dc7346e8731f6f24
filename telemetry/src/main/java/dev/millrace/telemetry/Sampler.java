package dev.millrace.telemetry;

import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reads the values of sources periodically, on a thread that starts when the first source is added.
 *
 * <p>Sources are user code: they may block, take longer than the period, throw, or call the
 * telemetry. They are therefore never called under this object's lock. A thread that reads a source
 * holds only that task's monitor, which keeps other threads from reading the source at the same
 * time. The values are stored under this object's lock, and only if the task has not been removed.
 * Locks are taken in the order task, sampler, telemetry.
 */
final class Sampler {
  /** How long {@link #close} waits for the last sample. */
  private static final Duration LAST_SAMPLE_LIMIT = Duration.ofMillis(500);

  /** A source, and where its values go. */
  static final class Task {
    private final String label;
    private final Consumer<long[]> source; // fills in the values
    private final List<Labelled> places; // one for each value, then the counter of failures
    private final long[] values; // guarded by this

    Task(String label, Consumer<long[]> source, List<Labelled> places) {
      this.label = label;
      this.source = source;
      this.places = places;
      this.values = new long[places.size() - 1];
    }

    /** Reads the source. Returns false if the source threw anything. */
    private boolean read() {
      try {
        source.accept(values);
        return true;
      } catch (Throwable e) { // from user code: the other sources must continue
        return false;
      }
    }

    /**
     * Stores the values read or, if the source threw, counts the failure and keeps the last values.
     */
    private void store(boolean wasRead) {
      if (!wasRead) {
        ((Counter) places.getLast()).increment();
        return;
      }
      for (int i = 0; i < values.length; i++) {
        places.get(i).store(values[i]);
      }
    }
  }

  private final long periodNanos;

  /** Once this thread is shut down, only the last sample may still read and store. */
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("millrace-telemetry-sampler").factory());

  // guarded by this
  private final Map<String, Task> tasks = new LinkedHashMap<>(); // by label
  private boolean started;
  private boolean closed; // nothing may be stored any more, because the memory may be gone

  /** Creates a sampler. With a period of zero, it samples only on demand. */
  Sampler(Duration period) {
    this.periodNanos = period.toNanos();
  }

  void add(Task task) {
    synchronized (this) {
      checkOpen();
      tasks.put(task.label, task);
      if (!started && periodNanos > 0) {
        started = true;
        var _ =
            thread.scheduleWithFixedDelay(
                this::sample, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
      }
    }
    sample(task, false);
  }

  /** Ends a task and frees its counters, without waiting for its source. */
  synchronized void remove(String label) {
    Task task = tasks.remove(label);
    if (task != null) {
      task.places.forEach(Labelled::close);
    }
  }

  void sample() {
    List<Task> all = tasks();
    for (Task task : all) {
      if (Thread.holdsLock(task)) {
        throw new IllegalStateException(
            "sample() called by a source: label=" + Checks.shown(task.label));
      }
    }
    all.forEach(task -> sample(task, false));
  }

  /** Reads a source and stores its values. Once closing has begun, only the last sample does so. */
  private void sample(Task task, boolean isLast) {
    synchronized (task) {
      if (isThere(task, isLast)) {
        boolean wasRead = task.read();
        synchronized (this) {
          if (isThere(task, true)) {
            task.store(wasRead);
          }
        }
      }
    }
  }

  private synchronized boolean isThere(Task task, boolean isLast) {
    boolean isOver = isLast ? closed : thread.isShutdown();
    return !isOver && task.equals(tasks.get(task.label));
  }

  private synchronized List<Task> tasks() {
    checkOpen();
    return List.copyOf(tasks.values());
  }

  private void checkOpen() {
    if (thread.isShutdown()) {
      throw new IllegalStateException("telemetry is closed");
    }
  }

  /**
   * Samples once more and ends the thread. The last sample is taken on a thread of its own, so a
   * source that blocks delays the caller by no more than the limit. If a source calls this method,
   * the last sample leaves that source out. A second call does nothing and returns false.
   */
  boolean close() {
    Thread last;
    synchronized (this) {
      if (thread.isShutdown()) {
        return false;
      }
      List<Task> all = tasks.values().stream().filter(task -> !Thread.holdsLock(task)).toList();
      last =
          Thread.ofPlatform()
              .daemon()
              .name("millrace-telemetry-last-sample")
              .start(() -> all.forEach(task -> sample(task, true)));
      thread.shutdown();
    }
    boolean interrupted = Thread.interrupted(); // an interrupted caller still gets its sample
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
    return true;
  }
}
