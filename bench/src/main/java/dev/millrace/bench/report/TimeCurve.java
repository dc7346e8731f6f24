package dev.millrace.bench.report;

import java.util.List;

/**
 * All times of a contender, at one placement of the cores: those of its samples as one.
 *
 * @param contender the contender's title
 * @param isOurs whether it is ours
 * @param placement near or far
 * @param count how many times there are
 * @param percentiles the times at {@link #PERCENTILES}, in nanoseconds
 * @param points the curve, from the least to the most
 */
public record TimeCurve(
    String contender,
    boolean isOurs,
    String placement,
    long count,
    List<Double> percentiles,
    List<Point> points) {
  /** The percentiles of the table; the last is the longest time. */
  public static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 99.99, 100.0);

  /**
   * A point.
   *
   * @param x one in how many times was as long or longer, 100 at the 99th percentile
   * @param y the time, in nanoseconds
   */
  public record Point(double x, double y) {}

  /**
   * The columns of the table.
   *
   * @return what stands above them
   */
  public static List<String> heads() {
    return PERCENTILES.stream().map(TimeCurve::head).toList();
  }

  private static String head(double percentile) {
    return percentile == 100
        ? "max"
        : "p" + (percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile);
  }

  /**
   * The table's figures.
   *
   * @return in whole nanoseconds
   */
  public List<String> figures() {
    return percentiles.stream().map(Amounts::whole).toList();
  }
}
