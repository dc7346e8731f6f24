package dev.millrace.bench.report;

import java.util.List;

/**
 * A work.
 *
 * @param work its name
 * @param title its title
 * @param details what is done, in numbers
 * @param trips whether round trips were timed
 * @param oversubscribed whether there are more threads than processors
 * @param swept whether a chart over several works shows it, so that it needs none of its own
 * @param lines the ratios, near before far
 * @param figures what each contender reached
 * @param thrown samples that do not count
 * @param gaps targets that nothing was measured of
 */
public record Section(
    String work,
    String title,
    String details,
    boolean trips,
    boolean oversubscribed,
    boolean swept,
    List<Line> lines,
    List<Figures> figures,
    List<Thrown> thrown,
    List<Gap> gaps) {
  /** Where cores can be. */
  public static final List<String> PLACEMENTS = List.of("near", "far");

  /**
   * Whether it was run.
   *
   * @return whether there are samples, good or bad
   */
  public boolean isMeasured() {
    return !figures.isEmpty() || !thrown.isEmpty();
  }

  /**
   * The ratios that miss their target or are below 1.
   *
   * @return a line for each
   */
  public List<Line> losses() {
    return lines.stream().filter(Line::isLoss).toList();
  }

  /**
   * The ratios at a placement.
   *
   * @param placement near or far
   * @return a line for each
   */
  public List<Line> linesAt(String placement) {
    return lines.stream().filter(line -> line.placement().equals(placement)).toList();
  }

  /**
   * How its targets stand.
   *
   * @param placement near or far
   * @return their number
   */
  public Tally tally(String placement) {
    return Tally.of(
        linesAt(placement), gaps.stream().mapToInt(gap -> gap.targets(placement)).sum());
  }

  /**
   * Whether several idle counts are in it, so that lines must tell theirs.
   *
   * @return whether
   */
  public boolean hasIdles() {
    return lines.stream().anyMatch(line -> line.idle() != 1);
  }

  /**
   * A line's name within the work.
   *
   * @param line one of its lines
   * @return the peer, and what else it takes to tell lines apart
   */
  public String label(Line line) {
    String label = line.theirs().contender();
    if (trips) {
      label += ", " + line.measure();
    }
    return hasIdles() ? label + ", idle " + line.idle() : label;
  }
}
