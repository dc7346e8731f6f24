package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.bench.harness.CommandCalls;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds a limit of an option that is not checked, an option that never reaches the JVM that is
 * measured, and an engine that is missing from the table.
 */
class LoadCommandTest extends CommandCalls {
  LoadCommandTest() {
    super(CandlesCommand::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rate 0 | --rate must be in 1..10000000: rate=0",
        "--queries -1 | --queries must be in 1..1000000: queries=-1",
        "--seconds 0 | --seconds must be in 1..86400: seconds=0",
        "--warm-up -1 | --warm-up must be in 0..3600: warm-up=-1",
        "--threads 2 | --threads must be in 3..1024: threads=2",
        "--symbols 1001 | --symbols must be in 1..1000: symbols=1001",
        "--heap 0 | --heap must be in 1..1048576: heap=0",
        "--seconds 86400 | --rate times seconds must be at most 500000000: trades=4320250000",
        "--compare --engine naive | --compare runs both engines, off-heap and naive:"
            + " --engine=naive",
        "--seed x | Invalid value for option '--seed': 'x' is not a long",
        "--engine disruptor | Invalid value for option '--engine'",
        "--format csv | Unknown options: '--format', 'csv'",
      })
  void call_withBadUsage_saysWhatIsWrong(String arguments, String message) {
    assertRefused("load " + arguments, message);
  }

  @Test
  void call_withCompare_runsBothAndShowsThemSideBySide(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("load.json");
    int code =
        execute(
            "load",
            "--compare",
            "--rate=1000",
            "--queries=50",
            "--seconds=1",
            "--warm-up=0",
            "--threads=3",
            "--symbols=1",
            "--heap=256",
            "--seed=9",
            "--out=" + file);
    assertThat(code).as(out + "\n" + err).isZero();
    assertThat(out.toString())
        .startsWith("Fixed rate: 1,000 trades and 50 queries a second for 1 s, of 1 symbols;")
        .contains("|  | off-heap | naive | ratio | 95 % |\n")
        .doesNotContain("flat out")
        .containsPattern("\\| query p99\\.99 \\|( [0-9,.]+ \\|){3} - \\|")
        .containsPattern("Checked: 102 answers with [0-9,]+ candles, 0 wrong;");
    JsonNode samples = new ObjectMapper().readTree(file.toFile()).path("samples");
    assertThat(samples).hasSize(2);
    for (JsonNode one : samples) {
      assertThat(one.path("result").path("checked").path("answers").asInt()).isEqualTo(50 + 1);
      assertThat(one.path("result").path("checked").path("wrong").asInt(-1)).isZero();
    }
  }

  @Test
  void call_withoutCompare_showsOneEngine(@TempDir Path folder) {
    String line =
        "load --engine pipeline --rate 1000 --queries 50 --seconds 1 --warm-up 0 --threads 3"
            + " --symbols 1 --heap 256 --out=";
    int code = execute((line + folder.resolve("load.json")).split(" ", -1));
    assertThat(code).as(out + "\n" + err).isZero();
    assertThat(out.toString())
        .contains("|  | pipeline |\n")
        .containsPattern("\\| write p99\\.9 \\| [0-9,.]+ \\|\n");
  }
}
