package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.harness.Latencies;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Finds a published CSV file in which a row mixes samples of different settings, whose median,
 * least and most are of other samples, or whose percentiles are not those of a histogram.
 */
class FiguresCommandTest {
  @TempDir private Path folder;

  private final StringWriter err = new StringWriter();

  @Test
  void figures_ofRounds_areOfSamplesWithTheSameSettings() throws IOException {
    assertThat(
            figures(
                """
                {"command": "bench/compare quick", "started": "2026-11-25T04:19:27Z",
                 "machine": {"processors": 2},
                 "samples": [
                  {"work": "b", "contender": "x", "round": 1, "idle": 1, "slices": 4,
                   "probeBefore": 100, "probeAfter": 102, "measured": {"perSecond": 10, "p50": 0}},
                  {"work": "b", "contender": "x", "round": 2, "idle": 1, "slices": 4,
                   "probeBefore": 100, "probeAfter": 100, "measured": {"perSecond": 30, "p50": 0}},
                  {"work": "a", "contender": "x", "round": 1, "idle": 1, "slices": 2,
                   "probeBefore": 100, "probeAfter": 100, "measured": {"perSecond": 7, "p50": 0}},
                  {"work": "b", "contender": "x", "round": 3, "idle": 1, "slices": 4,
                   "probeBefore": 500, "probeAfter": 510, "measured": {"perSecond": 1.23456, "p50": 0}}]}
                """))
        .isEqualTo(
            """
            # command: bench/compare quick; started: 2026-11-25T04:19:27Z; processors: 2
            work,contender,idle,cores,samples,perSecond,perSecond least,perSecond most,\
            "round trip, ns","round trip, ns least","round trip, ns most"
            a,x,1,moved,1,7,7,7,100,100,100
            b,x,1,far,1,1.235,1.235,1.235,505,505,505
            b,x,1,near,2,20,10,30,100.5,100,101
            """);
  }

  @Test
  void figures_ofJmh_haveScoresAndIterations() throws IOException {
    assertThat(
            figures(
                """
                [{"benchmark": "dev.millrace.bench.a.Bench.read", "mode": "avgt", "threads": 2, "forks": 5,
                  "params": {"size": "8"},
                  "primaryMetric": {"score": 2.0, "scoreError": 0.5, "scoreUnit": "ns/op",
                   "scorePercentiles": {"0.0": 1.0, "50.0": 2.0, "99.0": 3.0}, "rawData": [[1.0, 3.0], [2.0]]},
                  "secondaryMetrics": {
                   "gc.alloc.rate": {"score": 9.0},
                   "gc.alloc.rate.norm": {"score": 56.0, "rawData": [[4.0]]}}}]
                """))
        .isEqualTo(
            """
            benchmark,mode,threads,size,scoreUnit,score,scoreError,scorePercentiles.50.0,\
            scorePercentiles.99.0,mean of iterations,least,most,gc.alloc.rate.norm.score
            a.Bench.read,avgt,2,8,ns/op,2,0.5,2,3,2,1,3,56
            """);
  }

  @Test
  void figures_ofCandles_havePercentilesOfTheirTimes() throws IOException {
    Histogram times = Latencies.newHistogram();
    for (int i = 1; i <= 1_000; i++) {
      times.recordValue(i);
    }
    String text = Latencies.encode(times);
    assertThat(
            figures(
                """
                {"samples": [
                  {"round": 1, "result": {
                    "trial": {"load": {"engine": "pipeline", "rate": 5}, "caches": true, "flags": ["-Xmx1g"]},
                    "cutShort": false, "queries": {"count": 1000, "perSecond": 10.0, "times": "%1$s"},
                    "behind": "%1$s"}}]}
                """
                    .formatted(text)))
        .isEqualTo(
            """
            engine,rate,caches,queries.count,queries.perSecond,"queries: p50, ns","queries: p90, ns",\
            "queries: p99, ns","queries: p99.9, ns","queries: p99.99, ns","queries: p100, ns",\
            behind: p50,behind: p90,behind: p99,behind: p99.9,behind: p99.99,behind: p100
            pipeline,5,true,1000,10,500,900,990,999,1000,1000,500,900,990,999,1000,1000
            """);
  }

  @Test
  void figures_withAName_areNamedByTheDayOfTheRun() throws IOException {
    String json =
        "{\"started\": \"2026-11-25T04:19:27Z\", \"samples\": [{\"work\": \"a\", \"p50\": 1}]}";
    assertThat(run(json, "--as", "quick")).as(err.toString()).isZero();
    assertThat(folder.resolve("figures/2026-11-25-quick.csv")).exists();
    assertThat(run("[{\"benchmark\": \"a\"}]", "--as", "jmh")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--as needs the day of the run, which is not in this file: ");
  }

  @Test
  void figures_ofAFileWithoutSamples_nameIt() throws IOException {
    assertThat(run("{\"samples\": []}")).isEqualTo(2);
    assertThat(err.toString()).contains("no samples in this file: ", "raw.json");
  }

  private String figures(String json) throws IOException {
    assertThat(run(json)).as(err.toString()).isZero();
    return Files.readString(folder.resolve("figures/raw.csv"));
  }

  private int run(String json, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("raw.json"), json);
    CommandLine command = Compare.command();
    command.setOut(new PrintWriter(new StringWriter()));
    command.setErr(new PrintWriter(err, true));
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addFirst("figures");
    arguments.addAll(List.of("--to", folder.resolve("figures").toString(), file.toString()));
    return command.execute(arguments.toArray(String[]::new));
  }
}
