package dev.millrace.bench.report;

/**
 * What one contender reached, at one placement of the cores.
 *
 * @param contender the contender's title
 * @param placement near or far
 * @param idle how often a side paused after an attempt in vain
 * @param samples how many there were; the figures are their medians
 * @param probe the cores' round trip, in nanoseconds
 * @param perSecond records per second; 0 if trips or bursts were timed
 * @param cpuNanos processor time per record, in nanoseconds; 0 if it was not counted
 * @param p50 the median of the times, in nanoseconds; 0 if throughput was measured
 * @param p99 the 99th percentile
 * @param p999 the 99.9th
 * @param bytesPerRecord heap allocated per record; NaN if that was not counted
 * @param bytesPerOffer heap that an offer allocates beside its record, the most; null if nobody
 *     asked
 * @param failedSends attempts in vain per record; NaN if they were not counted
 * @param failedReceives attempts in vain per record
 */
public record Figures(
    String contender,
    String placement,
    int idle,
    int samples,
    double probe,
    double perSecond,
    double cpuNanos,
    double p50,
    double p99,
    double p999,
    double bytesPerRecord,
    Double bytesPerOffer,
    double failedSends,
    double failedReceives) {

  /**
   * How fast it was.
   *
   * @return records per second, or three percentiles of times; and, if it was counted, processor
   *     time per record
   */
  public String speed() {
    String speed =
        p50 == 0
            ? Amounts.millions(perSecond) + " M/s"
            : Amounts.whole(p50) + " / " + Amounts.whole(p99) + " / " + Amounts.whole(p999) + " ns";
    return cpuNanos == 0 ? speed : speed + ", " + Amounts.whole(cpuNanos) + " ns of processors";
  }

  /**
   * Attempts in vain.
   *
   * @return per record: to send, to receive
   */
  public String failedAttempts() {
    return Double.isNaN(failedSends)
        ? Amounts.NOT_COUNTED
        : Amounts.small(failedSends) + " / " + Amounts.small(failedReceives);
  }

  /**
   * The cores' round trip.
   *
   * @return in nanoseconds
   */
  public String probeText() {
    return Amounts.whole(probe) + " ns";
  }

  /**
   * Heap.
   *
   * @return bytes per record; of those the offer's, where they are told apart
   */
  public String bytes() {
    return bytes(bytesPerRecord);
  }

  String bytes(double perRecord) {
    String all = Amounts.small(perRecord);
    return bytesPerOffer == null ? all : all + ", by offer " + Amounts.small(bytesPerOffer);
  }
}
