package dev.millrace.ohlcv.programs;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.log.LogOptions;
import dev.millrace.queues.log.LogProducer;
import dev.millrace.queues.log.LogReader;
import dev.millrace.queues.log.MessageLog;
import dev.millrace.testkit.OtherJvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds an example program that no longer prints what it should, loses a committed trade when it is
 * killed, or outgrows its page. Those that die or are killed run in processes of their own.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProgramsTest {
  private static List<String[]> rows;

  @TempDir private Path folder;

  private interface Program {
    void run(String[] arguments) throws Exception;
  }

  /** A process that has ended, and what it printed. */
  private record Ended(int exitCode, List<String> lines) {}

  @BeforeAll
  static void readRows() throws IOException {
    try (InputStream csv = ProgramsTest.class.getResourceAsStream("trades.csv")) {
      String text = new String(csv.readAllBytes(), StandardCharsets.UTF_8);
      rows = text.lines().skip(2).map(row -> row.split(",", -1)).toList();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Queue, 80",
    "Messages, 80",
    "Pipeline, 80",
    "Telemetry, 80",
    "History, 80",
    "Log, 80",
    "Cache, 80",
    "Trading, 200"
  })
  void program_isOneShortFile(String name, int mostLines) throws IOException {
    String file = "src/main/java/dev/millrace/ohlcv/programs/" + name + "Program.java";
    List<String> lines = Files.readAllLines(Path.of(file));
    assertThat(lines).hasSizeLessThanOrEqualTo(mostLines);
    assertThat(lines).noneMatch(line -> line.startsWith("import dev.millrace.ohlcv"));
  }

  @Test
  void queue_makesHourlyCandles() throws Exception {
    assertThat(lines(QueueProgram::main))
        .containsExactly(
            "2013-11-25T00:00:00Z 800.01 808.00 799.75 805.99",
            "2013-11-25T01:00:00Z 808.00 809.90 800.00 803.50",
            "2013-11-25T02:00:00Z 803.50 819.90 803.00 816.00",
            "2013-11-25T03:00:00Z 816.00 819.89 805.82 807.20",
            "2013-11-25T04:00:00Z 807.21 819.89 800.00 802.35",
            "2013-11-25T05:00:00Z 802.35 807.44 790.03 802.06",
            "2013-11-25T06:00:00Z 802.05 803.00 791.02 799.00",
            "2013-11-25T07:00:00Z 796.04 819.90 796.01 817.33",
            "2013-11-25T08:00:00Z 816.90 825.00 810.00 820.00");
  }

  @Test
  void messages_ofEachThread_areWrittenInOrder() throws Exception {
    Map<String, List<String>> written =
        lines(MessagesProgram::main).stream().collect(groupingBy(line -> line.substring(0, 8)));

    Map<String, List<String>> expected = new HashMap<>();
    for (int i = 0; i < 4; i++) {
      String name = "thread " + i;
      List<String> its = new ArrayList<>();
      for (String[] row : rows.subList(839 * i, 839 * (i + 1))) {
        if (Double.parseDouble(row[2]) >= 20) {
          its.add(name + ": " + row[2] + " coins at " + row[1]);
        }
      }
      assertThat(its).hasSizeGreaterThan(1);
      its.add(name + ": 839 trades");
      expected.put(name, its);
    }
    assertThat(written).isEqualTo(expected);
  }

  @Test
  void pipeline_addsUpWhatTwoThreadsValued() throws Exception {
    assertThat(lines(PipelineProgram::main))
        .containsExactly(
            "trades: ended, claimed 3356, free 1024 of 1024",
            "├─ value x2 shared, lag 0, processed 3356",
            "│  └─ turnover, lag 0, processed 3356",
            "└─ largest, lag 0, processed 3356",
            "largest 87.30, turnover 2489124.64");
  }

  @Test
  void telemetry_hasTheCountTheLastPriceAndTheLargeTrades() throws Exception {
    List<String> expected = new ArrayList<>(List.of("trades: 3356", "last price in cents: 82000"));
    for (String[] row : rows) {
      double volume = Double.parseDouble(row[2]);
      if (volume >= 20) {
        expected.add("large: " + volume + " coins at " + Double.parseDouble(row[1]));
      }
    }
    assertThat(expected).hasSize(17);
    assertThat(lines(TelemetryProgram::main)).isEqualTo(expected);
  }

  @Test
  void history_averagesTheLatestTradesAtAnyTime() throws Exception {
    List<String> lines = lines(HistoryProgram::main);

    Pattern pattern = Pattern.compile("(\\d+) trades up to (\\d+): (\\d+\\.\\d\\d)");
    for (String line : lines) {
      Matcher matcher = pattern.matcher(line);
      assertThat(matcher.matches()).as(line).isTrue();
      int count = Integer.parseInt(matcher.group(1));
      int end = Integer.parseInt(matcher.group(2));
      assertThat(Math.min(end, 1_000) - count)
          .as("left out, because it was being written: " + line)
          .isBetween(0, 1);
      double average =
          rows.subList(end - count, end).stream()
              .mapToDouble(row -> Double.parseDouble(row[1]))
              .average()
              .orElseThrow();
      assertThat(line).isEqualTo("%d trades up to %d: %.2f", count, end, average);
    }
    assertThat(lines.getLast()).isEqualTo("1000 trades up to 3356: 809.93");
  }

  @Test
  void cache_loadsEachHourOnce() throws Exception {
    assertThat(lines(CacheProgram::main))
        .containsExactly(
            "0:00 Candle[open=800.01, high=808.0, low=799.75, close=805.99, trades=418]",
            "1:00 Candle[open=808.0, high=809.9, low=800.0, close=803.5, trades=380]",
            "2:00 Candle[open=803.5, high=819.9, low=803.0, close=816.0, trades=414]",
            "3:00 Candle[open=816.0, high=819.89, low=805.82, close=807.2, trades=276]",
            "4:00 Candle[open=807.21, high=819.89, low=800.0, close=802.35, trades=424]",
            "5:00 Candle[open=802.35, high=807.44, low=790.03, close=802.06, trades=360]",
            "6:00 Candle[open=802.05, high=803.0, low=791.02, close=799.0, trades=356]",
            "7:00 Candle[open=796.04, high=819.9, low=796.01, close=817.33, trades=346]",
            "8:00 Candle[open=816.9, high=825.0, low=810.0, close=820.0, trades=382]",
            "40000 requests, 9 loads");
  }

  @Test
  void log_ofAProcessThatDied_hasAllThatWasCommitted() throws Exception {
    assertThat(run(LogProgram.class))
        .isEqualTo(
            ended(
                1,
                "found 0 trades, all as in the file",
                "committed 2000 trades, halting with one more uncommitted"));
    assertThat(run(LogProgram.class))
        .isEqualTo(
            ended(0, "found 2000 trades, all as in the file", "the log ends after 3356 trades"));
    assertThat(run(LogProgram.class))
        .isEqualTo(
            ended(0, "found 3356 trades, all as in the file", "the log ends after 3356 trades"));
  }

  @Test
  void log_withAnotherTrade_isRefused() throws Exception {
    try (MessageLog log = MessageLog.open(folder, LogOptions.ofSegmentBytes(1 << 16));
        LogProducer producer = log.newProducer()) {
      producer.claim(1, 24).putLong(0, 1385337600).putDouble(8, 800.02).putDouble(16, 0.1);
      producer.commit();
    }
    Ended refused = run(LogProgram.class);
    assertThat(refused.exitCode).isEqualTo(1);
    assertThat(refused.lines.getFirst()).endsWith("log has another trade: number=0");
  }

  @Test
  void trading_killedAgainAndAgain_endsLikeARunThatWasNotKilled() throws Exception {
    List<String> expected = TradingModel.lines(rows);
    assertThat(expected)
        .hasSize(25)
        .startsWith(
            "961: symbol 2 at 798.00, wanted -2, ordered -2",
            "962: symbol 2 at 799.99, filled -2, position -2, profit 0.00",
            "983: symbol 0 at 805.99, wanted 2, ordered 2")
        .endsWith("3302: symbol 2 at 815.39, wanted 2, ordered 0", "profit -49.10");
    int journaled = 0;
    try (LogReader reader = LogReader.open(folder)) {
      for (int kill : List.of(400, 1_700)) { // 1,700: an order waits for its fill
        Process process = start(TradingProgram.class);
        while (reader.number() < kill) {
          assertThat(reader.poll(256)).isPositive();
          reader.release();
        }
        process.toHandle().destroyForcibly(); // its output can still be read
        Ended killed = end(process);
        assertThat(killed.exitCode).isNotZero();
        assertThat(replayed(journaled, expected).lines)
            .startsWith(killed.lines.toArray(String[]::new));
        journaled = (int) reader.endNumber();
        for (String line : killed.lines.subList(1, killed.lines.size())) {
          int number = Integer.parseInt(line.substring(0, line.indexOf(':')));
          assertThat(number).as("journaled before it is reported").isLessThan(journaled);
        }
      }
    }
    assertThat(journaled).isLessThan(3_356);
    assertThat(run(TradingProgram.class)).isEqualTo(replayed(journaled, expected));
    assertThat(run(TradingProgram.class)).isEqualTo(replayed(rows.size(), expected));
  }

  /** The journal has another outcome of the first trade that has something to report. */
  @Test
  void trading_withAnotherOutcomeInItsJournal_stopsBeforeItReportsIt() throws Exception {
    int first = 961;
    List<TradingProgram.Trade> trades =
        rows.stream()
            .map(row -> TradingProgram.Trade.of(String.join(",", row)))
            .sorted(Comparator.comparingLong(TradingProgram.Trade::second))
            .toList();
    var type = FlyweightType.of(TradingProgram.Journaled.class);
    try (MessageLog log = MessageLog.open(folder, LogOptions.ofSegmentBytes(1 << 20));
        LogProducer producer = log.newProducer()) {
      for (int i = 0; i <= first; i++) {
        var outcome = new TradingProgram.Outcome(0, i < first ? 0 : -4, 0, 0); // in truth -2
        var entry = new TradingProgram.Entry(trades.get(i), outcome);
        producer.claim(1, (int) type.layout().sizeBytes()).as(type).entry(entry);
        producer.commit();
      }
    }
    Ended stopped = run(TradingProgram.class);
    assertThat(stopped.exitCode).isEqualTo(1);
    assertThat(stopped.lines)
        .startsWith("962 trades in the journal")
        .noneMatch(line -> line.startsWith(first + ":"))
        .anyMatch(
            line -> line.contains("journal has Entry[") && line.contains("filled=0, ordered=-4"));
  }

  private static Ended ended(int exitCode, String... lines) {
    return new Ended(exitCode, List.of(lines));
  }

  private static Ended replayed(int trades, List<String> lines) {
    return new Ended(
        0, Stream.concat(Stream.of(trades + " trades in the journal"), lines.stream()).toList());
  }

  private static List<String> lines(Program program) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      program.run(new String[0]);
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** Runs a program whose argument is the test's folder. */
  private Ended run(Class<?> program) throws Exception {
    return end(start(program));
  }

  private Process start(Class<?> program) throws IOException {
    return OtherJvm.of(program, folder).redirectErrorStream(true).start();
  }

  private static Ended end(Process process) throws InterruptedException {
    List<String> lines = process.inputReader().lines().toList();
    return new Ended(process.waitFor(), lines);
  }
}
