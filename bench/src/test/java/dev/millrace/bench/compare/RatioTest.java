package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RatioTest {
  @Test
  void ofSpeeds_isOursToThePeers() {
    Ratio ratio = Ratio.ofSpeeds(new double[] {30, 30}, new double[] {10, 10});
    assertThat(ratio.value()).isCloseTo(3, within(1e-9));
    assertThat(ratio.low()).isCloseTo(3, within(1e-9));
    assertThat(ratio.high()).isCloseTo(3, within(1e-9));
  }

  @Test
  void ofTimes_isThePeersToOurs() {
    assertThat(Ratio.ofTimes(new double[] {10, 10}, new double[] {30, 30}).value())
        .isCloseTo(3, within(1e-9));
  }

  /** Of the logarithms 3.86 degrees of freedom, hence a quantile of 2.8167: by another program. */
  @Test
  void ofSpeeds_boundsAreThoseOfWelch() {
    Ratio ratio = Ratio.ofSpeeds(new double[] {8, 10, 12}, new double[] {4, 5, 6, 5});
    assertThat(ratio.value()).isCloseTo(1.9932, within(5e-5));
    assertThat(ratio.low()).isCloseTo(1.3300, within(5e-5));
    assertThat(ratio.high()).isCloseTo(2.9872, within(5e-5));
  }

  @Test
  void ofSpeeds_whenOneSampleIsThere_boundsNothing() {
    Ratio ratio = Ratio.ofSpeeds(new double[] {8}, new double[] {4, 5});
    assertThat(ratio.low()).isZero();
    assertThat(ratio.high()).isInfinite();
  }
}
