package dev.millrace.ohlcv.load;

import java.math.BigDecimal;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * How long something took, in nanoseconds.
 *
 * @param count how often it was done
 * @param perSecond how often a second
 * @param percentiles at {@link #RANKS}, in their order; none if only the rate was measured
 * @param maxNanos the longest
 */
public record Latencies(long count, double perSecond, List<Long> percentiles, long maxNanos) {
  /** Which percentiles are reported. */
  public static final List<Double> RANKS = List.of(50.0, 90.0, 99.0, 99.9, 99.99);

  private static final long LONGEST_NANOS = 3_600_000_000_000L;
  private static final int DIGITS = 3;

  /** What a percentile is called: p50, p99.9. */
  public static String percentile(double rank) {
    return "p" + BigDecimal.valueOf(rank).stripTrailingZeros().toPlainString();
  }

  static Latencies of(Histogram histogram, double seconds) {
    return new Latencies(
        histogram.getTotalCount(),
        histogram.getTotalCount() / seconds,
        RANKS.stream().map(histogram::getValueAtPercentile).toList(),
        histogram.getMaxValue());
  }

  /** Of what was counted, but not timed one by one. */
  public static Latencies untimed(long count, double seconds) {
    return new Latencies(count, count / seconds, List.of(), 0);
  }

  /** A histogram of nanoseconds to three digits, up to an hour. */
  static Histogram newHistogram() {
    return new Histogram(LONGEST_NANOS, DIGITS);
  }

  /** Records how long it took from when it was due. */
  static void record(Histogram histogram, long dueNanos, long doneNanos) {
    histogram.recordValue(Math.clamp(doneNanos - dueNanos, 0, LONGEST_NANOS));
  }
}
