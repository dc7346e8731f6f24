package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.bench.compare.Charts.Chart;
import dev.millrace.bench.compare.Charts.Point;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Machine;
import dev.millrace.bench.harness.RoundsCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a page that calls a missed target met, hides failed samples, pools runs of different
 * machines, or shows text of a results file as markup.
 */
class ReportTest {
  private static final double NEAR = 100;
  private static final double FAR = 900;
  private static final Machine MACHINE = new Machine("cpu", "amd64", 2, "Linux", "VM 25");
  private static final String LATENCY = "latency-spsc-1m-g1";

  @TempDir private Path directory;

  private final List<Sample> samples = new ArrayList<>();
  private final List<Results.Done> works = new ArrayList<>();
  private final List<Footprint> footprints = new ArrayList<>();
  private int idle = 1;

  // ---- targets ----

  @Test
  void page_whenTargetsAreMetAndMissed_saysBoth() throws IOException {
    speeds("spsc-single", "millrace", NEAR, 50e6, 50e6);
    speeds("spsc-single", "agrona", NEAR, 10e6, 10e6);
    speeds("spsc-single", "jctools", NEAR, 20e6, 20e6);
    speeds("spsc-single", "disruptor", NEAR, 100e6, 100e6);
    assertThat(verdicts()).containsExactly("met", "missed", "missed, slower");
    assertThat(overview("targets"))
        .containsExactly(
            "SPSC, one record at a time", "1 met, 2 missed, 4 not measured", "7 not measured");
    assertThat(text())
        .contains("Missed targets, and where Millrace is slower SPSC, one record at a time: missed")
        .contains("missed, slower against Disruptor, near: 0.50 (0.50..0.50), target 1.50")
        .contains("50.0 M/s 100.0 M/s")
        .contains("No ratio of far cores was had.");
  }

  @Test
  void page_whenTheFormIsQuick_countsOnlyItsPeers() {
    assertThat(overview("quick"))
        .containsExactly("SPSC, one record at a time", "3 not measured", "3 not measured");
  }

  @Test
  void verdict_whenIntervalHoldsTheTarget_saysSo() {
    speeds("spsc-single", "millrace", NEAR, 40e6, 44e6);
    speeds("spsc-single", "agrona", NEAR, 10e6, 10.5e6);
    speeds("spsc-single", "jctools", NEAR, 14e6, 15.5e6);
    assertThat(verdicts()).containsExactly("met, not certain", "missed, not certain");
  }

  @Test
  void verdict_whenThereIsNoTarget_comparesWithOne() {
    speeds("mpsc-single-stall-proof", "millrace-stall-proof", NEAR, 40e6, 40e6);
    speeds("mpsc-single-stall-proof", "agrona", NEAR, 10e6, 10e6);
    speeds("mpsc-single-stall-proof", "jctools", NEAR, 80e6, 80e6);
    assertThat(verdicts()).containsExactly("faster", "slower");
    assertThat(report("targets").losses()).hasSize(1);
  }

  // ---- samples ----

  @Test
  void page_whenSamplesDoNotCount_tellsHowManyAndWhy() throws IOException {
    Measured measured = Measured.ofTraffic(10e6, 0, 0, 0, 0, 0);
    samples.add(new Sample("spsc-single", "agrona", 1, 1, 4, NEAR, FAR, measured, null));
    samples.add(Sample.failed("spsc-single", "agrona", 1, 1, "no end\nat line 2"));
    samples.add(Sample.failed("spsc-single", "agrona", 1, 1, "another"));
    assertThat(text())
        .contains("Agrona: 1 do not count, the cores moved", "Agrona: 2 failed: no end")
        .doesNotContain("at line 2", "another");
  }

  @Test
  void page_whenNothingCameThrough_countsThatAsFailure() throws IOException {
    speeds("spsc-single", "millrace", NEAR, 50e6, 0);
    speeds("spsc-single", "agrona", NEAR, 0, 0);
    assertThat(text())
        .contains("Millrace: 1 failed: nothing came through in the time measured")
        .contains("Agrona: 2 failed: nothing came through in the time measured");
  }

  @Test
  void page_whenOffersWereCountedApart_tellsTheirBytes() throws IOException {
    offers("millrace-records", 0, 0.25); // the most counts
    offers("linked-transfer-queue-records", 32);
    assertThat(text()).contains("0.50, by offer 0.25", "0.50, by offer 32.00");
  }

  @Test
  void page_whenDataHoldsMarkup_escapesIt() throws IOException {
    samples.add(Sample.failed("spsc-single", "agrona", 1, 1, "</p><script>alert(1)</script>"));
    Machine machine = new Machine("<img src=x>", "a&b", 2, "Linux", "VM");
    assertThat(html(new Report(List.of(run("targets", machine, 1, 100)))))
        .contains("&lt;img src=x&gt;", "a&amp;b", "&lt;/p&gt;&lt;script&gt;alert(1)")
        .doesNotContain("<img", "alert(1)</script>");
  }

  // ---- files ----

  @Test
  void csv_hasEachRatioUnderItsName() throws IOException {
    speeds("spsc-single", "millrace", NEAR, 50e6, 50e6);
    speeds("spsc-single", "agrona", NEAR, 10e6, 10e6);
    idle = 4;
    speeds("spsc-single", "millrace", FAR, 50e6, 50e6);
    speeds("spsc-single", "agrona", FAR, 10e6);
    trips("round-trip", "millrace", 100, 1_000);
    trips("round-trip", "jctools", 150, 900);
    assertThat(file("ratios.csv").lines())
        .containsExactly(
            "work,peer,placement,ratio,ratio_low,ratio_high,target,alloc_bytes_per_op",
            "spsc-single,agrona,near,5.0000,5.0000,5.0000,4.0000,0.5000",
            "spsc-single-idle4,agrona,far,5.0000,,,1.0000,0.5000",
            "round-trip-p50,jctools,far,1.5000,1.5000,1.5000,1.0000,",
            "round-trip-p99,jctools,far,0.9000,0.9000,0.9000,1.0000,");
  }

  @Test
  void markdown_hasATableOfEachPlacement() throws IOException {
    speeds("spsc-single", "millrace", NEAR, 50e6, 50e6);
    speeds("spsc-single", "agrona", NEAR, 10e6, 10e6);
    speeds("scaling-mpmc-4", "millrace", NEAR, 10e6);
    speeds("scaling-mpmc-4", "agrona", NEAR, 10e6);
    assertThat(file("ratios.md"))
        .startsWith(
            "## Targets\n\n### SPSC, one record at a time\n\nNo ratio of far cores was had.")
        .contains("| near cores, against | ratio |", "|---|--:|--:|--:|---|--:|--:|--:|--:|\n")
        .contains(
            "| Agrona | 5.00 | 5.00..5.00 | 4.00 | met | 50.0 M/s | 10.0 M/s | 0.50 | 2 / 2 |\n")
        .contains("## Scaling with threads", "### 4 producers, 4 consumers (oversubscribed)\n")
        .contains("| Agrona | 1.00 | no interval |");
  }

  @Test
  void page_needsNothingBesideIt() throws IOException {
    speeds("scaling-spsc", "millrace", NEAR, 50e6, 50e6);
    assertThat(html(report("scaling")))
        .contains("Chart.js v", "\"id\":\"scaling-mpsc-near\"", "id=\"scaling-mpsc-near\"")
        .doesNotContain("<link", " src=", "sourceMappingURL", directory.toString());
  }

  // ---- curves ----

  @Test
  void sweep_hasALineForEachContenderThatWasRun() {
    speeds("scaling-spsc", "millrace", NEAR, 50e6, 50e6);
    speeds("scaling-mpsc-2", "millrace", NEAR, 40e6, 40e6);
    speeds("scaling-mpsc-4", "agrona", NEAR, 10e6, 10e6);
    List<Chart> charts = Charts.of(Sweep.SCALING_MPSC, run("scaling", MACHINE, 1, 100));
    assertThat(charts).singleElement().extracting(Chart::id).isEqualTo("scaling-mpsc-near");
    assertThat(Charts.json(charts))
        .contains("\"label\":\"Millrace\"", "\"label\":\"Agrona\"", "\"x\":\"producers\"")
        .containsPattern("\\[\\{\"x\":4.0,\"y\":(9.99|10.0)[0-9]*\\}\\]")
        .doesNotContain("JCTools");
  }

  @Test
  void suites_stayOutOfTheTargets() throws IOException {
    speeds("sizes-spsc-8", "millrace", NEAR, 10e6, 10e6);
    speeds("sizes-spsc-8", "agrona", NEAR, 50e6, 50e6);
    assertThat(report("sizes").losses()).isEmpty();
    assertThat(text()).contains("Sizes of records", "0.20", "records of 8 bytes, 4,096 slots");
  }

  @Test
  void ratio_whenAPeersSuiteWasRun_countsWithItsIdle() {
    idle = 0;
    speeds("jctools-backoff-none", "millrace", NEAR, 10e6, 10e6);
    speeds("jctools-backoff-none", "jctools", NEAR, 5e6, 5e6);
    assertThat(report("suites").comparisons())
        .extracting(Comparison::name)
        .containsExactly("jctools-backoff-none-idle0");
  }

  /** One sample has 99 short times and a long one, the other 100 short ones. */
  @Test
  void times_areOfAllSamplesAsOne() throws IOException {
    timed("millrace", 1e6, times(99, 100, 50_000));
    timed("millrace", 1e6, times(100, 100));
    Results run = run("latency", MACHINE, 1, 100);
    Histogram all = run.groups(Row.of(LATENCY)).getFirst().times();
    List<Point> points = Charts.points(all);
    assertThat(all.getTotalCount()).isEqualTo(200);
    assertThat(points.getFirst().x()).isEqualTo(1);
    assertThat(points.getLast().x()).isEqualTo(200);
    assertThat(points.getLast().y()).isBetween(49_900.0, 50_100.0);
    assertThat(text()).contains("p99.99 max Rate of 1,000,000", "100 100 100 50,015 50,015 50,015");
  }

  @Test
  void times_tellHowManySamplesMissedTheRate() throws IOException {
    timed("millrace", 995_000, times(1_000, 100));
    timed("jctools", 985_000, times(1_000, 100));
    timed("jctools", 1e6, times(1_000, 100));
    timed("jctools", 400_000, times(1_000, 100));
    assertThat(text()).contains("100 kept 0.0", "100 missed by 2 of 3 0.0");
  }

  @Test
  void ratios_ofTimes_areOfThreePercentiles() {
    timed("millrace", 1e6, times(1_000, 100));
    timed("jctools", 1e6, times(1_000, 150));
    assertThat(report("latency").comparisons())
        .extracting(Comparison::label)
        .containsExactly(
            "JCTools, preallocated, p50",
            "JCTools, preallocated, p99",
            "JCTools, preallocated, p99.9");
  }

  @Test
  void footprints_areATable() throws IOException {
    footprints.add(new Footprint("jctools-new", 64, 1_000, 3_000, 200));
    assertThat(text())
        .contains("Memory that a queue takes", "JCTools, new objects 64 1,000 3,000 200 50.00");
  }

  // ---- several runs ----

  @Test
  void read_whenMachinesAreTheSame_poolsSamples() throws IOException {
    speeds("spsc-single", "millrace", NEAR, 50e6);
    speeds("spsc-single", "agrona", NEAR, 10e6);
    List<Results> runs =
        Results.readAll(List.of(file("a", MACHINE, 1, 100), file("b", MACHINE, 2, 100)));
    assertThat(new Report(runs).comparisons())
        .singleElement()
        .satisfies(one -> assertThat(one.ours().samples()).hasSize(2));
  }

  @Test
  void read_whenRunsDiffer_namesWhatDiffers() throws IOException {
    speeds("spsc-single", "millrace", NEAR, 50e6);
    Path a = file("a", MACHINE, 1, 100);
    Path b = file("b", new Machine("cpu", "amd64", 64, "Linux", "VM 25"), 1, 100);
    Path longer = file("c", MACHINE, 1, 200);
    assertThatThrownBy(() -> Results.readAll(List.of(a, b)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "files must be of the same machine, versions and times: processors=2 in "
                + a
                + ", but 64 in "
                + b);
    assertThatThrownBy(() -> Results.readAll(List.of(a, longer)))
        .hasMessageContaining("measured by each JVM=100 ms in " + a + ", but 200 ms in");
    Path copy = file("copy", MACHINE, 1, 100);
    assertThatThrownBy(() -> Results.readAll(List.of(a, copy)))
        .hasMessage("files must be of different runs: file=" + copy);
  }

  /** A footprint has no times to measure for; another machine is refused as ever. */
  @Test
  void read_poolsFootprintsWithAnyTimes() throws IOException {
    footprints.add(new Footprint("jctools-new", 64, 1_000, 3_000, 200));
    Path memory = file("memory", MACHINE, 1, 0);
    footprints.clear();
    timed("millrace", 1e6, times(1_000, 100));
    Path short1 = file("short", MACHINE, 1, 100);
    Results pooled = Results.pooled(Results.readAll(List.of(memory, short1)));
    assertThat(pooled.footprints()).hasSize(1);
    assertThat(pooled.millis()).isEqualTo(100);
  }

  @Test
  void results_whenRead_stillSayWhatWasDone() throws IOException {
    speeds("sizes-spsc-8", "millrace", NEAR, 10e6);
    works.add(Results.Done.of(Row.of("sizes-spsc-8"), 1));
    Path file = file("a", MACHINE, 1, 100);
    assertThat(Results.read(file)).isEqualTo(run("targets", MACHINE, 1, 100));
    assertThat(Files.readString(file))
        .contains("\"words\" : 1", "\"-Dmillrace.words=1\"", "\"isOversubscribed\" : true");
  }

  @Test
  void read_whenAWorkMeansAnother_namesBoth() throws IOException {
    Row row = Row.of("sizes-spsc-8");
    works.add(Results.Done.of(row, 4));
    Path a = file("a", MACHINE, 1, 100);
    works.set(0, new Results.Done(row.suite(), row.work().withCapacity(64), false, List.of()));
    Path b = file("b", MACHINE, 1, 100);
    assertThatThrownBy(() -> Results.readAll(List.of(a, b)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("files must mean the same by a work's name: ");
  }

  // ---- what is reported ----

  private void speeds(String work, String contender, double probe, double... perSecond) {
    for (double one : perSecond) {
      Measured measured = Measured.ofTraffic(one, 0.1, 0.2, 0.5, 0, 0);
      samples.add(new Sample(work, contender, 1, idle, 4, probe, probe, measured, null));
    }
  }

  private void offers(String contender, double... bytesPerOffer) {
    for (double one : bytesPerOffer) {
      Measured measured = new Measured(5e6, 0, 0, 0.5, 0, 0, 0, 0, 0, null, 0, 0, one);
      samples.add(new Sample("drop-in-spsc", contender, 1, 1, 4, NEAR, NEAR, measured, null));
    }
  }

  private void trips(String work, String contender, double p50, double p99) {
    Measured measured = new Measured(0, 0, 0, 0, 0, 0, p50, p99, 2 * p99, null, 0, 0, null);
    samples.addAll(
        Collections.nCopies(2, new Sample(work, contender, 1, 1, 4, FAR, FAR, measured, null)));
  }

  private void timed(String contender, double perSecond, Histogram times) {
    Measured measured = Measured.ofTraffic(perSecond, 0, 0, 0, 0, 0).with(times, 0);
    samples.add(new Sample(LATENCY, contender, 1, 1, 4, NEAR, NEAR, measured, null));
  }

  private static Histogram times(int count, long nanos, long... more) {
    Histogram times = Latencies.newHistogram();
    times.recordValueWithCount(nanos, count);
    for (long one : more) {
      times.recordValue(one);
    }
    return times;
  }

  private Results run(String form, Machine machine, long seed, long millis) {
    return new Results(
        form,
        "bench/compare " + form,
        "2026-11-21T10:00:00Z",
        seed,
        200,
        millis,
        machine,
        List.of("-Xmx1g"),
        Map.of("Millrace", "1"),
        List.copyOf(works),
        List.copyOf(samples),
        List.copyOf(footprints));
  }

  private Report report(String form) {
    return new Report(List.of(run(form, MACHINE, 1, 100)));
  }

  private List<String> verdicts() {
    return report("targets").comparisons().stream().map(one -> one.verdict().text()).toList();
  }

  /** Of the first work. */
  private List<String> overview(String form) {
    return report(form).overview().rows().getFirst();
  }

  private Path file(String name, Machine machine, long seed, long millis) throws IOException {
    Path file = directory.resolve(name + ".json");
    RoundsCommand.write(file, run("targets", machine, seed, millis));
    return file;
  }

  private String file(String name) throws IOException {
    report("targets").write(directory);
    return Files.readString(directory.resolve(name));
  }

  private String html(Report report) throws IOException {
    return Files.readString(report.write(directory.resolve("report")));
  }

  /** What a reader sees. */
  private String text() throws IOException {
    return html(report("targets"))
        .replaceAll("(?s)<(style|script)[ >].*?</\\1>", " ")
        .replaceAll("<[^>]*>", " ")
        .replaceAll("\\s+", " ")
        .trim();
  }
}
