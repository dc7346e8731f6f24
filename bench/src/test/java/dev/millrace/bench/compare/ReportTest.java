package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.bench.report.ReportFiles;
import dev.millrace.bench.report.SideBySide;
import dev.millrace.bench.report.Tally;
import dev.millrace.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final double NEAR = 100;
  private static final double FAR = 900;
  private static final Machine MACHINE = new Machine("cpu", "amd64", 2, "Linux", "VM 25");

  @TempDir private Path directory;

  private final List<Sample> samples = new ArrayList<>();

  @Test
  void page_whenTargetsAreMetAndMissed_saysBoth() throws IOException {
    fast("spsc-single", "millrace", 1, NEAR, 50e6, 50e6);
    fast("spsc-single", "agrona", 1, NEAR, 10e6, 10e6);
    fast("spsc-single", "jctools", 1, NEAR, 20e6, 20e6);
    fast("spsc-single", "disruptor", 1, NEAR, 100e6, 100e6);
    SideBySide report = report();
    assertThat(report.lines())
        .extracting(line -> line.peer() + " " + line.ratioText() + " " + line.verdict().word())
        .containsExactly("agrona 5.00 met", "jctools 2.50 missed", "disruptor 0.50 missed, slower");
    assertThat(report.sections().getFirst().tally("near")).isEqualTo(new Tally(1, 2, 4));
    assertThat(report.sections().getFirst().tally("far")).isEqualTo(new Tally(0, 0, 7));
    assertThat(textOf(report))
        .contains("Missed targets, and where Millrace is slower SPSC, one record at a time missed")
        .contains("missed, slower against Disruptor, near: 0.50× (0.50..0.50), target 1.50")
        .contains("50.0 M/s 100.0 M/s")
        .contains("Far: no far sample was had (against Agrona; JCTools, preallocated; Disruptor)")
        .contains("peer not run (against JCTools, new objects;")
        .contains("No ratio of far cores was had.");
  }

  @Test
  void page_whenTheFormIsQuick_countsOnlyItsPeersAndSaysSo() throws IOException {
    SideBySide report = new Report(List.of(run("quick", MACHINE, 1))).sideBySide();
    assertThat(report.sections().getFirst().tally("near")).isEqualTo(new Tally(0, 0, 3));
    assertThat(textOf(report))
        .contains("beside the best peers only: bench/compare targets runs all.")
        .doesNotContain("JCTools, new objects;");
    assertThat(textOf(report())).doesNotContain("beside the best peers only");
  }

  @Test
  void verdict_whenIntervalHoldsTheTarget_saysSo() {
    fast("spsc-single", "millrace", 1, NEAR, 40e6, 44e6);
    fast("spsc-single", "agrona", 1, NEAR, 10e6, 10.5e6);
    fast("spsc-single", "jctools", 1, NEAR, 14e6, 15.5e6);
    assertThat(report().lines())
        .extracting(line -> line.verdict().word() + ", " + line.verdict().why())
        .containsExactly("met, not certain", "missed, not certain");
  }

  @Test
  void verdict_whenThereIsNoTarget_comparesWithOne() {
    fast("mpsc-single-stall-proof", "millrace-stall-proof", 1, NEAR, 40e6, 40e6);
    fast("mpsc-single-stall-proof", "agrona", 1, NEAR, 10e6, 10e6);
    fast("mpsc-single-stall-proof", "jctools", 1, NEAR, 80e6, 80e6);
    SideBySide report = report();
    assertThat(report.lines())
        .extracting(line -> line.verdict().word())
        .containsExactly("faster", "slower");
    assertThat(report.hasLosses()).isTrue();
  }

  @Test
  void page_whenSamplesDoNotCount_tellsHowManyAndWhy() throws IOException {
    samples.add(
        new Sample(
            "spsc-single", "agrona", 1, 1, 4, NEAR, FAR, Measured.ofTraffic(10e6, 0, 0, 0), null));
    samples.add(Sample.failed("spsc-single", "agrona", 1, 1, "no end\nat line 2"));
    samples.add(Sample.failed("spsc-single", "agrona", 1, 1, "another"));
    assertThat(textOf(report()))
        .contains("Agrona: 1 because the cores moved, 2 failed : no end")
        .contains("No ratio was had.")
        .doesNotContain("at line 2", "another");
  }

  @Test
  void page_whenNothingCameThrough_countsThatAsFailure() throws IOException {
    fast("spsc-single", "millrace", 1, NEAR, 50e6, 0);
    fast("spsc-single", "agrona", 1, NEAR, 0, 0);
    assertThat(textOf(report()))
        .contains("Millrace: 1 failed : nothing came through in the time measured")
        .contains("Agrona: 2 failed : nothing came through in the time measured")
        .contains("No ratio was had.");
  }

  @Test
  void page_whenNothingWasRun_countsAllTargetsAsNotMeasured() throws IOException {
    SideBySide report = report();
    assertThat(report.tally().met() + report.tally().missed()).isZero();
    assertThat(report.tally().notMeasured()).isPositive();
    assertThat(textOf(report)).contains("Near and far: not run");
  }

  @Test
  void page_whenDataHoldsMarkup_escapesIt() throws IOException {
    samples.add(Sample.failed("spsc-single", "agrona", 1, 1, "</p><script>alert(1)</script>"));
    Results run = run(new Machine("<img src=x>", "a&b", 2, "Linux", "VM"), 1);
    assertThat(htmlOf(new Report(List.of(run)).sideBySide()))
        .contains("&lt;img src=x&gt;", "a&amp;b", "&lt;/p&gt;&lt;script&gt;alert(1)")
        .doesNotContain("<img", "alert(1)</script>");
  }

  @Test
  void page_whenDone_needsNothingBesideIt() throws IOException {
    fast("spsc-single", "millrace", 1, NEAR, 50e6, 50e6);
    fast("spsc-single", "agrona", 1, NEAR, 10e6, 10e6);
    assertThat(htmlOf(report()))
        .contains("Chart.js v", "\"id\":\"spsc-single-near\"", "id=\"spsc-single-near\"")
        .doesNotContain("<link", " src=", "sourceMappingURL", directory.toString());
  }

  @Test
  void csv_hasEachRatioUnderItsName() throws IOException {
    fast("spsc-single", "millrace", 1, NEAR, 50e6, 50e6);
    fast("spsc-single", "agrona", 1, NEAR, 10e6, 10e6);
    fast("spsc-single", "millrace", 4, FAR, 50e6, 50e6);
    fast("spsc-single", "agrona", 4, FAR, 10e6);
    trips("round-trip", "millrace", 100, 1_000);
    trips("round-trip", "jctools", 150, 900);
    ReportFiles.write(report(), directory);
    assertThat(Files.readAllLines(directory.resolve("ratios.csv")))
        .containsExactly(
            "work,peer,placement,ratio,ratio_low,ratio_high,target,alloc_bytes_per_op",
            "spsc-single,agrona,near,5.0000,5.0000,5.0000,4.0000,0.5000",
            "spsc-single-idle4,agrona,far,5.0000,,,1.0000,0.5000",
            "round-trip-p50,jctools,far,1.5000,1.5000,1.5000,1.0000,",
            "round-trip-p99,jctools,far,0.9000,0.9000,0.9000,1.0000,");
  }

  @Test
  void markdown_hasATableOfEachPlacement() throws IOException {
    fast("spsc-single", "millrace", 1, NEAR, 50e6, 50e6);
    fast("spsc-single", "agrona", 1, NEAR, 10e6, 10e6);
    ReportFiles.write(report(), directory);
    assertThat(Files.readString(directory.resolve("ratios.md")))
        .startsWith("### SPSC, one record at a time\n\n| near cores, against | ratio |")
        .contains(
            "| Agrona | 5.00 | 5.00..5.00 | 4.00 | met | 50.0 M/s | 10.0 M/s | 0.50 | 2 / 2 |\n")
        .endsWith("No ratio of far cores was had.\n");
  }

  @Test
  void page_whenOffersWereCountedApart_tellsTheirBytes() throws IOException {
    fast("drop-in-spsc", "millrace-records", 1, NEAR, 50e6, 50e6);
    fast("drop-in-spsc", "linked-transfer-queue-records", 1, NEAR, 10e6, 10e6);
    samples.replaceAll(
        sample -> sample.withOffers(sample.contender().startsWith("millrace") ? 0.0 : 32.0));
    samples.set(0, samples.getFirst().withOffers(0.25)); // the most counts
    List<Results> runs = List.of(Results.read(file("a.json", run(MACHINE, 1))));
    SideBySide report = new Report(runs).sideBySide();
    assertThat(report.lines())
        .extracting(line -> line.bytes() + "; " + line.theirs().bytes())
        .containsExactly("0.50, by offer 0.25; 0.50, by offer 32.00");
    assertThat(textOf(report)).contains("0.50, by offer 0.25", "0.50, by offer 32.00");
  }

  @Test
  void read_whenMachinesAreTheSame_poolsSamples() throws IOException {
    fast("spsc-single", "millrace", 1, NEAR, 50e6);
    fast("spsc-single", "agrona", 1, NEAR, 10e6);
    List<Results> runs =
        Pooled.read(List.of(file("a.json", run(MACHINE, 1)), file("b.json", run(MACHINE, 2))));
    assertThat(new Report(runs).sideBySide().lines())
        .extracting(line -> line.ours().samples() + " " + line.theirs().samples())
        .containsExactly("2 2");
    assertThat(new Report(runs).sideBySide().origin().runs()).hasSize(2);
  }

  @Test
  void read_whenMachinesDiffer_namesWhatDiffers() throws IOException {
    Path a = file("a.json", run(MACHINE, 1));
    Path b = file("b.json", run(new Machine("cpu", "amd64", 64, "Linux", "VM 25"), 1));
    assertThatThrownBy(() -> Pooled.read(List.of(a, b)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "files must be of the same machine, versions and times: processors=2 in "
                + a
                + ", but 64 in "
                + b);
  }

  @Test
  void read_whenARunIsThereTwice_refusesIt() throws IOException {
    Path a = file("a.json", run(MACHINE, 1));
    Path copy = file("copy.json", run(MACHINE, 1));
    assertThatThrownBy(() -> Pooled.read(List.of(a, copy)))
        .hasMessage("files must be of different runs: file=" + copy);
  }

  private void fast(String work, String contender, int idle, double probe, double... perSecond) {
    for (double one : perSecond) {
      samples.add(
          new Sample(
              work,
              contender,
              1,
              idle,
              4,
              probe,
              probe,
              Measured.ofTraffic(one, 0.1, 0.2, 0.5),
              null));
    }
  }

  private void trips(String work, String contender, double p50, double p99) {
    for (int round = 1; round <= 2; round++) {
      samples.add(
          new Sample(
              work,
              contender,
              round,
              1,
              4,
              FAR,
              FAR,
              new Measured(0, 0, 0, 0, 0, 0, p50, p99, 2 * p99, null, 0, null),
              null));
    }
  }

  private Results run(Machine machine, long seed) {
    return run("targets", machine, seed);
  }

  private Results run(String form, Machine machine, long seed) {
    return new Results(
        form,
        "bench/compare " + form,
        "2026-11-21T10:00:00Z",
        seed,
        200,
        100,
        machine,
        List.of("-Xmx1g"),
        Map.of("Millrace", "1"),
        List.of(),
        List.copyOf(samples),
        List.of());
  }

  private SideBySide report() {
    return new Report(List.of(run(MACHINE, 1))).sideBySide();
  }

  private Path file(String name, Results run) throws IOException {
    Path file = directory.resolve(name);
    run.write(file);
    return file;
  }

  private String htmlOf(SideBySide report) throws IOException {
    return Files.readString(ReportFiles.write(report, directory.resolve("report")));
  }

  /** What a reader sees. */
  private String textOf(SideBySide report) throws IOException {
    return htmlOf(report)
        .replaceAll("(?s)<(style|script)[ >].*?</\\1>", " ")
        .replaceAll("<[^>]*>", " ")
        .replaceAll("\\s+", " ")
        .replaceAll(" ([,;])", "$1")
        .trim();
  }
}
