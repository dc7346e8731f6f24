package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.harness.CommandCalls;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pauses.Pause;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a ratio of the article's tables that is upside down, a figure of the wrong engine, and a
 * trial that the command leaves out.
 */
class TablesCommandTest extends CommandCalls {
  private final CandleTables tables = new CandleTables(new ArrayList<>(), 2);
  private long wrong;

  TablesCommandTest() {
    super(TablesCommand::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seconds 0 | --seconds must be in 1..86400: seconds=0",
        "--warm-up -1 | --warm-up must be in 0..3600: warm-up=-1",
        "--flat-out-seconds 601 | --flat-out-seconds must be in 1..600: flat-out-seconds=601",
        "--rounds 0 | --rounds must be in 1..1000: rounds=0",
        "--threads 1,0 | --threads must be in 1..1023: threads=0",
        "--threads 2,4,2 | --threads must differ from each other: threads=[2, 4, 2]",
        "--threads x | 'x' is not an int",
        "--seconds 86400 | --rate times seconds must be at most 500000000: trades=4320250000",
        "--engine naive | Unknown options: '--engine', 'naive'",
      })
  void call_withBadUsage_saysWhatIsWrong(String arguments, String message) {
    assertRefused(arguments, message);
  }

  @Test
  void call_short_runsBothFlatOutAndPaced(@TempDir Path folder) throws Exception {
    int code =
        execute(
            "--seconds=1",
            "--flat-out-seconds=1",
            "--warm-up=0",
            "--rounds=1",
            "--threads=1",
            "--rate=1000",
            "--queries=50",
            "--symbols=1",
            "--heap=256",
            "--out=" + folder.resolve("new/tables.json"));
    assertThat(code).as(err.toString()).isZero();
    assertThat(out.toString())
        .containsPattern("\\| 1 (\\(\\*\\) )?\\| [0-9,]+ \\| [0-9,]+ \\| [0-9.]+ \\| - \\|")
        .containsPattern("\\| write p99\\.9 \\| [0-9,.]+ \\| [0-9,.]+ \\| [0-9.]+ \\| - \\|");
    assertThat(folder.resolve("new/tables.md")).hasContent(out.toString());
    JsonNode json = new ObjectMapper().readTree(folder.resolve("new/tables.json").toFile());
    Set<String> run = new HashSet<>();
    for (JsonNode one : json.path("samples")) {
      JsonNode settings = one.path("result").path("settings");
      run.add(settings.path("engine").asText() + " " + settings.path("paced").asBoolean());
      assertThat(one.path("result").path("checked").path("wrong").asInt(-1)).isZero();
    }
    assertThat(run)
        .containsExactlyInAnyOrder("off-heap true", "off-heap false", "naive true", "naive false");
    assertThat(json.path("machine").path("jvm").asText()).isNotEmpty();
  }

  // ---- the tables ----

  @Test
  void tables_ofOneRound_ratiosAboveOneAreBetterForOffHeap() {
    round(1);
    assertThat(tables.markdown())
        .contains("| 1 | 4,000,000 | 1,000,000 | 4.00 | - | 900 | 900 |\n")
        .contains("| 8 (*) | 4,000,000 | 1,000,000 | 4.00 | - | 900 | 900 |\n")
        .contains("| trades/s | 50,000.0 | 50,000.0 | 1.00 | - |\n")
        .contains("| write p50 | 1.0 | 2.0 | 2.00 | - |\n")
        .contains("| query p99.99 | 5.0 | 10.0 | 2.00 | - |\n")
        .contains("| query max | 6.0 | 12.0 | 2.00 | - |\n")
        .contains("| collections | 0 | 30 | - | - |\n")
        .contains("| pauses in all, ms | 0.00 | 924.00 | - | - |\n")
        .contains("| young collections a minute | 0.0 | 28.0 | - | - |\n")
        .contains("| old collections a minute | 0.0 | 2.0 | - | - |\n")
        .contains("| a young pause: mean, ms | 0.00 | 15.00 | - | - |\n")
        .contains("| an old pause: mean, ms | 0.00 | 126.00 | - | - |\n")
        .contains("| objects made a minute, thousands | 60 | 3,000 | 50.0 | - |\n")
        .contains("| longest, ms | 0.00 | 126.00 | - | - |\n")
        .contains("| share of the time, % | 0.000 | 1.540 | - | - |\n")
        .contains("| allocated, MB/s | 1.00 | 50.00 | 50.0 | - |\n")
        .contains("| held in all, MB | 3.00 | 12.00 | 4.00 | - |\n")
        .endsWith("Checked: 600 answers with 6,000 candles, 0 wrong; runs ended undone: 0\n");
  }

  @Test
  void tables_ofTwoRounds_givesMediansAndIntervals() {
    round(1);
    round(2);
    assertThat(tables.markdown())
        .containsPattern("\\| 1 \\| 6,000,000 \\| 1,500,000 \\| 4\\.00 \\| [0-9.]+ to [0-9.]+ \\|");
  }

  @Test
  void tables_ofEnoughProcessors_marksNothing() {
    round(1);
    assertThat(new CandleTables(tables.results(), 9).markdown()).doesNotContain("8 (*)");
  }

  @Test
  void tables_ofWrongAnswers_showOne() {
    wrong = 3;
    round(1);
    assertThat(tables.markdown())
        .contains("\nnaive, flat out, threads: 8, a wrong answer: got another\n")
        .contains("\nnaive, flat out, threads: 8: ended undone after twice the time\n");
  }

  /** In each the naive engine is at 4, 2 or 50 times the other's cost. */
  private void round(int round) {
    for (CandleContender engine : CandleContender.COMPARED) {
      LoadSettings paced = new LoadSettings(engine, 50_000, 1_000, 60, 5, 8, 1, 10, true);
      add(round, paced);
      add(round, paced.flatOut(8, 10));
      add(round, paced.flatOut(1, 10));
    }
  }

  private void add(int round, LoadSettings settings) {
    boolean ours = settings.engine() == CandleContender.OFF_HEAP;
    LoadResult.Rate paced = rate(settings.paced() ? 50_000 : 900, ours ? 1_000 : 2_000);
    LoadResult.Rate writes =
        settings.paced()
            ? paced
            : new LoadResult.Rate(1, round * (ours ? 4_000_000 : 1_000_000), null);
    LoadResult.Memory memory =
        new LoadResult.Memory(
            60_000,
            ours ? 0 : 30,
            ours ? List.of() : pauses(),
            (ours ? 1_000_000L : 50_000_000L) * settings.seconds(),
            ours ? 60_000 : 3_000_000,
            new HeldMemory(ours ? 1_000_000 : 12_000_000, ours ? 2_000_000 : 0));
    AnswerChecker.Result checked = new AnswerChecker.Result(100, 1_000, wrong, "got another");
    LoadResult result = new LoadResult(settings, wrong > 0, writes, paced, 0, memory, 1, checked);
    tables.results().add(result);
  }

  /** Of 28 young collections a pause of 15 ms each, and of two old ones two of 126 ms each. */
  private static List<Pause> pauses() {
    List<Pause> pauses = new ArrayList<>();
    for (int i = 0; i < 28; i++) {
      pauses.add(new Pause(i, 15, i, false));
    }
    for (int i = 28; i < 32; i++) {
      pauses.add(new Pause(i, 126, 28 + i % 2, true));
    }
    return pauses;
  }

  /** Percentiles are one, two, three, four and five times so long, and the longest six times. */
  private static LoadResult.Rate rate(double perSecond, long nanos) {
    Histogram times = Latencies.newHistogram();
    List<Integer> counts = List.of(50_000, 40_000, 9_000, 900, 90, 10);
    for (int i = 0; i < counts.size(); i++) {
      times.recordValueWithCount((i + 1) * nanos, counts.get(i));
    }
    return new LoadResult.Rate(1, perSecond, Latencies.encode(times));
  }
}
