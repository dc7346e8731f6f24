package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.harness.CommandCalls;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Finds a server process that the command cannot start, feed or read, and an answer over HTTP that
 * it leaves unchecked.
 */
@Isolated // it starts processes that work at a rate
class ServeCommandTest extends CommandCalls {
  ServeCommandTest() {
    super(ServeCommand::new);
  }

  @Test
  void call_withBadUsage_saysWhatIsWrong() {
    assertRefused("--clients 0", "--clients must be in 1..1000: clients=0");
  }

  @Test
  void call_atLowRates_checksEveryAnswer(@TempDir Path folder) {
    String line = "--rate 1000 --queries 20 --seconds 1 --warm-up 0 --symbols 2 --clients 2 --out=";
    int code = execute((line + folder.resolve("serve.json")).split(" ", -1));
    assertThat(code).as(out + "\n" + err).isZero();
    assertThat(out.toString())
        .contains("|  | pipeline, no cache | pipeline | naive |\n")
        .containsPattern("\\| from the cache, % \\| 0\\.0 \\| [0-9.]+ \\|")
        .containsPattern("\\| collections \\| [0-9]+ \\|")
        .containsPattern("Checked: 66 answers with [0-9,]+ candles, 0 wrong, 0 errors");
  }
}
