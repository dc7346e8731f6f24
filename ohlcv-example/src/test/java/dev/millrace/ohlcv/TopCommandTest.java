package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.trace.JobView;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.tool.TopView;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ohlcv top} shows, of runs that have ended and of one that goes on. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TopCommandTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("run.telemetry");
  }

  @ParameterizedTest
  @ValueSource(strings = {"off-heap", "naive", "pipeline"})
  void afterARun_showsWhatItDid(String engine) {
    StringBuilder rows = new StringBuilder("time,price,volume,symbol\n");
    for (int i = 0; i < 3_000; i++) {
      rows.append(1_700_000_040 + 60 * i).append(",1").append(i % 10).append(".50,2,S\u0007Y\n");
    }
    rows.append("1700180040,-3,1,S\u0007Y\n1700180040,0.25,1,\n");
    candles(rows.toString(), engine);

    Cli cli = Cli.run("top", file.toString(), "--count", "1", "--records", "2");
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    List<String> lines = cli.lines().stream().map(line -> line.replaceAll(" +", " ")).toList();
    assertThat(lines.getFirst()).startsWith(file + ": process ");
    assertThat(lines)
        .contains(
            "candles counter 3,000",
            "rejected counter 2",
            "trades gauge 3,000",
            "latency, us seen p50 p99 max");
    assertThat(lines).anyMatch(line -> line.matches("placed 23( [0-9,]+\\.\\d){3}"));
    assertThat(lines).anyMatch(line -> line.matches("written [0-9,]+( [0-9,]+\\.\\d){3}"));
    int rejected = indexOf(lines, "rejected line symbol price volume why");
    assertThat(lines.get(rejected + 1))
        .matches("[0-9:.]{12} 3002 0 0 0 price must be a positive decimal: price=-3");
    assertThat(lines.get(rejected + 2))
        .matches("[0-9:.]{12} 3003 0.25 1 symbol must not be empty: symbol=");
    int closed = indexOf(lines, "closed candle (UTC) symbol open high low close volume trades");
    assertThat(lines.subList(closed + 2, lines.size())).hasSize(1);
    assertThat(lines.getLast())
        .matches("[0-9:.]{12} 2023-11-17 00:13 S\\\\u0007Y 19.5 19.5 19.5 19.5 2 1");
    assertThat(cli.out()).doesNotContain("\u001b", "\u0007");
  }

  private static int indexOf(List<String> lines, String head) {
    int index = 0;
    while (!lines.get(index).startsWith(head)) {
      index++;
    }
    return index;
  }

  @Test
  void amidARun_showsThatItGoesOn() throws Exception {
    PipedOutputStream rows = new PipedOutputStream();
    PipedInputStream input = new PipedInputStream(rows, 1 << 16);
    String[] arguments = {
      "candles", "--input", "-", "--window", "1", "--telemetry", file.toString()
    };
    CompletableFuture<Cli> job =
        CompletableFuture.supplyAsync(() -> Cli.runWithInput(input, arguments));
    try (rows) {
      rows.write("time,price,volume\n".getBytes(StandardCharsets.UTF_8));
      String shown = "";
      for (int minute = 0; !shown.contains("\nclosed "); minute++) {
        String row = (1_700_000_040 + 60 * minute) + ",1,1\n";
        rows.write(row.getBytes(StandardCharsets.UTF_8));
        rows.flush();
        shown = Cli.run("top", file.toString(), "--count", "1").out();
        assertThat(job).isNotDone();
      }
      assertThat(shown).contains(" is running, up 00:0");
    }
    assertThat(job.get(60, TimeUnit.SECONDS).exitCode()).isZero();
  }

  @Test
  void look_withAFewRows_keepsTheRecords() throws Exception {
    candles("time,price,volume\n1700000040,1,1\n1700000041,x,1\n", "off-heap");
    try (TelemetryReader reader = TelemetryReader.open(file);
        JobView view = new JobView(file, reader, new TopView.Options("", 3))) {
      List<String> lines = view.look(16);
      assertThat(lines).hasSize(16);
      assertThat(lines).anyMatch(line -> line.startsWith("and "));
      assertThat(lines.get(12)).endsWith("price must be a positive decimal: price=x");
      assertThat(lines.getLast()).contains("2023-11-14 22:14");
    }
  }

  @Test
  void telemetryOfAnother_hasItsCounters() throws Exception {
    try (Telemetry other = Telemetry.create(file, Telemetry.Options.defaults())) {
      other.counter("orders").add(7);
      Cli cli = Cli.run("top", file.toString(), "--count", "1", "--label", "ord");
      assertThat(cli.exitCode()).isZero();
      assertThat(cli.lines().getLast()).isEqualTo("orders  counter      7");
    }
  }

  @Test
  void badFile_isRefusedInOneLine() throws IOException {
    Cli none = Cli.run("top", file.toString());
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err()).isEqualTo("ohlcv top: " + file + ": there is no such file\n");
    Files.writeString(file, "time,price,volume\n");
    Cli other = Cli.run("top", file.toString());
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err()).startsWith("ohlcv top: " + file + ": ").hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "top",
        "top f g",
        "top f --interval 1",
        "top f --count -1",
        "top f --records 1001",
        "top f --nonsense"
      })
  void wrongUsage_exitsWith2(String arguments) {
    Cli cli = Cli.run(arguments.split(" ", -1));
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err()).startsWith("ohlcv top: ").hasLineCount(2);
  }

  private void candles(String rows, String engine) {
    Cli cli =
        Cli.runWithInput(
            rows,
            "candles",
            "--input",
            "-",
            "--engine",
            engine,
            "--on-error",
            "skip",
            "--telemetry",
            file.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
  }
}
