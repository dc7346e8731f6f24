package dev.millrace.bench.compare;

import org.HdrHistogram.Histogram;

/**
 * What a JVM has measured; of the rest it says 0.
 *
 * @param perSecond records received in a second
 * @param failedSends attempts in vain per record
 * @param failedReceives attempts in vain per record
 * @param bytesPerRecord heap allocated per record
 * @param p50 the median of the times, in nanoseconds
 * @param p99 the 99th percentile
 * @param p999 the 99.9th
 */
record Measured(
    double perSecond,
    double failedSends,
    double failedReceives,
    double bytesPerRecord,
    double p50,
    double p99,
    double p999) {
  /** Of a JVM that has not come so far. */
  static final Measured NOTHING = new Measured(0, 0, 0, 0, 0, 0, 0);

  static Measured ofTraffic(
      double perSecond, double failedSends, double failedReceives, double bytesPerRecord) {
    return new Measured(perSecond, failedSends, failedReceives, bytesPerRecord, 0, 0, 0);
  }

  static Measured ofTimes(Histogram nanos) {
    return new Measured(
        0,
        0,
        0,
        0,
        nanos.getValueAtPercentile(50),
        nanos.getValueAtPercentile(99),
        nanos.getValueAtPercentile(99.9));
  }

  /** Whether no record came through: of no speed there is no ratio. */
  boolean isNothing() {
    return !(perSecond > 0 || p50 > 0);
  }
}
