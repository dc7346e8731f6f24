package dev.millrace.stress;

import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The threads of a soak: the first failure ends all of them, and a consumer that hangs is one. */
final class Crew {
  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LOOK_MILLIS = 20;

  /** What a thread does. */
  interface Job {
    /** Does it. */
    void run() throws Exception;
  }

  /** A consumer, as other threads see it. */
  interface Watched {
    /** How many polls have returned. */
    long rounds();

    /** Changes with each record that is taken. */
    long seenSum();
  }

  private final String name;
  private final Runnable abandon;
  private final Supplier<String> state;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private long toldAt = System.nanoTime();

  /**
   * Makes a crew without threads.
   *
   * @param abandon ends the waiting of all, after a failure
   * @param state what to tell of the queue
   */
  Crew(String name, Runnable abandon, Supplier<String> state) {
    this.name = name;
    this.abandon = abandon;
    this.state = state;
  }

  Thread start(Thread.Builder builder, Job job) {
    Thread thread =
        builder.start(
            () -> {
              try {
                job.run();
              } catch (Throwable e) { // also an AssertionError
                fail(e);
              }
            });
    threads.add(thread);
    return thread;
  }

  private void fail(Throwable e) {
    if (failure.compareAndSet(null, e)) {
      abandon.run(); // or others would wait for ever
    }
  }

  boolean hasFailed() {
    return failure.get() != null;
  }

  /** Whether all threads have ended. */
  boolean isDone() {
    threads.removeIf(thread -> !thread.isAlive());
    return threads.isEmpty();
  }

  /**
   * Waits, and looks after the consumers meanwhile: records must be taken, and each consumer's
   * polls must return.
   *
   * @throws AssertionError if they do not, or a thread has failed
   */
  void watchUntil(BooleanSupplier end, List<? extends Watched> consumers, Job sample)
      throws Exception {
    long now = System.nanoTime();
    long[] rounds = new long[consumers.size()];
    long[] changedAt = new long[consumers.size()];
    Arrays.fill(changedAt, now);
    long seen = -1;
    long seenAt = now;
    for (long looks = 0; !end.getAsBoolean(); looks++) {
      Thread.sleep(LOOK_MILLIS);
      if (hasFailed()) {
        break;
      }
      now = System.nanoTime();
      long seenNow = 0;
      for (int i = 0; i < rounds.length; i++) {
        Watched consumer = consumers.get(i);
        changedAt[i] = consumer.rounds() != rounds[i] ? now : changedAt[i];
        rounds[i] = consumer.rounds();
        seenNow += consumer.seenSum();
        checkMoves("consumer " + i + " must return from its poll", now - changedAt[i]);
      }
      seenAt = seenNow != seen ? now : seenAt;
      seen = seenNow;
      checkMoves("records must be taken", now - seenAt);
      if (looks % 10 == 0) {
        sample.run();
      }
      if (now - toldAt > TELL_NANOS) {
        toldAt = now;
        System.err.println(name + ": " + state.get());
      }
    }
    rethrow();
  }

  private void checkMoves(String what, long nanos) {
    if (nanos > STUCK_NANOS) {
      StringBuilder report = new StringBuilder(what + ": " + state.get());
      for (Thread thread : threads) {
        report.append("\n  ").append(thread.getName());
        for (StackTraceElement frame : thread.getStackTrace()) {
          report.append("\n    ").append(frame);
        }
      }
      fail(new AssertionError(report.toString()));
    }
  }

  /** Throws what the first thread that failed has thrown. */
  private void rethrow() throws InterruptedException {
    Throwable first = failure.get();
    if (first != null) {
      for (Thread thread : threads) {
        thread.join(LOOK_MILLIS * 50);
      }
      throw new AssertionError(name + ": " + first.getMessage(), first);
    }
  }
}
