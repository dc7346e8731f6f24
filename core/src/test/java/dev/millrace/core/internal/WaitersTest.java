package dev.millrace.core.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class WaitersTest {
  static Stream<WaitStrategy> strategies() {
    return Stream.of(
        WaitStrategy.busySpin(),
        WaitStrategy.yielding(),
        WaitStrategy.sleeping(Duration.ofNanos(1_000)),
        WaitStrategy.parking(),
        new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER));
  }

  /** The loop of the class's documentation. */
  private static boolean await(Waiters waiters, BooleanSupplier tryOperation, long limitNanos)
      throws InterruptedException {
    long deadline = Waiters.deadline(limitNanos);
    long step = 0;
    try {
      while (!tryOperation.getAsBoolean()) {
        step = waiters.pause(step, deadline);
        if (step == Waiters.TIMED_OUT) {
          return false;
        }
      }
      return true;
    } finally {
      waiters.leave();
    }
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void pause_whenConditionComesAndIsSignalled_ends(WaitStrategy strategy) throws Exception {
    for (int round = 0; round < 200; round++) {
      Waiters waiters = new Waiters(strategy);
      AtomicBoolean condition = new AtomicBoolean();
      FutureTask<Boolean> wait =
          new FutureTask<>(() -> await(waiters, condition::get, WaitStrategy.FOREVER));
      Thread thread = Thread.ofPlatform().start(wait);
      if (round % 2 == 0) {
        awaitState(thread, Thread.State.WAITING, strategy.parks());
      }
      condition.set(true);
      if (waiters.needSignals()) {
        waiters.signal();
      }
      assertThat(wait.get()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void pause_onVirtualThread_letsTheAwaitedThreadRun(WaitStrategy strategy) throws Exception {
    Waiters waiters = new Waiters(strategy);
    AtomicBoolean condition = new AtomicBoolean();
    int carriers = Runtime.getRuntime().availableProcessors();
    CountDownLatch done = new CountDownLatch(1);
    Thread[] waiting = new Thread[1];
    waiting[0] =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    await(waiters, condition::get, WaitStrategy.FOREVER);
                    done.countDown();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    for (int i = 0; i < carriers; i++) {
      Thread.ofVirtual().start(() -> {}).join(); // all of them get a carrier
    }
    condition.set(true);
    waiters.signal();
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void pause_whenTimeLimitPasses_saysSo(WaitStrategy strategy) throws Exception {
    long begin = System.nanoTime();
    assertThat(await(new Waiters(strategy), () -> false, 2_000_000)).isFalse();
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(2_000_000);
    assertThat(await(new Waiters(strategy), () -> false, 0)).isFalse();
    assertThat(await(new Waiters(strategy), () -> false, -1)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("strategies")
  void pause_whenInterrupted_throwsAndClearsTheFlag(WaitStrategy strategy) throws Exception {
    Waiters waiters = new Waiters(strategy);
    FutureTask<Boolean> wait =
        new FutureTask<>(
            () -> {
              assertThatThrownBy(() -> await(waiters, () -> false, WaitStrategy.FOREVER))
                  .isInstanceOf(InterruptedException.class);
              return Thread.currentThread().isInterrupted();
            });
    Thread thread = Thread.ofPlatform().start(wait);
    awaitState(thread, Thread.State.WAITING, strategy.parks());
    thread.interrupt();
    assertThat(wait.get()).isFalse();
  }

  @Test
  void wake_whenParked_letsItLookAgain() throws Exception {
    Waiters waiters = new Waiters(WaitStrategy.parking());
    AtomicBoolean closed = new AtomicBoolean();
    FutureTask<Boolean> wait =
        new FutureTask<>(() -> await(waiters, closed::get, WaitStrategy.FOREVER));
    Thread thread = Thread.ofPlatform().start(wait);
    awaitState(thread, Thread.State.WAITING, true);
    closed.set(true);
    waiters.wake();
    assertThat(wait.get()).isTrue();
  }

  @Test
  void pause_whenEachPublicationIsSignalled_missesNone() throws Exception {
    int rounds = 20_000;
    Waiters waiters =
        new Waiters(new WaitStrategy(0, 0, WaitStrategy.FOREVER, WaitStrategy.FOREVER));
    dev.millrace.core.Sequence published = new dev.millrace.core.Sequence();
    dev.millrace.core.Sequence seen = new dev.millrace.core.Sequence();
    FutureTask<Boolean> wait =
        new FutureTask<>(
            () -> {
              for (long i = 1; i <= rounds; i++) {
                long wanted = i;
                if (!await(waiters, () -> published.getAcquire() >= wanted, 30_000_000_000L)) {
                  return false; // a signal was lost
                }
                seen.setRelease(i);
              }
              return true;
            });
    Thread.ofPlatform().start(wait);
    for (long i = 1; i <= rounds; i++) {
      published.setRelease(i);
      waiters.signal();
      while (seen.getAcquire() < i && !wait.isDone()) {
        Thread.onSpinWait();
      }
    }
    assertThat(wait.get()).isTrue();
  }

  private static void awaitState(Thread thread, Thread.State state, boolean reached) {
    while (reached && thread.getState() != state) {
      Thread.onSpinWait();
    }
  }
}
