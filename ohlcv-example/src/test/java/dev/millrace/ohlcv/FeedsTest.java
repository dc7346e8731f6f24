package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.TradeSource;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds trades of several inputs merged in another order than by time, or lost while one input is
 * slow, and an error that a silent input holds back.
 */
@Timeout(120)
final class FeedsTest {
  private static final String HEAD = "time,price,volume,symbol\n";
  @TempDir private Path folder;

  /** A row of a file, and its place among the rows of all files. */
  private record Row(long time, String text) {}

  @Test
  void candles_ofSeveralFiles_areThoseOfTheSortedWhole() throws Exception {
    List<List<Row>> feeds = random(3, 20_000);
    String[] files = write(feeds);
    String whole = text(sorted(feeds));
    Cli expected = Cli.run(whole, "candles - --format csv --window 2");
    assertThat(expected.lines()).hasSizeGreaterThan(1_000);
    for (String between : List.of(" ", " --input ")) {
      String inputs = between + String.join(between, files);
      Cli merged = Cli.all(new byte[0], "candles --format csv --window 2" + inputs).exits(0);
      assertThat(merged.out()).isEqualTo(expected.out());
      assertThat(merged.err())
          .startsWith(
              "%1$s (%3$s), %2$s (%3$s), "
                  .formatted(
                      files[0], files[1], "time=time price=price volume=volume symbol=symbol"))
          .contains(": 60,000 rows, 60,000 trades in ");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void trades_whenOneFeedIsSlow_comeInTheSameOrder(int slow) throws Exception {
    List<List<Row>> feeds = random(3, 2_000);
    List<String> merged = merge(feeds, slow);
    assertThat(merged).isEqualTo(sorted(feeds).stream().map(Row::text).toList());
  }

  /** Far more than a feed has credits for, all before or after those of the other. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void trades_moreThanTheQueueHolds_waitForTheOtherFeed(boolean firstIsEarlier) throws Exception {
    List<Row> early = new ArrayList<>();
    List<Row> late = new ArrayList<>();
    for (int i = 0; i < 150_000; i++) {
      early.add(row(i, 0, i));
      late.add(row(1_000_000 + i, 1, i));
    }
    List<List<Row>> feeds = firstIsEarlier ? List.of(early, late) : List.of(late, early);
    List<Row> expected = new ArrayList<>(early);
    expected.addAll(late);
    assertThat(merge(feeds, -1).equals(expected.stream().map(Row::text).toList())).isTrue();
  }

  @Test
  void error_inOneFeed_endsAllAtTheSameCandle() throws Exception {
    List<List<Row>> feeds = random(3, 5_000);
    String good = candles(write(feeds), "--format csv --window 2").out();
    List<Row> bad = new ArrayList<>(feeds.get(1).subList(0, 2_500));
    bad.add(new Row(0, "x,1,1,A"));
    bad.addAll(feeds.get(1).subList(2_500, 5_000));
    String[] files = write(List.of(feeds.get(0), bad, feeds.get(2)));
    String message = files[1] + ":2502: time must be ";
    Cli one = candles(files, "--format csv --window 2");
    one.exits(1);
    assertThat(one.err())
        .startsWith(message)
        .contains(" candles before it were written")
        .hasLineCount(1);
    Cli skipping = candles(files, "--format csv --window 2 --on-error skip");
    skipping.exits(0);
    assertThat(skipping.out()).isEqualTo(good);
    assertThat(candles(files, "--format csv --on-error skip").err())
        .contains("1 skipped as bad", "first skipped: " + message);
  }

  /** The standard input says nothing more; that must not keep the error, and the exit, back. */
  @Test
  void error_whileTheStandardInputIsSilent_endsTheRun() throws Exception {
    Path file = Files.writeString(folder.resolve("bad.csv"), HEAD + "1700000040,1,1,A\nx,1,1,A\n");
    try (PipedOutputStream rows = new PipedOutputStream();
        PipedInputStream input = new PipedInputStream(rows)) {
      rows.write((HEAD + "1700000050,1,1,A\n").getBytes(StandardCharsets.UTF_8));
      Cli cli = Cli.run(input, 0, "candles %s -".formatted(file)).exits(1);
      assertThat(cli.err()).startsWith(file + ":3: time must be ");
    }
  }

  @Test
  void refusedTrade_isNamedWithItsFile() throws Exception {
    String[] files = {"fine.csv", "large.csv"};
    files[0] = write(files[0], "1700000040,1,1e-30,A\n");
    files[1] = write(files[1], "1700000041,1,9223372036854775807,A\n");
    String message = files[1] + ":2: sum of a candle must fit 128 bits: sum=volume";
    for (String engine : List.of("off-heap", "pipeline")) {
      Cli cli = candles(files, "--format csv --engine " + engine);
      assertThat(cli.exitCode()).isEqualTo(1);
      assertThat(cli.err()).startsWith(message);
    }
    Path telemetry = folder.resolve("run.telemetry");
    write("fine.csv", "1700000040,1,1,A\n1700000041,-1,1,B\n");
    candles(files, "--on-error skip --telemetry " + telemetry);
    assertThat(TracedRun.read(telemetry).rejected())
        .containsExactly("3: 0.0 0.0 " + files[0] + ": price must be a positive decimal: price=-1");
  }

  /** Rows of two files, and what is written last, or said of the second. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1700000040,1,1,A%n1700000041,2,3,A%n|1700000040,1,1,A%n1700000041,2,3,A%n|"
            + "1700000040000,1,2,1,2,8,4,A",
        "1700000040,1,1,A%n|''|1700000040000,1,1,1,1,1,1,A",
        "''|1700000040,1,1,A%n|1700000040000,1,1,1,1,1,1,A"
      })
  void smallFeeds_areMerged(String one, String other, String expected) throws Exception {
    String[] files = {write("1.csv", one.formatted()), write("2.csv", other.formatted())};
    assertThat(candles(files, "--format csv").exits(0).lines()).hasSize(2).endsWith(expected);
  }

  /** Whatever else it says, an input without a trade changes nothing but the summary. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "time,price,volume\n",
        "time,price,volume,side\ntime,price,volume,side\n",
        "Date,Open,High,Low,Close,Volume\n",
        "[]",
        "[ \n]\n"
      })
  void feedWithoutTrades_isPassedOver(String text) throws Exception {
    String trades = write("1.csv", "1700000040,1,1,A\n1700000140,2,1,B\n");
    String none = Files.writeString(folder.resolve("2.csv"), text).toString();
    Cli expected = candles(new String[] {trades}, "--format csv").exits(0);
    for (String[] files : List.of(new String[] {trades, none}, new String[] {none, trades})) {
      Cli cli = candles(files, "--format csv").exits(0);
      assertThat(cli.out()).isEqualTo(expected.out());
      assertThat(cli.err()).contains(none + " (no trades)", ": 2 rows, 2 trades in 2 candles");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'',: file must have trades: it is empty",
    "'{\"e\":[\"x\"]}',: document must have rows"
  })
  void feedThatIsNoInput_isRefused(String text, String message) throws Exception {
    String trades = write("1.csv", "1700000040,1,1,A\n");
    String none = Files.writeString(folder.resolve("2.csv"), text).toString();
    Cli cli = candles(new String[] {trades, none}, "--format csv").exits(1);
    assertThat(cli.err()).startsWith(none + message);
  }

  /** As zcat makes of several files. */
  @ParameterizedTest
  @ValueSource(strings = {"1700000040,1,1,A\n", ""})
  void headers_inBetween_arePassedOverAndCounted(String first) {
    String rows = first + HEAD + "1700000040,1,1,A\n\ufeff" + HEAD + "1700000041,1,1,A\n" + HEAD;
    Cli cli = Cli.csv(HEAD + rows, "").exits(0);
    assertThat(cli.out())
        .isEqualTo(Cli.csv(HEAD + rows.replaceAll("\ufeff?" + HEAD, ""), "").out());
    assertThat(cli.err())
        .contains(first.isEmpty() ? ": 2 rows, 2 trades" : ": 3 rows, 3 trades")
        .contains("header again, passed over: 3\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sep=,\n", "# made by a tool\n", "sep=,\n# one\n#\n# two\n"})
  void linesBeforeHeaders_inBetween_arePassedOver(String before) {
    String file = before + HEAD + "1700000040,1,1,A\n";
    assertThat(Cli.csv(file + file, "").exits(0).err())
        .contains(": 2 rows, 2 trades")
        .contains("header again, passed over: 1\n");
  }

  @Test
  void barsAndTrades_areNotMixed() throws Exception {
    String trades = write("trades.csv", "1700000040,1,1,A\n");
    String rows = "Date,Open,High,Low,Close,Volume,Ticker\n2023-09-18,1,4,1,2,10,A\n";
    String bars = Files.writeString(folder.resolve("bars.csv"), rows).toString();
    assertThat(candles(new String[] {trades, bars}, "").exits(1).err())
        .isEqualTo(bars + ": rows must be trades, as in " + trades + "\n");
    assertThat(candles(new String[] {bars, bars}, "--format csv").lines())
        .endsWith("1694995200000,1,4,1,2,20,2,A");
  }

  private static Row row(long second, int feed, int number) {
    long time = 1_700_000_040 + second;
    int price = 1 + number % 1_000;
    return new Row(time, "%d,%d,%d,S%d".formatted(time, price, feed, number % 5));
  }

  /** In order of time, with many that happen at the same time as others. */
  private static List<List<Row>> random(int feeds, int rows) {
    Random random = new Random(rows);
    List<List<Row>> all = new ArrayList<>();
    for (int feed = 0; feed < feeds; feed++) {
      List<Row> one = new ArrayList<>();
      long second = 0;
      for (int i = 0; i < rows; i++) {
        second += random.nextInt(4);
        one.add(row(second, feed, random.nextInt(1_000)));
      }
      all.add(one);
    }
    return all;
  }

  private static List<Row> sorted(List<List<Row>> feeds) {
    return feeds.stream()
        .flatMap(List::stream)
        .sorted(Comparator.comparingLong(Row::time))
        .toList();
  }

  private static String text(List<Row> rows) {
    StringBuilder text = new StringBuilder(HEAD);
    rows.forEach(row -> text.append(row.text).append('\n'));
    return text.toString();
  }

  private String[] write(List<List<Row>> feeds) throws IOException {
    String[] files = new String[feeds.size()];
    for (int i = 0; i < files.length; i++) {
      files[i] = Files.writeString(folder.resolve(i + ".csv"), text(feeds.get(i))).toString();
    }
    return files;
  }

  private String write(String name, String rows) throws IOException {
    return Files.writeString(folder.resolve(name), HEAD + rows).toString();
  }

  private static Cli candles(String[] files, String options) {
    String line = "candles %s %s".formatted(String.join(" ", files), options);
    boolean isOfOne = options.matches(".*--(engine|telemetry).*");
    return isOfOne ? Cli.run(line) : Cli.all(new byte[0], line);
  }

  /** The rows as they come out of the merge. */
  private static List<String> merge(List<List<Row>> feeds, int slow) throws Exception {
    List<TradeSource> sources = new ArrayList<>();
    for (int i = 0; i < feeds.size(); i++) {
      byte[] bytes = text(feeds.get(i)).getBytes(StandardCharsets.UTF_8);
      sources.add(
          TradeSource.stream(i == slow ? new Slow(bytes) : new ByteArrayInputStream(bytes)));
    }
    List<String> merged = new ArrayList<>();
    try (Feeds all = new Feeds(sources, Map.of(), false)) {
      all.readAll(
          trade ->
              merged.add(
                  "%d,%d,%d,%s"
                      .formatted(
                          trade.timeNanos() / 1_000_000_000,
                          trade.price(),
                          trade.volume(),
                          all.symbol(trade.symbol()))));
    }
    return merged;
  }

  /** Gives a few rows, and waits before the next ones. */
  private static final class Slow extends FilterInputStream {
    private static final int ROWS_BYTES = 500;

    Slow(byte[] bytes) {
      super(new ByteArrayInputStream(bytes));
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      try {
        Thread.sleep(2);
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
      return super.read(bytes, offset, Math.min(length, ROWS_BYTES));
    }
  }
}
