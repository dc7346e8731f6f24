package dev.millrace.bench.report;

import dev.millrace.report.Tone;

/**
 * Ours beside one peer: a line of the tables.
 *
 * @param work the work's name
 * @param measure throughput, or a percentile of round trips
 * @param peer the peer's name
 * @param ratio how much faster ours was
 * @param low the lower bound of its interval
 * @param high the upper bound
 * @param target the ratio to reach, or null
 * @param bytesPerRecord heap that ours allocated per record, the most of all samples
 * @param ours what ours reached
 * @param theirs what the peer reached
 */
public record Line(
    String work,
    String measure,
    String peer,
    double ratio,
    double low,
    double high,
    Double target,
    double bytesPerRecord,
    Figures ours,
    Figures theirs) {
  /** The measure of records per second. */
  public static final String THROUGHPUT = "throughput";

  /**
   * The work's name where lines stand alone.
   *
   * @return with the percentile and the idle count, if there is one and it is not 1
   */
  public String name() {
    String what = isThroughput() ? work : work + "-" + measure;
    return idle() == 1 ? what : what + "-idle" + idle();
  }

  /**
   * What is measured.
   *
   * @return whether it is throughput
   */
  public boolean isThroughput() {
    return measure.equals(THROUGHPUT);
  }

  /**
   * Where the cores were.
   *
   * @return near or far
   */
  public String placement() {
    return ours.placement();
  }

  /**
   * The idle count.
   *
   * @return how often a side paused after an attempt in vain
   */
  public int idle() {
    return ours.idle();
  }

  /**
   * Whether ours lost.
   *
   * @return whether the target is missed, or the whole interval is below 1
   */
  public boolean isLoss() {
    return high < 1 || verdict().tone() == Tone.BAD;
  }

  /**
   * What it amounts to.
   *
   * @return the verdict
   */
  public Verdict verdict() {
    return Verdict.of(ratio, low, high, target);
  }

  /**
   * The ratio.
   *
   * @return as text
   */
  public String ratioText() {
    return Amounts.ratio(ratio);
  }

  /**
   * Its interval.
   *
   * @return as text; with a sample too few there is none
   */
  public String interval() {
    return Double.isInfinite(high) ? "no interval" : Amounts.interval(low, high);
  }

  /**
   * The target.
   *
   * @return as text; a dash if there is none
   */
  public String targetText() {
    return target == null ? "–" : Amounts.ratio(target);
  }

  /**
   * Heap that ours allocated.
   *
   * @return bytes per record; of those the offer's, where they are told apart
   */
  public String bytes() {
    return isThroughput() ? ours.bytes(bytesPerRecord) : Amounts.NOT_COUNTED;
  }
}
