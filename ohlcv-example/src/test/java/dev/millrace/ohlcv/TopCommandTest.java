package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.trace.JobView;
import dev.millrace.telemetry.Telemetry;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.tool.TopView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a wrong count, records that a small terminal pushes out, and control characters of a symbol
 * that reach the terminal.
 */
final class TopCommandTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("run.telemetry");
  }

  @Test
  void afterARun_showsWhatItDid() throws Exception {
    StringBuilder rows = new StringBuilder("time,price,volume,symbol\n");
    for (int i = 0; i < 3_000; i++) {
      rows.append(1_700_000_040 + 60 * i).append(",1").append(i % 10).append(".50,2,S\u0007Y\n");
    }
    rows.append("1700180040,-3,1,S\u0007Y\n1700180040,0.25,1,\n");
    Cli.run(rows.toString(), "candles - --on-error skip --telemetry " + file).exits(0);

    Cli cli = Cli.run("top --count 1 --records 2 " + file).exits(0);
    List<String> lines = cli.lines().stream().map(line -> line.replaceAll(" +", " ")).toList();
    assertThat(lines.getFirst()).startsWith(file + ": process ");
    assertThat(lines).contains("candles counter 3,000", "rejected counter 2", "trades gauge 3,000");
    int rejected = lines.indexOf("rejected line price volume why it is in no candle");
    assertThat(lines.get(rejected + 1))
        .matches("[0-9:.]{12} 3002 0 0 price must be a positive decimal: price=-3");
    assertThat(lines.get(rejected + 2))
        .matches("[0-9:.]{12} 3003 0 0 symbol must not be empty: symbol=");
    int closed = lines.indexOf("closed candle (UTC) symbol open high low close volume trades");
    assertThat(lines.subList(closed + 2, lines.size())).hasSize(1);
    assertThat(lines.getLast())
        .matches("[0-9:.]{12} 2023-11-17T00:13:00Z S\\\\u0007Y 19.5 19.5 19.5 19.5 2 1");
    assertThat(cli.out()).doesNotContain("\u001b", "\u0007");

    try (TelemetryReader reader = TelemetryReader.open(file);
        JobView view = new JobView(file, reader, new TopView.Options("", 3))) {
      List<String> few = view.look(16); // the records stay, counters are left out
      assertThat(few).hasSize(16).anyMatch(line -> line.startsWith("and "));
      assertThat(few.getLast()).contains("2023-11-17T00:13:00Z");
    }
  }

  @Test
  void telemetryOfAnother_hasItsCounters() throws Exception {
    try (Telemetry other = Telemetry.create(file, Telemetry.Options.defaults())) {
      other.counter("orders").add(7);
      Cli cli = Cli.run("top --count 1 --label ord " + file).exits(0);
      assertThat(cli.lines().getLast()).isEqualTo("orders  counter      7");
    }
  }

  @Test
  void badFile_isRefusedInOneLine() throws IOException {
    assertThat(Cli.run("top " + file).exits(1).err())
        .isEqualTo("ohlcv top: " + file + ": there is no such file\n");
    Files.writeString(file, "time,price,volume\n");
    assertThat(Cli.run("top " + file).exits(1).err())
        .startsWith("ohlcv top: " + file + ": ")
        .hasLineCount(1);
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
    assertThat(Cli.run(arguments).exits(2).err()).startsWith("ohlcv top: ").hasLineCount(2);
  }
}
