package dev.millrace.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Finds a ratio that is upside down, or bounds that are narrower than the samples allow. */
class RatioTest {
  /**
   * Of the logarithms 3.86 degrees of freedom, hence a quantile of 2.8167, and 1.3300 to 2.9872 for
   * the mean: by another program. Half the width of their logarithms, times 1.6.
   */
  @Test
  void ofSpeeds_boundsAreThoseOfWelchForTwoRuns() {
    Ratio ratio = Ratio.ofSpeeds(new double[] {8, 10, 12}, new double[] {4, 5, 6, 5});
    assertThat(ratio.value()).isCloseTo(1.9932, within(5e-5));
    assertThat(ratio.low()).isCloseTo(1.0433, within(2e-4));
    assertThat(ratio.high()).isCloseTo(3.8079, within(3e-4));
    assertThat(ratio.text() + ", " + ratio.interval()).isEqualTo("1.99, 1.04 to 3.81");
  }

  @Test
  void ofTimes_isTheOtherWayRound() {
    Ratio ratio = Ratio.ofTimes(new double[] {4, 5, 6, 5}, new double[] {8, 10, 12});
    assertThat(ratio.value()).isCloseTo(1.9932, within(5e-5));
    assertThat(ratio.low()).isCloseTo(1.0433, within(2e-4));
    assertThat(ratio.high()).isCloseTo(3.8079, within(3e-4));
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

  @Test
  void geometricMean_isThatOfTheLogarithms() {
    assertThat(Samples.geometricMean(new double[] {8, 10, 12})).isCloseTo(9.8648, within(5e-5));
    assertThatThrownBy(() -> Samples.geometricMean(new double[] {-1}))
        .hasMessage("sample must be above 0: sample=-1.0");
  }
}
