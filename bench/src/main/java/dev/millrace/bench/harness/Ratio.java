package dev.millrace.bench.harness;

import java.util.Locale;

/**
 * How many times better ours is than theirs, with such bounds that this run and another like it
 * each have the other's ratio within theirs 95 times in 100. They are of the logarithms of the
 * samples, for ratios are multiplied, not added: the confidence interval of Welch's t-test, 1.6
 * times as wide, as a simulation says for some seven samples of each side.
 *
 * @param value the ratio of the geometric means; above 1 ours is better
 * @param low the interval's lower bound; 0 where a side has a single sample
 * @param high its upper bound; infinite where a side has a single sample
 */
public record Ratio(double value, double low, double high) {
  private static final double OF_TWO_RUNS = 1.6;
  private static final double FINEST_BELOW = 0.1;
  private static final double FINE_BELOW = 10;
  private static final double COARSE_FROM = 100;

  /**
   * Of speeds: more is better.
   *
   * @param ours a sample each, all above 0
   * @param theirs a sample each, all above 0
   * @return the ratio
   */
  public static Ratio ofSpeeds(double[] ours, double[] theirs) {
    double[] a = Samples.logarithms(ours);
    double[] b = Samples.logarithms(theirs);
    double difference = Samples.mean(a) - Samples.mean(b);
    double half = halfWidth(a, b);
    return new Ratio(
        Math.exp(difference), Math.exp(difference - half), Math.exp(difference + half));
  }

  /**
   * Of times, or whatever else is better if it is less.
   *
   * @param ours a sample each, all above 0
   * @param theirs a sample each, all above 0
   * @return the ratio
   */
  public static Ratio ofTimes(double[] ours, double[] theirs) {
    Ratio inverse = ofSpeeds(ours, theirs);
    return new Ratio(1 / inverse.value, 1 / inverse.high, 1 / inverse.low);
  }

  /**
   * The ratio, to some three digits.
   *
   * @return as text
   */
  public String text() {
    return text(value);
  }

  /**
   * Its interval.
   *
   * @return as text; a dash where there is none
   */
  public String interval() {
    return Double.isInfinite(high) ? "-" : text(low) + " to " + text(high);
  }

  private static String text(double ratio) {
    if (ratio < FINEST_BELOW) {
      return String.format(Locale.ROOT, "%.4f", ratio);
    }
    String format = ratio < FINE_BELOW ? "%.2f" : ratio < COARSE_FROM ? "%.1f" : "%,.0f";
    return String.format(Locale.ROOT, format, ratio);
  }

  private static double halfWidth(double[] a, double[] b) {
    if (a.length < 2 || b.length < 2) {
      return Double.POSITIVE_INFINITY;
    }
    double va = Samples.varianceOfMean(a);
    double vb = Samples.varianceOfMean(b);
    if (va + vb == 0) {
      return 0;
    }
    double freedom = (va + vb) * (va + vb) / (va * va / (a.length - 1) + vb * vb / (b.length - 1));
    return Samples.halfWidth(freedom) * Math.sqrt(va + vb) * OF_TWO_RUNS;
  }
}
