package dev.millrace.bench.compare;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * How many times faster one of ours is than a peer, with the bounds of a 95 % confidence interval:
 * from the logarithms of the samples by Welch's t-test, for ratios are multiplied, not added.
 *
 * @param value the ratio of the geometric means; above 1 ours is faster
 * @param low the interval's lower bound
 * @param high its upper bound
 * @param ourSamples how many there were
 * @param peerSamples how many there were
 */
record Ratio(double value, double low, double high, int ourSamples, int peerSamples) {
  private static final double TAIL = 0.975;

  /** Of speeds: more is better. */
  static Ratio ofSpeeds(double[] ours, double[] peers) {
    double[] a = Arrays.stream(ours).map(Math::log).toArray();
    double[] b = Arrays.stream(peers).map(Math::log).toArray();
    double difference = mean(a) - mean(b);
    double half = halfWidth(a, b);
    return new Ratio(
        Math.exp(difference),
        Math.exp(difference - half),
        Math.exp(difference + half),
        a.length,
        b.length);
  }

  /** Of times: less is better. */
  static Ratio ofTimes(double[] ours, double[] peers) {
    return ofSpeeds(inverse(ours), inverse(peers));
  }

  private static double[] inverse(double[] times) {
    return Arrays.stream(times).map(time -> 1 / time).toArray();
  }

  private static double halfWidth(double[] a, double[] b) {
    if (a.length < 2 || b.length < 2) {
      return Double.POSITIVE_INFINITY;
    }
    double va = variance(a) / a.length;
    double vb = variance(b) / b.length;
    if (va + vb == 0) {
      return 0;
    }
    double freedom = (va + vb) * (va + vb) / (va * va / (a.length - 1) + vb * vb / (b.length - 1));
    return TDistribution.of(freedom).inverseCumulativeProbability(TAIL) * Math.sqrt(va + vb);
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  private static double variance(double[] values) {
    double mean = mean(values);
    return Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum()
        / (values.length - 1);
  }
}
