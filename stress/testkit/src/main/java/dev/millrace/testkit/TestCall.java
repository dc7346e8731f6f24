package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A call in a thread of its own, and how a test waits for what other threads do.
 *
 * @param <T> what it returns
 */
public final class TestCall<T> {
  /** Longer than anything takes. */
  public static final Duration LONG = Duration.ofSeconds(50);

  private static final long LOOK_NANOS = 100_000;

  private final FutureTask<T> task;
  private final Thread thread;

  private TestCall(Callable<T> body) {
    task = new FutureTask<>(body);
    thread = Thread.ofPlatform().daemon().start(task);
  }

  /** A body without a result. */
  public interface Body {
    /** Does it. */
    void run() throws Exception;
  }

  /** Starts a call. */
  public static <T> TestCall<T> of(Callable<T> body) {
    return new TestCall<>(body);
  }

  /** Starts a call for each number below a count. */
  public static <T> List<TestCall<T>> each(int count, IntFunction<Callable<T>> bodies) {
    return IntStream.range(0, count).mapToObj(i -> of(bodies.apply(i))).toList();
  }

  /** Starts a call without a result. */
  public static TestCall<Boolean> run(Body body) {
    return of(callable(body));
  }

  /** Starts several calls of the same body. */
  public static List<TestCall<Boolean>> run(int count, Body body) {
    return each(count, _ -> callable(body));
  }

  private static Callable<Boolean> callable(Body body) {
    return () -> {
      body.run();
      return true;
    };
  }

  /** Its thread. */
  public Thread thread() {
    return thread;
  }

  /** Whether it has ended. */
  public boolean isOver() {
    return task.isDone();
  }

  /** Whether it has ended by an exception. */
  public boolean hasFailed() {
    return task.state() == Future.State.FAILED;
  }

  /** Waits for what it returns; fails if it does not end. */
  public T result() throws ExecutionException, InterruptedException, TimeoutException {
    return task.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  /** Waits for what each call returns. */
  public static <T> List<T> results(List<TestCall<T>> calls) throws Exception {
    List<T> results = new ArrayList<>();
    for (TestCall<T> call : calls) {
      results.add(call.result());
    }
    return results;
  }

  /** Waits for the sum of what calls return. */
  public static long sum(List<TestCall<Long>> calls) throws Exception {
    return results(calls).stream().mapToLong(Long::longValue).sum();
  }

  /** Waits for what it throws; fails if it does not end, or ends well. */
  public Throwable failure() throws InterruptedException, TimeoutException {
    try {
      T result = result();
      throw new AssertionError("must have failed: result=" + result);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** Waits until the thread rests, in whatever it waits for. */
  public TestCall<T> awaitResting() {
    awaitParked(true);
    assertThat(isOver()).isFalse();
    return this;
  }

  /** Waits until the thread rests, if its strategy parks, or is over. */
  public TestCall<T> awaitParked(boolean parks) {
    await(() -> !parks || isOver() || isResting(thread));
    return this;
  }

  /** Whether a thread rests. */
  public static boolean isResting(Thread thread) {
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  /** Waits until something has come about. */
  public static void await(BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begin > LONG.toNanos()) {
        throw new AssertionError("has not come about in " + LONG);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
