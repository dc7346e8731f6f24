package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.report.Pacing;
import dev.millrace.bench.report.TimeCurve;
import dev.millrace.bench.report.TimeCurve.Point;
import dev.millrace.report.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The times of contenders as curves, and whether they kept the rate. A curve is of all samples of a
 * contender as one, so that a rare time that only one JVM saw is in it with its true weight. Ratios
 * are of samples, not of curves.
 */
final class Times {
  private static final int POINTS_PER_DECADE = 8;

  private final Results results;

  Times(Results results) {
    this.results = results;
  }

  private record Group(Contenders contender, Placement placement, List<Sample> samples) {}

  /** Those of a work, with the fewest pauses that it was run with. */
  List<TimeCurve> of(Row row) {
    return groups(row).map(group -> curve(row, group)).filter(curve -> curve.count() > 0).toList();
  }

  /** Whether each kept the rate, if the work has one. */
  List<Pacing> pacings(Row row) {
    return row.work().perSecond() == 0
        ? List.of()
        : groups(row).map(group -> pacing(row.work().perSecond(), group)).toList();
  }

  private Stream<Group> groups(Row row) {
    int idle = results.idles(row).getFirst();
    return Placement.COMPARED.stream()
        .flatMap(
            placement ->
                row.contenders()
                    .map(
                        one ->
                            new Group(
                                one,
                                placement,
                                Comparison.samples(results, row, one, placement, idle))))
        .filter(group -> !group.samples().isEmpty());
  }

  private static TimeCurve curve(Row row, Group group) {
    Histogram all = Latencies.newHistogram();
    group.samples().stream()
        .map(sample -> sample.measured().times())
        .filter(Objects::nonNull)
        .map(Latencies::decode)
        .forEach(all::add);
    return new TimeCurve(
        group.contender().title(),
        group.contender() == row.ours(),
        group.placement().text(),
        all.getTotalCount(),
        TimeCurve.PERCENTILES.stream()
            .map(all::getValueAtPercentile)
            .map(Long::doubleValue)
            .toList(),
        points(all));
  }

  /** Evenly spaced on a logarithmic axis; the last is the longest time. */
  static List<Point> points(Histogram times) {
    List<Point> points = new ArrayList<>();
    long count = times.getTotalCount();
    for (int i = 0; Math.pow(10, (double) i / POINTS_PER_DECADE) < count; i++) {
      double oneIn = Math.pow(10, (double) i / POINTS_PER_DECADE);
      points.add(new Point(oneIn, times.getValueAtPercentile(100 - 100 / oneIn)));
    }
    if (count > 0) {
      points.add(new Point(count, times.getMaxValue()));
    }
    return points;
  }

  private static Pacing pacing(long wanted, Group group) {
    List<Measured> measured = group.samples().stream().map(Sample::measured).toList();
    long missed =
        measured.stream().filter(one -> Pacing.isMissed(one.perSecond(), (double) wanted)).count();
    return new Pacing(
        group.contender().title(),
        group.placement().text(),
        wanted,
        median(measured, Measured::perSecond),
        measured.size(),
        (int) missed,
        median(measured, Measured::bytesPerRecord),
        measured.stream().mapToLong(Measured::collections).average().orElse(0));
  }

  private static double median(List<Measured> measured, ToDoubleFunction<Measured> figure) {
    return Samples.median(measured.stream().mapToDouble(figure).toArray());
  }
}
