package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Idler;
import dev.millrace.core.WaitStrategy;
import dev.millrace.testkit.Allocations;
import dev.millrace.testkit.TestCall;
import dev.millrace.testkit.Throws;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinPool.ForkJoinWorkerThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a worker of a pool whose wait allocates, hangs or loses an interrupt, because the pool
 * cannot spare a thread or stops. Module {@code stress} lets workers wait at each kind of end.
 */
class RestTest {
  private static final int WAITS = 500;
  private static final int BYTES_PER_WAIT = 8; // less than an object: the pool may make a thread

  private final AtomicBoolean condition = new AtomicBoolean();
  private final Waiters waiters =
      new Waiters(new WaitStrategy(0, 0, WaitStrategy.FOREVER), true, WaitStrategy.FOREVER);
  private final AtomicReference<Thread> worker = new AtomicReference<>();
  private final CountDownLatch over = new CountDownLatch(1);

  private void awaitCondition() throws InterruptedException {
    awaitCondition(waiters);
  }

  private void awaitCondition(Waiters waiters) throws InterruptedException {
    worker.set(Thread.currentThread());
    assertThat(waiters.await(condition::get, WaitStrategy.FOREVER)).isTrue();
  }

  private void awaitResting() {
    TestCall.await(() -> worker.get() != null && TestCall.isResting(worker.get()));
  }

  /** Ends the wait from outside of the pool. */
  private void end() throws InterruptedException {
    condition.set(true);
    waiters.signal();
    assertThat(over.await(TestCall.LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {WaitStrategy.FOREVER, 5}) // sleeps while announced, or before
  void park_ofAWorker_allocatesNothing(long count) throws Exception {
    WaitStrategy sleeps = new WaitStrategy(0, 0, 1_000, count);
    Waiters sleepers = new Waiters(sleeps, true, WaitStrategy.FOREVER);
    WaitPlace place = new WaitPlace(sleepers);
    Idler idler = sleeps.newIdler();
    AtomicInteger tries = new AtomicInteger();
    Waiters.Attempt attempt = () -> tries.incrementAndGet() % 3 == 0;
    TestCall.Body waits =
        () -> {
          for (int i = 0; i < WAITS; i++) {
            assertEnds(sleepers, place, attempt);
            idler.idle(0);
          }
        };
    try (ForkJoinPool pool = new ForkJoinPool(1)) {
      long bytes =
          pool.submit(
                  () -> {
                    waits.run(); // what is made once, a spare thread among it
                    return Allocations.bytesIn(waits);
                  })
              .get();
      assertThat(bytes / WAITS).isLessThan(BYTES_PER_WAIT);
    }
  }

  private static void assertEnds(Waiters sleepers, WaitPlace place, Waiters.Attempt attempt)
      throws InterruptedException {
    if (!sleepers.await(place, attempt, WaitStrategy.FOREVER)) {
      throw new AssertionError("a wait without a limit gave up");
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, OutOfMemoryError.class})
  void park_whenThePoolsFactoryFails_parksAllTheSame(Class<? extends Throwable> failure)
      throws Exception {
    assertRestsWithoutASpare(waiters, () -> RestTest.<RuntimeException>throwAny(failure));
  }

  @Test
  void park_whenThePoolTakesLongerThanASleep_sleepsAllTheSame() throws Exception {
    WaitStrategy sleeps = new WaitStrategy(0, 0, 1_000_000);
    assertRestsWithoutASpare(
        new Waiters(sleeps, true, WaitStrategy.FOREVER),
        () -> {
          for (long from = System.nanoTime(); System.nanoTime() - from < 2_000_000; ) {
            Thread.onSpinWait();
          }
          throw new IllegalStateException("no more threads");
        });
  }

  /** Lets a worker wait whose pool cannot start another thread. */
  private void assertRestsWithoutASpare(Waiters waiters, Runnable fails) throws Exception {
    AtomicInteger made = new AtomicInteger();
    ForkJoinWorkerThreadFactory factory =
        pool -> {
          if (made.incrementAndGet() > 1) {
            fails.run();
          }
          return ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
        };
    // Not closed: when its factory has failed, a pool may miscount its threads and never end.
    ForkJoinPool pool = new ForkJoinPool(1, factory, null, false);
    var _ =
        pool.submit(
            () -> {
              awaitCondition(waiters);
              over.countDown();
              return true;
            });
    awaitResting();
    end();
    assertThat(made.get()).as("it was asked").isGreaterThan(1);
    boolean _ = pool.shutdownNow().isEmpty();
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // throws what is not declared
  private static <T extends Throwable> void throwAny(Class<? extends Throwable> failure) throws T {
    try {
      throw (T) failure.getConstructor(String.class).newInstance("no more threads");
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("it must have that constructor", e);
    }
  }

  @Test
  void park_whenThePoolStops_isInterruptedOnce() throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    AtomicBoolean isInterrupted = new AtomicBoolean();
    var _ =
        pool.submit(
            () -> {
              Throws.a(InterruptedException.class, this::awaitCondition);
              isInterrupted.set(true);
              awaitCondition();
              over.countDown();
              return true;
            });
    awaitResting();
    boolean _ = pool.shutdownNow().isEmpty();
    TestCall.await(isInterrupted::get);
    awaitResting();
    end();
  }
}
