package dev.millrace.telemetry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks sources for their values now and then, on a thread that begins with the first of them. */
final class Sampler {
  /** A source, and where its values go. */
  static final class Task {
    private final Source source;
    private final Counter[] counters; // one for each metric, and one for how often it threw

    Task(Source source, Counter[] counters) {
      this.source = source;
      this.counters = counters;
    }

    /** Asks the source. Whatever it throws is counted, and its values stay what they were. */
    void run() {
      long[] values = new long[source.metrics().size()];
      try {
        source.values().into(values);
      } catch (Throwable e) { // of a user's code, perhaps: other sources must go on
        counters[values.length].increment();
        return;
      }
      for (int i = 0; i < values.length; i++) {
        counters[i].store(values[i]);
      }
    }
  }

  private final long periodNanos;

  // guarded by this, as is all sampling: so nothing is sampled once it is closed
  private final List<Task> tasks = new ArrayList<>();
  private boolean started;
  private boolean closed;

  Sampler(Duration period) {
    this.periodNanos = period.toNanos();
  }

  synchronized void add(Task task) {
    checkOpen();
    tasks.add(task);
    task.run();
    if (!started && periodNanos > 0) {
      started = true;
      Thread.ofPlatform().daemon().name("millrace-telemetry-sampler").start(this::run);
    }
  }

  /** Returns whether it was there; not once this is closed. */
  synchronized boolean remove(Task task) {
    return !closed && tasks.remove(task);
  }

  synchronized void sample() {
    checkOpen();
    tasks.forEach(Task::run);
  }

  private synchronized void run() {
    long due = System.nanoTime() + periodNanos;
    while (!closed) {
      long now = System.nanoTime();
      if (due - now > 0) {
        waitNanos(due - now);
      } else {
        tasks.forEach(Task::run);
        due = Math.max(due + periodNanos, now);
      }
    }
  }

  private void waitNanos(long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    } catch (InterruptedException e) {
      // nobody has the thread but this object, which ends it otherwise
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("telemetry must be open: closed");
    }
  }

  /** Samples once more and ends the thread. */
  synchronized void close() {
    if (!closed) {
      tasks.forEach(Task::run);
      closed = true;
      notifyAll();
    }
  }
}
