package dev.millrace.ohlcv.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
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
class LoadCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource({
    "--rate 0, --rate must be in 1..10000000: rate=0",
    "--queries -1, --queries must be in 1..1000000: queries=-1",
    "--seconds 0, --seconds must be in 1..86400: seconds=0",
    "--warm-up -1, --warm-up must be in 0..3600: warm-up=-1",
    "--threads 2, --threads must be in 3..1024: threads=2",
    "--symbols 1001, --symbols must be in 1..1000: symbols=1001",
    "--seconds 86400, --rate times seconds must be at most 500000000: trades=4320250000",
    "--compare --engine naive, '--compare runs both engines, off-heap and naive: --engine=naive'",
    "--seed x, Invalid value for option '--seed': 'x' is not a long",
    "--engine disruptor, Invalid value for option '--engine'",
    "--format csv, 'Unknown options: ''--format'', ''csv'''",
  })
  void call_withBadUsage_saysWhatIsWrong(String arguments, String message) {
    assertThat(execute(arguments)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void call_withCompare_runsBothAndShowsThemSideBySide() {
    int code =
        execute("--compare --rate 1000 --queries 50 --seconds 1 --warm-up 0 --threads 3 --seed 9");
    assertThat(code).as(err.toString()).isZero();
    assertThat(out.toString())
        .containsPattern("off-heap +naive +ratio\n")
        .containsPattern("trades/s, of 1,000 ")
        .containsPattern("query p99.99, us ")
        .containsPattern("answers checked +60 +60\n")
        .containsPattern("wrong answers +0 +0\n");
  }

  private int execute(String arguments) {
    return new CommandLine(new LoadCommand(0))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.split(" ", -1));
  }
}
