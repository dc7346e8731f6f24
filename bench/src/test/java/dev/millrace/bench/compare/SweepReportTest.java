package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.bench.report.Curve;
import dev.millrace.bench.report.ReportFiles;
import dev.millrace.bench.report.SideBySide;
import dev.millrace.bench.report.SweepChart;
import dev.millrace.report.Machine;
import dev.millrace.report.Mean;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the report says of works that differ in one number. */
class SweepReportTest {
  private static final double NEAR = 100;
  private static final Machine MACHINE = new Machine("cpu", "amd64", 4, "Linux", "VM 25");

  @TempDir private Path directory;

  private final List<Sample> samples = new ArrayList<>();
  private final List<Results.Done> works = new ArrayList<>();

  @Test
  void mean_isGeometricWithTheIntervalOfItsLogarithms() {
    Mean mean = Mean.of(new double[] {8, 10, 12});
    assertThat(mean.value()).isCloseTo(9.8648, within(5e-5));
    assertThat(mean.low()).isCloseTo(5.9567, within(5e-5)); // t of 2 degrees is 4.3027
    assertThat(mean.high()).isCloseTo(16.3372, within(5e-5));
    assertThat(Mean.of(new double[] {8}).high()).isInfinite();
  }

  @Test
  void report_whenASweepWasRun_drawsALineForEachContender() {
    speeds("scaling-spsc", "millrace", 50e6, 50e6);
    speeds("scaling-mpsc-2", "millrace", 40e6, 40e6);
    speeds("scaling-mpsc-4", "millrace", 30e6);
    speeds("scaling-mpsc-4", "agrona", 10e6, 10e6);
    SweepChart chart = report().suites().getFirst().sweeps().getFirst();
    assertThat(chart.id()).isEqualTo("scaling-mpsc");
    assertThat(chart.isOversubscribed()).isTrue();
    assertThat(chart.curvesAt("far")).isEmpty();
    assertThat(chart.curvesAt("near")).extracting(Curve::contender).contains("Millrace", "Agrona");
    Curve ours = chart.curvesAt("near").getFirst();
    assertThat(ours.ours()).isTrue();
    assertThat(ours.points())
        .extracting(point -> point.x() + " " + point.oversubscribed() + " " + (point.low() != null))
        .containsExactly("1 false true", "2 false true", "4 true false");
    assertThat(ours.points().getLast().y()).isCloseTo(30e6, within(1.0));
  }

  @Test
  void report_whenASweepWasRun_keepsItOutOfTheTargets() throws IOException {
    SideBySide without = report();
    speeds("sizes-spsc-8", "millrace", 10e6, 10e6);
    speeds("sizes-spsc-8", "agrona", 50e6, 50e6);
    SideBySide with = report();
    assertThat(without.suites()).isEmpty();
    assertThat(with.tally()).isEqualTo(without.tally());
    assertThat(with.hasLosses()).isFalse();
    assertThat(with.suites()).singleElement().extracting(suite -> suite.title()).isNotNull();
    assertThat(with.lines()).singleElement().extracting(line -> line.ratioText()).isEqualTo("0.20");
    assertThat(page(with)).contains("id=\"sizes-spsc-near\"", "\"axis\":\"bytes a record\"");
  }

  @Test
  void files_whenThreadsShareProcessors_saySo() throws IOException {
    speeds("scaling-mpmc-4", "millrace", 10e6, 10e6);
    speeds("scaling-mpmc-4", "agrona", 5e6, 5e6);
    speeds("scaling-mpmc-2", "millrace", 10e6, 10e6);
    speeds("scaling-mpmc-2", "agrona", 5e6, 5e6);
    assertThat(page(report()))
        .contains("4 producers, 4 consumers <span class=\"verdict gap\">oversubscribed</span>")
        .contains("2 producers, 2 consumers</summary>")
        .contains("Hollow: more threads than processors.");
    assertThat(Files.readString(directory.resolve("ratios.md")))
        .contains("## Scaling with threads", "### 4 producers, 4 consumers (oversubscribed)\n");
    assertThat(Files.readAllLines(directory.resolve("ratios.csv")))
        .contains("scaling-mpmc-4,agrona,near,2.0000,2.0000,2.0000,,0.0000");
  }

  @Test
  void report_whenAPeersSuiteWasRun_countsWithItsIdle() throws IOException {
    idle = 0;
    speeds("jctools-backoff-none", "millrace", 10e6, 10e6);
    speeds("jctools-backoff-none", "jctools", 5e6, 5e6);
    SideBySide report = report();
    assertThat(report.lines())
        .extracting(line -> line.name() + " " + line.ratioText())
        .containsExactly("jctools-backoff-none-idle0 2.00");
    assertThat(page(report))
        .contains("id=\"jctools-backoff-none-near\"")
        .contains("records of 8 bytes, 262,144 slots, sent by 1, received by up to 1.");
  }

  @Test
  void results_whenRead_stillSayWhatWasDone() throws IOException {
    speeds("sizes-spsc-8", "millrace", 10e6);
    works.add(Results.Done.of(Row.of("sizes-spsc-8"), 1));
    Path file = directory.resolve("a.json");
    run().write(file);
    assertThat(Results.read(file)).isEqualTo(run());
    assertThat(Files.readString(file))
        .contains("\"words\" : 1", "\"-Dmillrace.words=1\"", "\"isOversubscribed\" : true");
  }

  @Test
  void read_whenAWorkMeansAnother_namesBoth() throws IOException {
    Row row = Row.of("sizes-spsc-8");
    Path a = directory.resolve("a.json");
    Path b = directory.resolve("b.json");
    works.add(Results.Done.of(row, 4));
    run().write(a);
    works.set(0, new Results.Done(row.suite(), row.work().withCapacity(64), false, List.of()));
    run().write(b);
    assertThatThrownBy(() -> Pooled.read(List.of(a, b)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("files must mean the same by a work's name: ");
  }

  private int idle = 1;

  private void speeds(String work, String contender, double... perSecond) {
    for (double one : perSecond) {
      Measured measured = Measured.ofTraffic(one, 0, 0, 0);
      samples.add(new Sample(work, contender, 1, idle, 4, NEAR, NEAR, measured, null));
    }
  }

  private Results run() {
    return new Results(
        "scaling",
        "bench/compare scaling",
        "2026-11-21T10:00:00Z",
        1,
        200,
        100,
        MACHINE,
        List.of("-Xmx1g"),
        Map.of("Millrace", "1"),
        List.copyOf(works),
        List.copyOf(samples),
        List.of());
  }

  private SideBySide report() {
    return new Report(List.of(run())).sideBySide();
  }

  private String page(SideBySide report) throws IOException {
    return Files.readString(ReportFiles.write(report, directory));
  }
}
