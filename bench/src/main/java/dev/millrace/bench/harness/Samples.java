package dev.millrace.bench.harness;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.TDistribution;

/** What is taken of samples, and of their logarithms where ratios are what counts. */
public final class Samples {
  private static final double TAIL = 0.975;

  private Samples() {}

  /**
   * The median.
   *
   * @param values the samples, in any order
   * @return the middle one, or the average of the two in the middle; 0 of none
   */
  public static double median(double[] values) {
    double[] sorted = Arrays.stream(values).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : Arrays.stream(sorted, Math.max(0, middle - 1), Math.min(middle + 1, sorted.length))
            .average()
            .orElse(0);
  }

  /**
   * The geometric mean, which is the mean of the logarithms.
   *
   * @param samples at least one, all above 0
   * @return the mean
   */
  public static double geometricMean(double[] samples) {
    return Math.exp(mean(logarithms(samples)));
  }

  static double[] logarithms(double[] samples) {
    for (double sample : samples) {
      if (!(sample > 0)) { // nor NaN
        throw new IllegalArgumentException("sample must be above 0: sample=" + sample);
      }
    }
    return Arrays.stream(samples).map(Math::log).toArray();
  }

  static double mean(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  /** How far the mean of values like these is off, squared, on the average; of two or more. */
  static double varianceOfMean(double[] values) {
    double mean = mean(values);
    double squares = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum();
    return squares / (values.length - 1) / values.length;
  }

  /** How many standard deviations make half a 95 % interval, by Student's distribution. */
  static double halfWidth(double freedom) {
    return TDistribution.of(freedom).inverseCumulativeProbability(TAIL);
  }
}
