package dev.millrace.report;

/**
 * The geometric mean of samples with the bounds of its 95 % confidence interval; as for {@link
 * Ratio} it is taken of the logarithms.
 *
 * @param value the mean
 * @param low the interval's lower bound; of one sample 0
 * @param high its upper bound; of one sample infinite
 */
public record Mean(double value, double low, double high) {
  /**
   * Of one sample or more.
   *
   * @param samples all above 0
   * @return the mean
   */
  public static Mean of(double[] samples) {
    double[] logs = Samples.logarithms(samples);
    double mean = Samples.mean(logs);
    double half =
        logs.length == 1
            ? Double.POSITIVE_INFINITY
            : Samples.halfWidth(logs.length - 1) * Math.sqrt(Samples.varianceOfMean(logs));
    return new Mean(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
  }
}
