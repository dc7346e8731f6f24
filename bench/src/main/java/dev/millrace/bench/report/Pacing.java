package dev.millrace.bench.report;

import java.util.Locale;

/**
 * Whether a contender kept a rate, at one placement of the cores.
 *
 * @param contender the contender's title
 * @param placement near or far
 * @param wanted the rate, in records per second
 * @param reached the rate reached, the median of all samples
 * @param samples how many there were
 * @param missed how many of them missed the rate by more than {@link #TOLERANCE}
 * @param bytesPerRecord heap allocated per record, the median
 * @param collections how often the collector ran while a sample measured, on average
 */
public record Pacing(
    String contender,
    String placement,
    long wanted,
    double reached,
    int samples,
    int missed,
    double bytesPerRecord,
    double collections) {
  /** What part of the rate may be missing. */
  public static final double TOLERANCE = 0.01;

  /**
   * Whether a rate was missed.
   *
   * @param reached in records per second
   * @param wanted the same
   * @return whether too much of it is missing
   */
  public static boolean isMissed(double reached, double wanted) {
    return reached < wanted * (1 - TOLERANCE);
  }

  /**
   * The rate reached.
   *
   * @return in records per second
   */
  public String reachedText() {
    return Amounts.whole(reached);
  }

  /**
   * The rate wanted.
   *
   * @return in records per second
   */
  public String wantedText() {
    return Amounts.whole((double) wanted);
  }

  /**
   * Heap.
   *
   * @return bytes per record
   */
  public String bytes() {
    return Amounts.small(bytesPerRecord);
  }

  /**
   * How often the collector ran.
   *
   * @return with one decimal
   */
  public String collectionsText() {
    return String.format(Locale.ROOT, "%.1f", collections);
  }
}
