package dev.millrace.core;

import static dev.millrace.core.WaitStrategy.FOREVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitStrategyTest {
  @Test
  void parks_onlyWhenThatPhaseIsReached() {
    assertThat(WaitStrategy.parking().parks()).isTrue();
    assertThat(new WaitStrategy(0, 0, FOREVER, FOREVER).parks()).isTrue();
    assertThat(WaitStrategy.busySpin().parks()).isFalse();
    assertThat(WaitStrategy.yielding().parks()).isFalse();
    assertThat(WaitStrategy.sleeping(Duration.ofMillis(1)).parks()).isFalse();
  }

  @Test
  void withTimeLimit_keepsThePhases() {
    assertThat(WaitStrategy.parking().withTimeLimit(Duration.ofMillis(5)))
        .isEqualTo(new WaitStrategy(100, 10, FOREVER, 5_000_000));
  }

  @Test
  void withTimeLimit_whenLongerThanNanosecondsCount_isForever() {
    Duration age = Duration.ofDays(1_000_000);
    assertThat(WaitStrategy.parking().withTimeLimit(age).timeLimitNanos()).isEqualTo(FOREVER);
    assertThatThrownBy(() -> WaitStrategy.parking().withTimeLimit(age.negated()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> WaitStrategy.sleeping(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("sleep must not be null: sleep=null");
  }

  @Test
  void new_whenNumberOutOfRange_namesRuleAndNumber() {
    assertThatThrownBy(() -> new WaitStrategy(-1, 0, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("spins must be in 0..9223372036854775807: spins=-1");
    assertThatThrownBy(() -> WaitStrategy.sleeping(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sleepNanos must be in 1..9223372036854775807: sleepNanos=0");
    assertThatThrownBy(() -> WaitStrategy.busySpin().withTimeLimit(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("timeLimitNanos=-1");
  }
}
