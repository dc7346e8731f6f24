package dev.millrace.bench.compare;

import static dev.millrace.bench.compare.Suite.TARGETS;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.report.Figures;
import dev.millrace.bench.report.Line;
import dev.millrace.bench.report.MemoryUse;
import dev.millrace.bench.report.Origin;
import dev.millrace.bench.report.Section;
import dev.millrace.bench.report.SideBySide;
import dev.millrace.bench.report.SuiteReport;
import dev.millrace.bench.report.SweepChart;
import dev.millrace.bench.report.Thrown;
import dev.millrace.report.Samples;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What runs have shown, as the report says it. */
final class Report {
  private final List<Results> runs;
  private final Results all;
  private final Times times;

  /** Of runs that may be pooled. */
  Report(List<Results> runs) {
    this.runs = List.copyOf(runs);
    this.all = Pooled.of(runs);
    this.times = new Times(all);
  }

  SideBySide sideBySide() {
    List<Comparison> comparisons = Comparison.of(all);
    Gaps gaps = new Gaps(all, comparisons);
    List<Section> targets = new ArrayList<>();
    List<SuiteReport> suites = new ArrayList<>();
    for (Suite suite : Suite.values()) {
      List<Row> rows =
          suite.rows().stream().filter(row -> suite == TARGETS || wasRun(row)).toList();
      List<Section> sections = rows.stream().map(row -> section(row, comparisons, gaps)).toList();
      if (suite == TARGETS) {
        targets.addAll(sections);
      } else if (!rows.isEmpty()) {
        List<SweepChart> sweeps = new Sweeps(all).of(rows);
        suites.add(new SuiteReport(suite.command(), suite.title(), sweeps, sections));
      }
    }
    return new SideBySide(targets, suites, footprints(), origin());
  }

  private boolean wasRun(Row row) {
    return all.samples().stream().anyMatch(sample -> sample.work().equals(row.work().id()));
  }

  private List<MemoryUse> footprints() {
    return all.footprints().stream()
        .map(
            one ->
                new MemoryUse(
                    one.contender(),
                    Contenders.of(one.contender()).title(),
                    one.capacity(),
                    one.emptyBytes(),
                    one.fullBytes(),
                    one.offHeapBytes()))
        .toList();
  }

  private Section section(Row row, List<Comparison> comparisons, Gaps gaps) {
    return new Section(
        row.work().id(),
        row.work().title(),
        row.work().details(),
        row.work().shape().isTimed(),
        row.work().isOversubscribed(all.machine().processors()),
        !row.sweeps().isEmpty(),
        comparisons.stream()
            .filter(one -> one.row().equals(row))
            .sorted((a, b) -> a.placement().compareTo(b.placement()))
            .map(this::line)
            .toList(),
        figures(row),
        thrown(row),
        gaps.of(row),
        times.of(row),
        times.pacings(row));
  }

  private Line line(Comparison one) {
    return new Line(
        one.row().work().id(),
        one.measure().text(),
        one.peer().id(),
        one.ratio().value(),
        one.ratio().low(),
        one.ratio().high(),
        one.target().orElse(null),
        one.bytesPerRecord(),
        figures(one.row(), one.row().ours(), one.placement(), one.idle()),
        figures(one.row(), one.peer(), one.placement(), one.idle()));
  }

  private List<Figures> figures(Row row) {
    List<Figures> figures = new ArrayList<>();
    for (Placement placement : Placement.COMPARED) {
      for (int idle : all.idles(row)) {
        row.contenders()
            .map(contender -> figures(row, contender, placement, idle))
            .filter(one -> one.samples() > 0)
            .forEach(figures::add);
      }
    }
    return figures;
  }

  private Figures figures(Row row, Contenders contender, Placement placement, int idle) {
    List<Sample> samples = Comparison.samples(all, row, contender, placement, idle);
    boolean counted = !row.work().shape().isTimed() && contender != Contenders.CPP;
    return new Figures(
        contender.title(),
        placement.text(),
        idle,
        samples.size(),
        median(samples, sample -> (sample.probeBefore() + sample.probeAfter()) / 2),
        measured(samples, Measured::perSecond),
        measured(samples, Measured::cpuNanos),
        measured(samples, Measured::p50),
        measured(samples, Measured::p99),
        measured(samples, Measured::p999),
        counted ? measured(samples, Measured::bytesPerRecord) : Double.NaN,
        bytesPerOffer(samples),
        counted ? measured(samples, Measured::failedSends) : Double.NaN,
        counted ? measured(samples, Measured::failedReceives) : Double.NaN);
  }

  /** The most, for it is to be none. */
  private static Double bytesPerOffer(List<Sample> samples) {
    return samples.stream()
        .map(sample -> sample.measured().bytesPerOffer())
        .filter(bytes -> bytes != null)
        .max(Comparator.naturalOrder())
        .orElse(null);
  }

  private static double measured(List<Sample> samples, ToDoubleFunction<Measured> value) {
    return median(samples, sample -> value.applyAsDouble(sample.measured()));
  }

  private static double median(List<Sample> samples, ToDoubleFunction<Sample> value) {
    return Samples.median(samples.stream().mapToDouble(value).toArray());
  }

  private List<Thrown> thrown(Row row) {
    return row.contenders()
        .map(contender -> thrown(row, contender))
        .filter(one -> one.moved() > 0 || one.failed() > 0)
        .toList();
  }

  private Thrown thrown(Row row, Contenders contender) {
    List<Sample> samples =
        all.samples().stream().filter(sample -> sample.isOf(row, contender)).toList();
    List<String> failures =
        samples.stream().map(Sample::failure).filter(failure -> failure != null).toList();
    long moved =
        samples.stream()
            .filter(sample -> sample.failure() == null && sample.placement() == Placement.MOVED)
            .count();
    String first =
        failures.isEmpty() ? null : failures.getFirst().lines().findFirst().orElse("no message");
    return new Thrown(contender.title(), (int) moved, failures.size(), first);
  }

  private Origin origin() {
    Map<String, String> facts = new LinkedHashMap<>();
    Pooled.conditions(all).forEach((name, value) -> facts.put(name, value.toString()));
    all.versions().keySet().forEach(name -> facts.remove("version of " + name));
    return new Origin(
        facts, all.versions(), Probe.NEAR_NANOS, runs.stream().map(Report::run).toList());
  }

  private static Origin.Run run(Results run) {
    int rounds = run.samples().stream().mapToInt(Sample::round).max().orElse(0);
    return new Origin.Run(
        run.started(), run.form(), run.seed(), rounds, run.samples().size(), run.command());
  }
}
