package dev.millrace.bench.report;

import java.util.List;
import java.util.stream.Stream;

/**
 * All that the report says.
 *
 * @param sections the works that have targets, those that nothing was measured of too
 * @param suites other works, those that were run
 * @param origin where the figures are from
 */
public record SideBySide(List<Section> sections, List<SuiteReport> suites, Origin origin) {

  /**
   * How all targets stand.
   *
   * @return their number
   */
  public Tally tally() {
    return sections.stream()
        .flatMap(section -> Section.PLACEMENTS.stream().map(section::tally))
        .reduce(new Tally(0, 0, 0), Tally::plus);
  }

  /**
   * The works that have targets, and ratios or figures.
   *
   * @return a section for each
   */
  public List<Section> measured() {
    return sections.stream().filter(Section::isMeasured).toList();
  }

  /**
   * Whether a target is missed, or a peer is faster.
   *
   * @return whether
   */
  public boolean hasLosses() {
    return sections.stream().anyMatch(section -> !section.losses().isEmpty());
  }

  /**
   * All ratios.
   *
   * @return a line for each
   */
  public Stream<Line> lines() {
    return allSections().flatMap(section -> section.lines().stream());
  }

  /** Of targets and suites. */
  Stream<Section> allSections() {
    return Stream.concat(
        sections.stream(), suites.stream().flatMap(suite -> suite.sections().stream()));
  }
}
