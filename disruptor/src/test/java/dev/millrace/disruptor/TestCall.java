package dev.millrace.disruptor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** A call in a thread of its own, and how a test waits for what other threads do. */
final class TestCall<T> {
  static final Duration LONG = Duration.ofSeconds(20);
  private static final long LOOK_NANOS = 100_000;

  private final FutureTask<T> task;
  private final Thread thread;

  private TestCall(Callable<T> body) {
    task = new FutureTask<>(body);
    thread = Thread.ofPlatform().daemon().start(task);
  }

  static <T> TestCall<T> of(Callable<T> body) {
    return new TestCall<>(body);
  }

  /** A body without a result. */
  interface Body {
    void run() throws Exception;
  }

  static TestCall<Boolean> run(Body body) {
    return new TestCall<>(
        () -> {
          body.run();
          return true;
        });
  }

  /** Starts several calls of the same body. */
  static List<TestCall<Boolean>> run(int count, Body body) {
    return IntStream.range(0, count).mapToObj(_ -> run(body)).toList();
  }

  Thread thread() {
    return thread;
  }

  boolean isOver() {
    return task.isDone();
  }

  /** What it returned; fails if it does not end. */
  T result() throws ExecutionException, InterruptedException, TimeoutException {
    return task.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  /** Returns what each call returned. */
  static <T> List<T> results(List<TestCall<T>> calls) throws Exception {
    List<T> results = new ArrayList<>();
    for (TestCall<T> call : calls) {
      results.add(call.result());
    }
    return results;
  }

  static long sum(List<TestCall<Long>> calls) throws Exception {
    return results(calls).stream().mapToLong(Long::longValue).sum();
  }

  /** What it threw; fails if it does not end, or ends well. */
  Throwable failure() throws InterruptedException, TimeoutException {
    try {
      T result = result();
      throw new AssertionError("must have failed: result=" + result);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** Waits until the thread rests, in whatever it waits for. */
  TestCall<T> awaitResting() {
    await(() -> isOver() || isResting(thread));
    assertThat(isOver()).isFalse();
    return this;
  }

  /** Waits until the thread rests, if its strategy lets it, or is over. */
  TestCall<T> awaitParked(WaitStrategy strategy) {
    await(() -> !strategy.parks() || isOver() || isResting(thread));
    return this;
  }

  static boolean isResting(Thread thread) {
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  /** Waits until something has come about. */
  static void await(BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > LONG.toNanos()) {
        throw new AssertionError("has not come about in " + LONG);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
