package dev.millrace.bench.report;

import java.util.List;

/**
 * Works that differ in one number.
 *
 * @param id its name
 * @param title its title
 * @param axis what the works differ in
 * @param curves one for each contender and placement
 */
public record SweepChart(String id, String title, String axis, List<Curve> curves) {

  /**
   * The curves at a placement.
   *
   * @param placement near or far
   * @return one for each contender
   */
  public List<Curve> curvesAt(String placement) {
    return curves.stream().filter(curve -> curve.placement().equals(placement)).toList();
  }

  /**
   * Whether threads had to share processors somewhere.
   *
   * @return whether
   */
  public boolean isOversubscribed() {
    return curves.stream()
        .flatMap(curve -> curve.points().stream())
        .anyMatch(Curve.Point::oversubscribed);
  }
}
