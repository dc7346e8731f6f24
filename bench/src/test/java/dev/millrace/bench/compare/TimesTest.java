package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.bench.report.Pacing;
import dev.millrace.bench.report.ReportFiles;
import dev.millrace.bench.report.Section;
import dev.millrace.bench.report.SideBySide;
import dev.millrace.bench.report.TimeCurve;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the report says of times, rates and memory. */
class TimesTest {
  private static final String WORK = "latency-spsc-1m-g1";
  private static final double NEAR = 100;
  private static final Machine MACHINE = new Machine("cpu", "amd64", 2, "Linux", "VM 25");

  @TempDir private Path directory;

  private final List<Sample> samples = new ArrayList<>();

  /** One sample has 99 short times and a long one, the other 100 short ones. */
  @Test
  void curve_isOfAllSamplesAsOne() {
    sample("millrace", 1e6, times(99, 100, 50_000));
    sample("millrace", 1e6, times(100, 100));
    TimeCurve curve = section().times().getFirst();
    assertThat(curve.count()).isEqualTo(200);
    assertThat(curve.isOurs()).isTrue();
    assertThat(curve.percentiles().subList(0, 3)).containsExactly(100.0, 100.0, 100.0);
    assertThat(curve.percentiles().getLast()).isBetween(49_900.0, 50_100.0);
    assertThat(curve.points().getFirst().x()).isEqualTo(1);
    assertThat(curve.points().getLast().x()).isEqualTo(200);
    assertThat(curve.points().getLast().y()).isEqualTo(curve.percentiles().getLast());
    assertThat(TimeCurve.heads()).containsExactly("p50", "p90", "p99", "p99.9", "p99.99", "max");
  }

  @Test
  void ratios_areOfThreePercentiles() {
    for (int i = 0; i < 2; i++) {
      sample("millrace", 1e6, times(1_000, 100));
      sample("jctools", 1e6, times(1_000, 150));
    }
    assertThat(section().lines())
        .extracting(line -> line.measure() + " " + line.peer() + " " + line.ratioText())
        .containsExactly("p50 jctools 1.50", "p99 jctools 1.50", "p99.9 jctools 1.50");
  }

  @Test
  void pacing_countsSamplesThatMissedTheRate() throws IOException {
    sample("millrace", 995_000, times(1_000, 100));
    sample("jctools", 985_000, times(1_000, 100));
    sample("jctools", 1e6, times(1_000, 100));
    sample("jctools", 400_000, times(1_000, 100));
    assertThat(section().pacings())
        .extracting(Pacing::contender, Pacing::missed, Pacing::samples)
        .containsExactly(tuple("Millrace", 0, 1), tuple("JCTools, preallocated", 2, 3));
    assertThat(html(run(List.of()))).contains("missed by 2 of 3", ">985,000<");
  }

  @Test
  void page_hasCurvesAndTheirTable() throws IOException {
    sample("millrace", 1e6, times(1_000, 123));
    assertThat(html(run(List.of())))
        .contains("\"id\":\"" + WORK + "-near-times\"", "id=\"" + WORK + "-near-times\"")
        .contains("Times in nanoseconds: all samples", ">p99.99<", ">123<");
  }

  @Test
  void footprints_areATableAndAFile() throws IOException {
    Results run = run(List.of(new Footprint("jctools-new", 64, 1_000, 3_000, 200)));
    assertThat(html(run)).contains("Memory that a queue takes", ">3,000<", ">50.00<");
    assertThat(Files.readAllLines(directory.resolve("report").resolve("footprint.csv")))
        .containsExactly(
            "contender,capacity,heap_bytes_empty,heap_bytes_full,off_heap_bytes",
            "jctools-new,64,1000,3000,200");
  }

  /** A footprint has no times to measure for; another machine is refused as ever. */
  @Test
  void read_poolsFootprintsWithAnyTimes() throws IOException {
    Footprint footprint = new Footprint("jctools-new", 64, 1_000, 3_000, 200);
    Path memory = file("memory.json", results(MACHINE, 0, List.of(footprint)));
    sample("millrace", 1e6, times(1_000, 100));
    Path short1 = file("short.json", results(MACHINE, 100, List.of()));
    Path long1 = file("long.json", results(MACHINE, 200, List.of()));
    Machine other = new Machine("cpu", "amd64", 64, "Linux", "VM 25");
    Path elsewhere = file("elsewhere.json", results(other, 100, List.of()));
    Results pooled = Pooled.of(Pooled.read(List.of(memory, short1)));
    assertThat(pooled.footprints()).containsExactly(footprint);
    assertThat(pooled.millis()).isEqualTo(100);
    assertThatThrownBy(() -> Pooled.read(List.of(memory, short1, long1)))
        .hasMessageContaining("measured by each JVM=100 ms in " + short1 + ", but 200 ms in");
    assertThatThrownBy(() -> Pooled.read(List.of(memory, elsewhere)))
        .hasMessageContaining("processors=2 in");
  }

  private static Histogram times(int count, long nanos, long... more) {
    Histogram times = Latencies.newHistogram();
    times.recordValueWithCount(nanos, count);
    for (long one : more) {
      times.recordValue(one);
    }
    return times;
  }

  private void sample(String contender, double perSecond, Histogram times) {
    Measured measured = Measured.ofTraffic(perSecond, 0, 0, 0).with(times, 0);
    samples.add(new Sample(WORK, contender, 1, 1, 4, NEAR, NEAR, measured, null));
  }

  private Section section() {
    SideBySide report = new Report(List.of(run(List.of()))).sideBySide();
    return report.suites().getFirst().sections().getFirst();
  }

  private Results run(List<Footprint> footprints) {
    return results(MACHINE, 100, footprints);
  }

  private Results results(Machine machine, long millis, List<Footprint> footprints) {
    return new Results(
        "latency",
        "bench/compare latency",
        "2026-11-21T10:00:00Z",
        1,
        200,
        millis,
        machine,
        List.of("-Xmx1g"),
        Map.of("Millrace", "1"),
        List.of(),
        List.copyOf(samples),
        footprints);
  }

  private Path file(String name, Results run) throws IOException {
    Path file = directory.resolve(name);
    run.write(file);
    return file;
  }

  private String html(Results run) throws IOException {
    return Files.readString(
        ReportFiles.write(new Report(List.of(run)).sideBySide(), directory.resolve("report")));
  }
}
