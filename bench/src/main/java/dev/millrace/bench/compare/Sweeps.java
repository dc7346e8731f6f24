package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.report.Curve;
import dev.millrace.bench.report.SweepChart;
import dev.millrace.report.Mean;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The charts over works that differ in one number. */
final class Sweeps {
  private final Results results;

  Sweeps(Results results) {
    this.results = results;
  }

  /** Those that have points among some rows. */
  List<SweepChart> of(List<Row> rows) {
    return Arrays.stream(Sweep.values())
        .map(sweep -> chart(sweep, rows))
        .filter(chart -> !chart.curves().isEmpty())
        .toList();
  }

  private SweepChart chart(Sweep sweep, List<Row> rows) {
    List<Row> points =
        rows.stream()
            .filter(row -> row.sweeps().contains(sweep))
            .sorted(Comparator.comparingInt(row -> sweep.place(row.work())))
            .toList();
    List<Curve> curves =
        Placement.COMPARED.stream()
            .flatMap(
                placement ->
                    Arrays.stream(Contenders.values())
                        .map(contender -> curve(sweep, points, contender, placement)))
            .filter(curve -> !curve.points().isEmpty())
            .toList();
    return new SweepChart(sweep.id(), sweep.title(), sweep.axis(), curves);
  }

  private Curve curve(Sweep sweep, List<Row> rows, Contenders contender, Placement placement) {
    List<Curve.Point> points =
        rows.stream().flatMap(row -> points(sweep, row, contender, placement).stream()).toList();
    boolean ours = rows.stream().anyMatch(row -> row.ours() == contender);
    return new Curve(contender.title(), ours, placement.text(), points);
  }

  /** One, or none if nothing was measured. */
  private List<Curve.Point> points(
      Sweep sweep, Row row, Contenders contender, Placement placement) {
    Work work = row.work();
    double[] speeds =
        Comparison.samples(results, row, contender, placement, work.idle()).stream()
            .mapToDouble(sample -> sample.measured().perSecond())
            .toArray();
    if (speeds.length == 0) {
      return List.of();
    }
    Mean mean = Mean.of(speeds);
    boolean bounded = !Double.isInfinite(mean.high());
    return List.of(
        new Curve.Point(
            sweep.place(work),
            mean.value(),
            bounded ? mean.low() : null,
            bounded ? mean.high() : null,
            work.isOversubscribed(results.machine().processors())));
  }
}
