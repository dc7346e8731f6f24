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

  /** By R: t.test(log(c(8, 10, 12)), log(c(4, 5, 6, 5))), bounds by exp. */
  @Test
  void ofSpeeds_boundsAreThoseOfWelch() {
    Ratio ratio = Ratio.ofSpeeds(new double[] {8, 10, 12}, new double[] {4, 5, 6, 5});
    assertThat(ratio.value()).isCloseTo(1.9932, within(5e-5));
    assertThat(ratio.low()).isLessThan(ratio.value()).isGreaterThan(1);
    assertThat(ratio.high() / ratio.value()).isCloseTo(ratio.value() / ratio.low(), within(1e-9));
  }

  @Test
  void ofSpeeds_whenOneSampleIsThere_boundsNothing() {
    Ratio ratio = Ratio.ofSpeeds(new double[] {8}, new double[] {4, 5});
    assertThat(ratio.low()).isZero();
    assertThat(ratio.high()).isInfinite();
  }
}
