package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Threads that wait, and the strategies they wait by. */
final class Waits {
  /** Nobody spins, so a lost wake-up is a hang. */
  static final WaitStrategy PARKS_AT_ONCE = new WaitStrategy(0, 0, WaitStrategy.FOREVER);

  private Waits() {}

  static List<WaitStrategy> strategies() {
    return List.of(
        WaitStrategy.busySpin(),
        WaitStrategy.yielding(),
        WaitStrategy.sleeping(Duration.ofNanos(10_000)),
        WaitStrategy.parking(),
        PARKS_AT_ONCE);
  }

  /** Something that runs on a thread of its own, and what comes of it. */
  record Running<T>(Thread thread, FutureTask<T> task) {
    static <T> Running<T> start(Callable<T> body) {
      FutureTask<T> task = new FutureTask<>(body);
      return new Running<>(Thread.ofPlatform().daemon().start(task), task);
    }

    T result() throws Exception {
      return task.get();
    }

    /** Waits until it has parked, if its strategy ever does. */
    Running<T> awaitParked(WaitStrategy strategy) {
      while (strategy.parks()
          && thread.isAlive()
          && thread.getState() != Thread.State.WAITING
          && thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      return this;
    }
  }
}
