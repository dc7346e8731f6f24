package dev.millrace.bench.report;

import java.util.List;

/**
 * One contender in a chart over several works, at one placement of the cores.
 *
 * @param contender the contender's title
 * @param ours whether it is the one of ours that peers are compared with
 * @param placement near or far
 * @param points from left to right
 */
public record Curve(String contender, boolean ours, String placement, List<Point> points) {
  /**
   * What it reached at one work.
   *
   * @param x where the work stands
   * @param y the mean of its records per second
   * @param low the lower bound of the mean's interval, or null
   * @param high the upper bound, or null
   * @param oversubscribed whether there are more threads than processors
   */
  public record Point(int x, double y, Double low, Double high, boolean oversubscribed) {}
}
