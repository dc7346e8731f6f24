package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a candle, a rejected row or a counter that {@code --telemetry} leaves out or tells twice,
 * and candles that change when it is on.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CandlesTelemetryTest {
  private static final String OPTIONS = "candles - --format csv --on-error skip --window 2 ";

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("run.telemetry");
  }

  static Stream<String> engines() {
    return Cli.ENGINES.stream();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void candles_withTelemetry_areTheSameAndTold(String engine) throws Exception {
    StringBuilder rows = new StringBuilder("time,price,volume,symbol\n");
    for (int i = 0; i < 6_000; i++) { // two candles of each symbol leave in every minute
      rows.append(1_700_000_040 + 20 * i).append(',').append(100 + i % 7).append(".5,0.25,");
      rows.append(i % 2 == 0 ? "ABC\n" : "XYZ\n");
    }
    // Line 6,002 and those after it; the sum of the last two large ones does not fit.
    rows.append("1700200000,-3,1,ABC\n1700200000,1,x,NEW\n1700200000,1\n");
    rows.append("1700000040,7.5,3,XYZ\n1700200000,1,9223372036854775807,ABC\n");
    rows.append("1700200001,1,1e-30,ABC\n1700200061,5,1,XYZ\n");

    Cli without = Cli.run(rows.toString(), OPTIONS + engine).exits(0);
    String traced = OPTIONS + engine + " --telemetry " + file();
    assertThat(Cli.run(rows.toString(), traced)).isEqualTo(without);
    TracedRun run = TracedRun.read(file());
    assertThat(run.rejected())
        .containsExactlyInAnyOrder(
            "6002: 0.0 0.0 price must be a positive decimal: price=-3",
            "6003: 0.0 0.0 volume must be a decimal not below 0: volume=x",
            "6004: 0.0 0.0 row must have 4 fields as the first row: row=2 fields",
            "6005: 7.5 3.0 time must be in the window of open candles: it is older",
            "6007: 1.0 1.0E-30 sum of a candle must fit 128 bits: sum=volume");
    assertThat(run.closed())
        .isEqualTo(without.lines().stream().skip(1).map(this::doubles).toList());
    assertThat(run.counters())
        .containsEntry("trades", 6_002L)
        .containsEntry("candles", without.lines().size() - 1L)
        .containsEntry("rejected", 5L)
        .containsEntry("late", 1L)
        .allSatisfy((label, value) -> assertThat(label.endsWith("Failures") ? value : 0).isZero());
    assertThat(run.counters().keySet()).anyMatch(label -> label.matches("(queue|candles)\\..*"));

    // The next run replaces it, and ends by a bad row.
    String bad = "time,price,volume\n1700000040,1,1\n1700000041,0,1\n1700000042,-1,1\n";
    Cli.run(bad, traced.replace("skip", "stop")).exits(1);
    TracedRun stopped = TracedRun.read(file());
    assertThat(stopped.rejected())
        .containsExactly("3: 0.0 0.0 price must be a positive decimal: price=0");
    assertThat(stopped.closed()).isEmpty();
  }

  /** A line of CSV with each price and volume as a double is printed. */
  private String doubles(String line) {
    String[] fields = line.split(",", -1);
    for (int i = 1; i <= 5; i++) {
      fields[i] = String.valueOf(Double.parseDouble(fields[i]));
    }
    return String.join(",", fields);
  }

  @Test
  void fill_isNoClosing() throws Exception {
    String rows = "time,price,volume\n1700000040,1,1\n1700000940,2,1\n";
    Cli cli = Cli.run(rows, OPTIONS + "--fill previous --telemetry " + file());
    assertThat(cli.lines()).hasSize(1 + 16);
    assertThat(TracedRun.read(file()).closed())
        .containsExactly(
            "1700000040000,1.0,1.0,1.0,1.0,1.0,1", "1700000940000,2.0,2.0,2.0,2.0,1.0,1");
  }

  /** The job cannot end before it is seen at work, for its input has not. */
  @ParameterizedTest
  @MethodSource("engines")
  void runningJob_isSeenByReaderAndTop(String engine) throws Exception {
    PipedOutputStream rows = new PipedOutputStream();
    PipedInputStream input = new PipedInputStream(rows, 1 << 16);
    CompletableFuture<Cli> job =
        CompletableFuture.supplyAsync(
            () -> Cli.run(input, 0, OPTIONS + engine + " --telemetry " + file()));
    try (rows) {
      rows.write("time,price,volume\n".getBytes(StandardCharsets.UTF_8));
      String shown = "";
      for (int minute = 0; !shown.contains("\nrejected ") || !shown.contains("\nclosed "); ) {
        String text = (1_700_000_040 + 60 * minute++) + ",1,1\n1,x,1\n";
        rows.write(text.getBytes(StandardCharsets.UTF_8));
        rows.flush();
        shown = Cli.run("top --count 1 " + file()).out();
        assertThat(job).isNotDone();
      }
      assertThat(shown).contains(" is running, up 00:0");
    }
    job.get(60, TimeUnit.SECONDS).exits(0);
  }

  @ParameterizedTest
  @MethodSource("engines")
  void realData_isToldAsItIsWritten(String engine) throws Exception {
    Path trades = Cli.data("binance/usdm_BTCUSDT_2020-02-22_trades_tardis.csv");
    Path bars = Cli.data("daily/World-Stock-Prices-Dataset_2023-09-20_slice.csv");
    for (Path input : List.of(trades, bars)) {
      Cli cli =
          Cli.run(
                  "candles --format csv --on-error skip --telemetry %s %s %s"
                      .formatted(file(), input, engine))
              .exits(0);
      TracedRun run = TracedRun.read(file());
      assertThat(run.counters())
          .containsEntry("candles", cli.lines().size() - 1L)
          .containsEntry("rejected", input.equals(bars) ? 159L : 0L);
      assertThat(run.closed()).hasSize(cli.lines().size() - 1);
      assertThat(run.rejected())
          .hasSize(input.equals(bars) ? 159 : 0)
          .filteredOn(text -> text.contains("Open must be in the day's low"))
          .hasSize(input.equals(bars) ? 1 : 0);
    }
  }

  @Test
  void telemetry_overAnotherFile_isWrongUsage() throws Exception {
    Path other = Files.writeString(folder.resolve("notes.txt"), "mine");
    assertThat(Cli.run("candles --telemetry " + other).exits(2).err())
        .startsWith("ohlcv candles: --telemetry must be a file that can be made: --telemetry=")
        .hasLineCount(2);
    assertThat(other).hasContent("mine");
  }
}
