package dev.millrace.core;

import static dev.millrace.core.WaitStrategy.FOREVER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.testkit.Throws;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Finds a strategy that says it may park and never does, or the other way round, and a time that is
 * too long to count and becomes a short one.
 */
class WaitStrategyTest {
  @Test
  void parks_onlyWhenThatPhaseIsReached() {
    assertThat(WaitStrategy.parking().canPark()).isTrue();
    assertThat(new WaitStrategy(0, 0, FOREVER).canPark()).isTrue();
    assertThat(WaitStrategy.busySpin().canPark()).isFalse();
    assertThat(WaitStrategy.yielding().canPark()).isFalse();
    assertThat(WaitStrategy.sleeping(Duration.ofMillis(1)).canPark()).isFalse();
    assertThat(WaitStrategy.sleepingThenParking().canPark()).isTrue();
    assertThat(new WaitStrategy(0, 0, 1, FOREVER - 1).canPark()).isTrue();
    assertThat(new WaitStrategy(FOREVER, 0, 1, 1).canPark()).isFalse();
  }

  @Test
  void new_withoutATimeToSleep_hasNoSleeps() {
    assertThat(new WaitStrategy(3, 2, FOREVER).sleeps()).isZero();
    assertThat(new WaitStrategy(3, 2, FOREVER, 5)).isEqualTo(new WaitStrategy(3, 2, FOREVER));
    assertThat(new WaitStrategy(3, 2, 1_000).sleeps()).isEqualTo(FOREVER);
  }

  @Test
  void sleeping_whenLongerThanNanosecondsCount_isForever() {
    Duration age = Duration.ofDays(1_000_000);
    assertThat(WaitStrategy.sleeping(age)).isEqualTo(new WaitStrategy(100, 100, FOREVER));
    Throws.illegalArgument("...", () -> WaitStrategy.sleeping(age.negated()));
    Throws.nullArgument("sleep", () -> WaitStrategy.sleeping(null));
  }

  @Test
  void new_whenNumberOutOfRange_namesRuleAndNumber() {
    Throws.illegalArgument(
        "spins must be in 0..9223372036854775807: spins=-1", () -> new WaitStrategy(-1, 0, 1));
    Throws.illegalArgument(
        "sleepNanos must be in 1..9223372036854775807: sleepNanos=0",
        () -> WaitStrategy.sleeping(Duration.ZERO));
    Throws.illegalArgument(
        "sleeps must be in 0..9223372036854775807: sleeps=-1", () -> new WaitStrategy(0, 0, 1, -1));
  }
}
