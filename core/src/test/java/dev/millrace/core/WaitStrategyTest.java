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
    assertThat(new WaitStrategy(0, 0, FOREVER).parks()).isTrue();
    assertThat(WaitStrategy.busySpin().parks()).isFalse();
    assertThat(WaitStrategy.yielding().parks()).isFalse();
    assertThat(WaitStrategy.sleeping(Duration.ofMillis(1)).parks()).isFalse();
  }

  @Test
  void sleeping_whenLongerThanNanosecondsCount_isForever() {
    Duration age = Duration.ofDays(1_000_000);
    assertThat(WaitStrategy.sleeping(age)).isEqualTo(new WaitStrategy(100, 100, FOREVER));
    assertThatThrownBy(() -> WaitStrategy.sleeping(age.negated()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> WaitStrategy.sleeping(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("sleep must not be null: sleep=null");
  }

  @Test
  void new_whenNumberOutOfRange_namesRuleAndNumber() {
    assertThatThrownBy(() -> new WaitStrategy(-1, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("spins must be in 0..9223372036854775807: spins=-1");
    assertThatThrownBy(() -> WaitStrategy.sleeping(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sleepNanos must be in 1..9223372036854775807: sleepNanos=0");
  }
}
