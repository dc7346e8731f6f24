package dev.millrace.bench.compare;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The geometric mean of samples with the bounds of its 95 % confidence interval; as for {@link
 * Ratio} it is taken of the logarithms.
 *
 * @param value the mean
 * @param low the interval's lower bound; of one sample 0
 * @param high its upper bound; of one sample infinite
 */
record Mean(double value, double low, double high) {
  private static final double TAIL = 0.975;

  /** Of one sample or more. */
  static Mean of(double[] samples) {
    double[] logs = Arrays.stream(samples).map(Math::log).toArray();
    double mean = Arrays.stream(logs).average().orElseThrow();
    double half = halfWidth(logs, mean);
    return new Mean(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
  }

  private static double halfWidth(double[] logs, double mean) {
    int freedom = logs.length - 1;
    if (freedom == 0) {
      return Double.POSITIVE_INFINITY;
    }
    double variance = Arrays.stream(logs).map(log -> (log - mean) * (log - mean)).sum() / freedom;
    return TDistribution.of(freedom).inverseCumulativeProbability(TAIL)
        * Math.sqrt(variance / logs.length);
  }
}
