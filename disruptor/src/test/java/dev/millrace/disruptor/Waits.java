package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The strategies by which threads wait. */
final class Waits {
  /** No thread spins, so a lost wake-up is a hang. */
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

  /** All strategies, and one that would sleep through the test. */
  static List<WaitStrategy> strategiesAndSleeper() {
    List<WaitStrategy> strategies = new ArrayList<>(strategies());
    strategies.add(WaitStrategy.sleeping(Duration.ofDays(1)));
    return strategies;
  }
}
