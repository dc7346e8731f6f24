package dev.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RatioTest {
  /** Of the logarithms 3.86 degrees of freedom, hence a quantile of 2.8167: by another program. */
  @Test
  void ofSpeeds_boundsAreThoseOfWelch() {
    Ratio ratio = Ratio.ofSpeeds(new double[] {8, 10, 12}, new double[] {4, 5, 6, 5});
    assertThat(ratio.value()).isCloseTo(1.9932, within(5e-5));
    assertThat(ratio.low()).isCloseTo(1.3300, within(5e-5));
    assertThat(ratio.high()).isCloseTo(2.9872, within(5e-5));
    assertThat(ratio.text() + ", " + ratio.interval()).isEqualTo("1.99, 1.33 to 2.99");
  }

  @Test
  void ofTimes_isTheOtherWayRound() {
    Ratio ratio = Ratio.ofTimes(new double[] {4, 5, 6, 5}, new double[] {8, 10, 12});
    assertThat(ratio.value()).isCloseTo(1.9932, within(5e-5));
    assertThat(ratio.low()).isCloseTo(1.3300, within(5e-5));
    assertThat(ratio.high()).isCloseTo(2.9872, within(5e-5));
  }

  @Test
  void interval_ofOneSample_isNone() {
    Ratio ratio = Ratio.ofTimes(new double[] {1}, new double[] {1234, 1234});
    assertThat(ratio.text()).isEqualTo("1,234");
    assertThat(ratio.low()).isZero();
    assertThat(ratio.high()).isInfinite();
    assertThat(ratio.interval()).isEqualTo("-");
  }

  @Test
  void ofSpeeds_ofNothingReached_isRefused() {
    assertThatThrownBy(() -> Ratio.ofSpeeds(new double[] {1, 0}, new double[] {1}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sample must be above 0: sample=0.0");
  }
}
