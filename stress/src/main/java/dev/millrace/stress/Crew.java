package dev.millrace.stress;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The threads of a round: the first failure ends all of them, and a counter that hangs is one. */
final class Crew {
  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long CHECK_MILLIS = 20;

  /** What a thread does. */
  interface Job {
    /** Does it. */
    void run() throws Exception;
  }

  /** A counter that must move. */
  private static final class Watched {
    private final String rule;
    private final LongSupplier counter;
    private long count;
    private long changedAt;

    Watched(String rule, LongSupplier counter) {
      this.rule = rule;
      this.counter = counter;
    }
  }

  private final String name;
  private final Runnable abandon;
  private final Supplier<String> state;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final List<Watched> watched = new ArrayList<>();
  private long toldAt = System.nanoTime();

  /**
   * Makes a crew without threads.
   *
   * @param abandon ends the waiting of all, after a failure
   * @param state describes the structure
   */
  Crew(String name, Runnable abandon, Supplier<String> state) {
    this.name = name;
    this.abandon = abandon;
    this.state = state;
  }

  /** Starts a platform thread. */
  void start(String thread, Job job) {
    start(Thread.ofPlatform().name(thread).daemon(), job);
  }

  void start(Thread.Builder builder, Job job) {
    threads.add(
        builder.start(
            () -> {
              try {
                job.run();
              } catch (Throwable e) { // also an AssertionError
                fail(e);
              }
            }));
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

  /** Demands that a counter never stands still for long. */
  void watch(String rule, LongSupplier counter) {
    watched.add(new Watched(rule, counter));
  }

  /** Waits until all threads have ended, and watches the counters. */
  void join() throws Exception {
    watchUntil(this::isDone, () -> {});
  }

  /**
   * Waits, and watches the counters.
   *
   * @param sample runs now and then
   * @throws AssertionError if one stands still, or a thread has failed
   */
  void watchUntil(BooleanSupplier end, Job sample) throws Exception {
    long begin = System.nanoTime();
    watched.forEach(one -> one.changedAt = begin);
    for (long checks = 0; !end.getAsBoolean(); checks++) {
      Thread.sleep(CHECK_MILLIS);
      if (hasFailed()) {
        break;
      }
      long now = System.nanoTime();
      for (Watched one : watched) {
        long count = one.counter.getAsLong();
        one.changedAt = count == one.count ? one.changedAt : now;
        one.count = count;
        if (now - one.changedAt > STUCK_NANOS) {
          fail(new AssertionError(one.rule + ": " + state.get() + stacks()));
        }
      }
      if (checks % 10 == 0) {
        sample.run();
      }
      if (now - toldAt > TELL_NANOS) {
        toldAt = now;
        System.err.println(name + ": " + state.get());
      }
    }
    rethrow();
  }

  private String stacks() {
    return threads.stream()
        .map(thread -> "\n  " + thread + "\n    " + List.of(thread.getStackTrace()))
        .collect(Collectors.joining());
  }

  /** Throws what the first thread that failed has thrown. */
  private void rethrow() throws InterruptedException {
    Throwable first = failure.get();
    if (first != null) {
      for (Thread thread : threads) {
        thread.join(CHECK_MILLIS * 50);
      }
      throw new AssertionError(name + ": " + first.getMessage(), first);
    }
  }
}
