package dev.millrace.bench.charts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.harness.CommandCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Finds a chart whose dots or bars are not where its figures are, a table with another figure or
 * ratio than the CSV file has, and a command that takes another file than the newest.
 */
class ChartCommandTest extends CommandCalls {
  private static final String LINES =
      """
      spsc-single,millrace,near,2,20000000,10000000,40000000
      spsc-single,jctools,near,2,40000000,20000000,80000000
      spsc-single,agrona,near,2,30000000,20000000,50000000
      spsc-single,millrace,far,1,8000000,8000000,8000000
      spsc-single,agrona,far,1,2000000,2000000,2000000
      spsc-single,agrona,moved,1,99000000,99000000,99000000
      """;

  private static final Pattern TEXT =
      Pattern.compile("<text textLength=\"([\\d.]+)\".*? x=\"([\\d.]+)\".*?>([^<]+)</text>");

  private static final Pattern DOT =
      Pattern.compile("<circle cx=\"([\\d.]+)\" cy=\"([\\d.]+)\".*fill=\"none\".*/>");

  private static final Pattern BAR =
      Pattern.compile("<line .*x1=\"([\\d.]+)\" x2=\"([\\d.]+)\" y1=\"([\\d.]+)\" y2=\"\\3\"/>");

  private static final Comparator<Double> WITHIN_A_PERCENT =
      (a, b) -> Math.abs(a - b) < 0.01 * b ? 0 : Double.compare(a, b);

  @TempDir private Path docs;

  ChartCommandTest() {
    super(ChartCommand::new);
  }

  @BeforeEach
  void makeFolder() throws IOException {
    Files.createDirectories(docs.resolve("figures"));
  }

  @Test
  void chart_hasADotForEachMedian_andABarFromTheLeastToTheMost() throws IOException {
    publish("2026-11-25", "quick", LINES);
    String svg = chart();

    DoubleUnaryOperator scale = scale(svg);
    List<MatchResult> dots =
        DOT.matcher(svg).results().filter(dot -> number(dot, 2) > 30).toList(); // below the legend
    assertThat(dots.stream().map(dot -> scale.applyAsDouble(number(dot, 1))))
        .usingElementComparator(WITHIN_A_PERCENT)
        .containsExactlyInAnyOrder(20.0, 40.0, 30.0, 8.0, 2.0);
    List<MatchResult> bars = BAR.matcher(svg).results().filter(bar -> isOfADot(bar, dots)).toList();
    assertThat(bars.stream().map(bar -> scale.applyAsDouble(number(bar, 1))))
        .usingElementComparator(WITHIN_A_PERCENT)
        .contains(10.0, 20.0, 20.0);
    assertThat(bars.stream().map(bar -> scale.applyAsDouble(number(bar, 2))))
        .usingElementComparator(WITHIN_A_PERCENT)
        .contains(40.0, 80.0, 50.0);
    assertThat(TEXT.matcher(svg).results().map(text -> text.group(3)))
        .contains("SPSC, one at a time", "million records a second (more is better)", "far cores");
  }

  /** What a place means, by the axis's own labels. */
  private static DoubleUnaryOperator scale(String svg) {
    double five = middle(svg, "5");
    double fifty = middle(svg, "50");
    return x -> 5 * Math.pow(10, (x - five) / (fifty - five));
  }

  private static double middle(String svg, String label) {
    return TEXT.matcher(svg)
        .results()
        .filter(text -> text.group(3).equals(label))
        .mapToDouble(text -> number(text, 2) + number(text, 1) / 2)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isOfADot(MatchResult bar, List<MatchResult> dots) {
    return dots.stream().anyMatch(dot -> Math.abs(number(dot, 2) - number(bar, 3)) < 0.1);
  }

  private static double number(MatchResult found, int group) {
    return Double.parseDouble(found.group(group));
  }

  @Test
  void table_hasMediansAndTheRatioToTheBestPeer() throws IOException {
    publish("2026-11-25", "quick", LINES);
    chart();
    assertThat(out.toString())
        .contains(
            """
            ![Records of 24 bytes between threads, by queue](charts/records.svg)\\
            2026-11-25, Some, 2 cores, JDK 25.0.3:\
             [`bench/compare quick --rounds 2`](figures/2026-11-25-quick.csv); 1 to 2 JVMs each

            | M/s, near / far cores | Millrace | Agrona | JCTools | ratio |
            |---|--:|--:|--:|--:|
            | SPSC, one at a time | 20.0 / 8.00 | 30.0 / 2.00 | 40.0 / – | **0.50** / ≤ 4.00 |
            """);
  }

  @Test
  void table_ofSeveralFiles_isOfTheNewestDay_andOfAllItsRuns() throws IOException {
    publish("2026-11-24", "quick", LINES);
    publish("2026-11-25", "quick", "spsc-single,millrace,near,1,6000000,6000000,6000000\n");
    publish("2026-11-25", "quick-2", "spsc-single,millrace,near,2,2000000,1000000,3000000\n");
    publish("2026-11-26", "quickly", LINES);
    chart();
    assertThat(out.toString())
        .contains("| SPSC, one at a time | 2.00 |\n", "; 3 JVMs each")
        .contains("2026-11-25-quick.csv", "2026-11-25-quick-2.csv")
        .doesNotContain("2026-11-24", "2026-11-26");
  }

  @Test
  void table_ofManyRowsAndFewContenders_hasRowsAsColumns() throws IOException {
    publish(
        "2026-11-25",
        "pipelines",
        Stream.of("1-1", "1-1-batch-10", "1-1-batch-100", "3-1", "steps")
            .map(
                work ->
                    """
                    stages-%1$s,millrace-stages,near,1,2000000,2000000,2000000
                    stages-%1$s,disruptor-stages,near,1,1000000,1000000,1000000
                    """
                        .formatted(work))
            .collect(Collectors.joining()));
    assertThat(execute("--docs", docs.toString(), "rings")).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("| M/s, near cores | one stage | one stage, batches of 10 |")
        .contains(
            """
            | RecordRing | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 |
            | Disruptor | 1.00 | 1.00 | 1.00 | 1.00 | 1.00 |
            | ratio | 2.00 | 2.00 | 2.00 | 2.00 | 2.00 |
            """);
  }

  @Test
  void page_getsTheTable_upToTheNextHeading() throws IOException {
    publish("2026-11-25", "quick", LINES);
    String before = "# Page\n\n## Records\n\nProse.\n\n";
    Path page =
        Files.writeString(
            docs.resolve("BENCHMARKS.md"),
            before + "![old](charts/records.svg)\n\n| old |\n\n## Next\n\n![](charts/log.svg)\n");
    chart();
    String once = Files.readString(page);
    assertThat(once)
        .startsWith(before + "![Records of 24 bytes between threads, by queue](charts/records.svg)")
        .contains("| **0.50** / ≤ 4.00 |\n\n## Next\n")
        .endsWith("\n## Next\n\n![](charts/log.svg)\n")
        .doesNotContain("old");
    chart();
    assertThat(page).hasContent(once);
  }

  @Test
  void page_withoutAPlaceForTheChart_isRefused() throws IOException {
    publish("2026-11-25", "quick", LINES);
    Files.writeString(docs.resolve("BENCHMARKS.md"), "# Page\n");
    assertThat(execute("--docs", docs.toString(), "records")).isEqualTo(2);
    assertThat(err.toString()).contains("no image in BENCHMARKS.md: ![...](charts/records.svg)");
  }

  @Test
  void topics_areThoseOfThePage() {
    assertRefused("record", "no such topic: record (topics: records, drop-in, ");
  }

  private String chart() throws IOException {
    assertThat(execute("--docs", docs.toString(), "records")).as(err.toString()).isZero();
    return Files.readString(docs.resolve("charts/records.svg"));
  }

  private void publish(String date, String name, String lines) throws IOException {
    String head =
        """
        # command: bench/compare quick --rounds 2 --warmup-ms 1000 --seed 1; started: %sT04:19:27Z;\
         processor: Some(R) Processor; processors: 2; jvm: OpenJDK 64-Bit Server VM 25.0.3+9-LTS
        work,contender,cores,samples,perSecond,perSecond least,perSecond most
        """
            .formatted(date);
    Files.writeString(docs.resolve("figures/%s-%s.csv".formatted(date, name)), head + lines);
  }
}
