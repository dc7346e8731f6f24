package dev.millrace.bench.articles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

// picocli drops the writer of setOut if System.out is another one when the command runs.
@ResourceLock(value = Resources.SYSTEM_OUT, mode = ResourceAccessMode.READ)
@Execution(CONCURRENT)
class CandleCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

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
    assertThat(execute(arguments.split(" ", -1))).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(out.toString()).isEmpty();
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
      assertThat(one.path("result").path("wrong").asInt(-1)).isZero();
    }
    assertThat(run)
        .containsExactlyInAnyOrder("off-heap true", "off-heap false", "naive true", "naive false");
    assertThat(json.path("machine").path("jvm").asText()).isNotEmpty();
  }

  private int execute(String... arguments) {
    return new CommandLine(new CandleCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
