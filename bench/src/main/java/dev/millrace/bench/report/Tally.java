package dev.millrace.bench.report;

import java.util.List;

/**
 * How targets stand.
 *
 * @param met how many are met
 * @param missed how many are missed
 * @param notMeasured of how many nothing was measured
 */
public record Tally(int met, int missed, int notMeasured) {

  static Tally of(List<Line> lines, int notMeasured) {
    List<Line> aimed = lines.stream().filter(line -> line.target() != null).toList();
    int met = (int) aimed.stream().filter(line -> line.ratio() >= line.target()).count();
    return new Tally(met, aimed.size() - met, notMeasured);
  }

  /**
   * Whether there are targets at all.
   *
   * @return whether there is none
   */
  public boolean isEmpty() {
    return met + missed + notMeasured == 0;
  }

  Tally plus(Tally other) {
    return new Tally(met + other.met, missed + other.missed, notMeasured + other.notMeasured);
  }
}
