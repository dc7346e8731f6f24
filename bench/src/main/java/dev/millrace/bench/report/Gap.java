package dev.millrace.bench.report;

import java.util.List;

/**
 * Targets that nothing was measured of.
 *
 * @param placements near, far or both
 * @param idles the idle counts
 * @param why what is missing
 * @param peers against whom the targets are, by title
 * @param measures how many targets each peer has at a placement
 */
public record Gap(
    List<String> placements, List<Integer> idles, String why, List<String> peers, int measures) {

  /**
   * How many targets at a placement it is about.
   *
   * @param placement near or far
   * @return how many
   */
  public int targets(String placement) {
    return placements.contains(placement) ? peers.size() * idles.size() * measures : 0;
  }
}
