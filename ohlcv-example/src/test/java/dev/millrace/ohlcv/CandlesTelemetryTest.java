package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.ohlcv.trace.CandleClosed;
import dev.millrace.ohlcv.trace.Latency;
import dev.millrace.ohlcv.trace.RejectedTrade;
import dev.millrace.telemetry.TelemetryReader;
import dev.millrace.telemetry.TraceReader;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ohlcv candles --telemetry} leaves, and that the candles do not depend on it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CandlesTelemetryTest {
  private static final String TOO_LARGE = "9223372036854775807";
  private static final String LATE = "time must be in the window of open candles: it is older";

  @TempDir private Path folder;

  static Stream<String> engines() {
    return Stream.concat(Cli.ENGINES.stream(), Stream.of("--shards 3"));
  }

  @ParameterizedTest
  @MethodSource("engines")
  void candles_withTelemetry_areTheSameAndTold(String engine) throws Exception {
    StringBuilder rows = new StringBuilder("time,price,volume,symbol\n");
    for (int i = 0; i < 6_000; i++) { // two candles of each symbol leave in every minute
      rows.append(1_700_000_040 + 20 * i).append(',').append(100 + i % 7).append(".5,0.25,");
      rows.append(i % 2 == 0 ? "ABC\n" : "XYZ\n");
    }
    rows.append("1700200000,-3,1,ABC\n"); // line 6,002
    rows.append("1700200000,1,x,NEW\n");
    rows.append("1700200000,1\n");
    rows.append("1700000040,7.5,3,XYZ\n"); // the window is past it
    // Has no sum with the one before, but in doubles.
    boolean isExact = !engine.equals("--engine naive");
    rows.append("1700200000,1,").append(isExact ? TOO_LARGE : "1").append(",ABC\n");
    rows.append("1700200001,1,").append(isExact ? "1e-30" : "x").append(",ABC\n");
    rows.append("1700200061,5,1,XYZ\n");

    Cli without = run(rows.toString(), engine);
    Path file = folder.resolve("run.telemetry");
    Cli with = run(rows.toString(), engine, "--telemetry", file.toString());
    assertThat(with.exitCode()).isEqualTo(without.exitCode()).isZero();
    assertThat(with.out()).isEqualTo(without.out());
    assertThat(withoutBatches(with.err())).isEqualTo(withoutBatches(without.err()));

    TracedRun run = TracedRun.read(file);
    assertThat(run.rejected())
        .containsExactly(
            "6002: 0 0.0 0.0 price must be a positive decimal: price=-3",
            "6003: -1 1.0 0.0 volume must be a decimal not below 0: volume=x",
            "6004: -1 0.0 0.0 row must have 4 fields as the first row: row=2 fields",
            "6005: 1 7.5 3.0 " + LATE,
            isExact
                ? "6007: 0 1.0 1.0E-30 sum of a candle must fit 128 bits: sum=volume"
                : "6007: 0 1.0 0.0 volume must be a decimal not below 0: volume=x");
    assertThat(run.closed()).isEqualTo(doubles(with.lines()));
    assertThat(run.counters())
        .containsEntry("trades", 6_002L)
        .containsEntry("candles", with.lines().size() - 1L)
        .containsEntry("rejected", 5L)
        .containsEntry("late", 1L);
    assertThat(run.counters()).allSatisfy(this::isNoFailure);
    assertThat(run.counters().keySet()).anyMatch(label -> label.matches("(queue|candles)\\..*"));
    assertThat(run.latencies().keySet()).containsExactly(Latency.PLACED, Latency.WRITTEN);
    assertThat(run.latencies().get(Latency.PLACED)).hasSizeBetween(20, 6_008 / 128);
    assertThat(run.latencies().values()).allSatisfy(one -> assertThat(one).allMatch(n -> n > 0));
  }

  @ParameterizedTest
  @MethodSource("engines")
  void rejectedTrade_thatStops_isTold(String engine) throws Exception {
    String rows = "time,price,volume\n1700000040,1,1\n1700000041,0,1\n1700000042,-1,1\n";
    Path file = folder.resolve("run.telemetry");
    List<String> arguments = arguments(engine, "--telemetry", file.toString());
    Cli cli = Cli.runWithInput(rows, arguments.toArray(String[]::new));
    assertThat(cli.exitCode()).isEqualTo(1);
    TracedRun run = TracedRun.read(file);
    assertThat(run.rejected())
        .containsExactly("3: -1 0.0 0.0 price must be a positive decimal: price=0");
    assertThat(run.closed()).isEmpty();
    assertThat(run.counters()).containsEntry("rejected", 1L).containsEntry("candles", 0L);
  }

  @Test
  void fill_isNoClosing() throws Exception {
    String rows = "time,price,volume\n1700000040,1,1\n1700000940,2,1\n";
    Path file = folder.resolve("run.telemetry");
    Cli cli = run(rows, "--fill previous", "--telemetry", file.toString());
    assertThat(cli.lines()).hasSize(1 + 16);
    assertThat(TracedRun.read(file).closed())
        .containsExactly(
            "1700000040000,1.0,1.0,1.0,1.0,1.0,1", "1700000940000,2.0,2.0,2.0,2.0,1.0,1");
  }

  @Test
  void aFormerRun_isReplaced() throws Exception {
    Path file = folder.resolve("run.telemetry");
    String rows = "time,price,volume\n1700000040,1,1\n";
    run(rows, "", "--telemetry", file.toString());
    run(rows, "", "--telemetry", file.toString());
    assertThat(TracedRun.read(file).counters()).containsEntry("trades", 1L);
  }

  /** The job cannot end before it is seen at work, for its input has not. */
  @ParameterizedTest
  @ValueSource(strings = {"", "--engine naive", "--engine pipeline"})
  void runningJob_isSeenByAReader(String engine) throws Exception {
    Path file = folder.resolve("run.telemetry");
    List<String> arguments = arguments(engine, "--on-error", "skip", "--window", "2");
    arguments.addAll(List.of("--telemetry", file.toString()));
    PipedOutputStream rows = new PipedOutputStream();
    PipedInputStream input = new PipedInputStream(rows, 1 << 16);
    CompletableFuture<Cli> job =
        CompletableFuture.supplyAsync(
            () -> Cli.runWithInput(input, arguments.toArray(String[]::new)));
    try (rows) {
      write(rows, "time,price,volume\n");
      for (int minute = 0; !isSeen(file); minute++) {
        write(rows, (1_700_000_040 + 60 * minute) + ",1,1\n1,x,1\n");
        assertThat(job).isNotDone();
      }
    }
    assertThat(job.get(60, TimeUnit.SECONDS).exitCode()).isZero();
  }

  private static void write(PipedOutputStream rows, String text) throws IOException {
    rows.write(text.getBytes(StandardCharsets.UTF_8));
    rows.flush();
  }

  private static boolean isSeen(Path file) {
    TracedRun run;
    try {
      run = TracedRun.read(file);
    } catch (IOException e) { // not yet there, or half made
      return false;
    }
    return !run.rejected().isEmpty()
        && run.closed().size() > 2
        && run.latencies().containsKey(Latency.PLACED)
        && run.counters().get("trades") > 0;
  }

  /**
   * More records than the log keeps, read as they come: each is whole, and none unaccounted for.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "--engine pipeline --parsers 2 --shards 2"})
  void readerBesideAJob_accountsForAllRecords(String engine) throws Exception {
    StringBuilder rows = new StringBuilder("time,price,volume,symbol\n");
    for (int i = 0; i < 40_000; i++) { // a candle for each row
      rows.append(1_700_000_040 + 60 * i).append(',').append(1 + i % 1_000).append(",1,S\n");
      rows.append(i % 4 == 0 ? "1,x,1,S\n" : "");
    }
    Path file = folder.resolve("run.telemetry");
    CompletableFuture<Cli> job =
        CompletableFuture.supplyAsync(
            () -> run(rows.toString(), engine, "--telemetry", file.toString()));
    try (TelemetryReader reader = openOnceThere(file, job);
        TraceReader trace = reader.newTraceReader()) {
      RejectedTrade trade = trace.newView(RejectedTrade.TYPE);
      CandleClosed candle = trace.newView(CandleClosed.TYPE);
      boolean isOver = false;
      while (!isOver) {
        isOver = job.isDone(); // before the last look
        while (trace.tryPoll()) {
          if (trace.type().equals(CandleClosed.NAME)) {
            long minute = (candle.openMillis() / 1_000 - 1_700_000_040) / 60;
            assertThat(candle.close()).isEqualTo((double) (1 + minute % 1_000));
            assertThat(trace.text()).isEqualTo("S");
          } else if (trace.type().equals(RejectedTrade.NAME)) {
            assertThat(trace.text()).isEqualTo("price must be a positive decimal: price=x");
            assertThat(trade.line() % 5).isEqualTo(3);
          }
        }
      }
      assertThat(job.join().exitCode()).isZero();
      assertThat(trace.unfinishedCount()).isZero();
      assertThat(trace.readCount() + trace.lostCount() + trace.refusedCount())
          .isEqualTo(reader.traceClaimedCount())
          .isGreaterThan(50_000);
    }
  }

  private static TelemetryReader openOnceThere(Path file, CompletableFuture<Cli> job)
      throws IOException {
    while (true) {
      boolean isLast = job.isDone();
      try {
        return TelemetryReader.open(file);
      } catch (IOException e) { // not yet, or half made
        if (isLast) {
          throw e;
        }
        Thread.onSpinWait();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"off-heap", "naive", "pipeline"})
  void realTrades_closeAsManyCandlesAsAreWritten(String engine) throws Exception {
    Path file = folder.resolve("run.telemetry");
    Path trades = data().resolve("binance/usdm_BTCUSDT_2020-02-22_trades_tardis.csv");
    Cli cli = realCandles(trades, engine, file);
    TracedRun run = TracedRun.read(file);
    assertThat(run.closed()).hasSize(cli.lines().size() - 1).hasSize(126);
    assertThat(run.closed()).allMatch(line -> line.endsWith(",BTCUSDT"));
    assertThat(run.rejected()).isEmpty();
    assertThat(run.counters()).containsEntry("trades", 9_999L).containsEntry("candles", 126L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"off-heap", "naive", "pipeline"})
  void realBars_tellEachThatIsUnsound(String engine) throws Exception {
    Path file = folder.resolve("run.telemetry");
    Path bars = data().resolve("daily/World-Stock-Prices-Dataset_2023-09-20_slice.csv");
    Cli cli = realCandles(bars, engine, file);
    TracedRun run = TracedRun.read(file);
    assertThat(run.rejected()).hasSize(159);
    assertThat(run.rejected())
        .filteredOn(text -> text.contains("Open must be in the day's low"))
        .hasSize(1);
    assertThat(run.accountedFor()).isGreaterThan(cli.lines().size() + 158L);
    assertThat(run.counters()).containsEntry("rejected", 159L);
  }

  @Test
  void telemetry_thatCannotBe_isWrongUsage() throws Exception {
    Path other = Files.writeString(folder.resolve("notes.txt"), "mine");
    Cli cli = Cli.run("candles", "--telemetry", other.toString());
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.err())
        .startsWith("ohlcv candles: --telemetry must be a file that can be made: --telemetry=")
        .hasLineCount(2);
    assertThat(Files.readString(other)).isEqualTo("mine");
    assertThat(Cli.run("candles", "--telemetry", "/no/such/folder/file").exitCode()).isEqualTo(2);
    Cli same = Cli.run("candles", "--output", "x/../out.csv", "--telemetry", "out.csv");
    assertThat(same.exitCode()).isEqualTo(2);
    assertThat(same.err())
        .contains(
            "--telemetry must be another file than --output: --telemetry=out.csv,"
                + " --output=x/../out.csv");
  }

  private static Path data() {
    String folder = System.getProperty("millrace.data", "");
    assumeTrue(!folder.isBlank(), "no market data: give its folder by -Dmillrace.data=FOLDER");
    return Path.of(folder);
  }

  private static Cli realCandles(Path input, String engine, Path telemetry) {
    Cli cli =
        Cli.run(
            "candles",
            "--input",
            input.toString(),
            "--engine",
            engine,
            "--format",
            "csv",
            "--on-error",
            "skip",
            "--telemetry",
            telemetry.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    return cli;
  }

  private static Cli run(String rows, String engine, String... options) {
    List<String> arguments = arguments(engine, options);
    arguments.addAll(List.of("--on-error", "skip", "--window", "2"));
    return Cli.runWithInput(rows, arguments.toArray(String[]::new));
  }

  private static List<String> arguments(String engine, String... options) {
    List<String> arguments = new ArrayList<>(List.of("candles", "--input", "-", "--format", "csv"));
    arguments.addAll(engine.isEmpty() ? List.of() : List.of(engine.split(" ", -1)));
    arguments.addAll(List.of(options));
    return arguments;
  }

  /** How many rows a stage was given at a time is never the same. */
  private static List<String> withoutBatches(String summary) {
    return summary.lines().filter(line -> !line.startsWith("rows by stage")).toList();
  }

  /** Lines of CSV with each price and volume as a double is printed. */
  private static List<String> doubles(List<String> csv) {
    List<String> lines = new ArrayList<>();
    for (String line : csv.subList(1, csv.size())) {
      String[] fields = line.split(",", -1);
      for (int i = 1; i <= 5; i++) {
        fields[i] = String.valueOf(Double.parseDouble(fields[i]));
      }
      lines.add(String.join(",", fields));
    }
    return lines;
  }

  private void isNoFailure(String label, long value) {
    if (label.endsWith(".sampleFailures")) {
      assertThat(value).as(label).isZero();
    }
  }
}
