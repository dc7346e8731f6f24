package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.millrace.ohlcv.input.ReadOptions;
import dev.millrace.ohlcv.input.TradeReader;
import dev.millrace.ohlcv.input.TradeSource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The command as a user sees it: what it writes, what it says, its exit codes. All engines must
 * agree on that.
 */
@Timeout(120)
final class CandlesCommandTest {
  private static final String SKIP = "; --on-error skip leaves such rows out";
  private static final String TRADES =
      """
      time,price,volume,side
      1700000040,100.10,1,buy
      1700000041,101,0.5,sell
      1700000160,99.5,2,buy
      """;

  @TempDir private Path folder;

  @Test
  void sample_withAllEngines_isTheSame() {
    Cli cli = Cli.runWithAllEngines("", Cli.ENGINES, "candles", "--format", "csv");
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.lines()).hasSize(9_400);
    assertThat(cli.lines().get(0)).isEqualTo("open_time,open,high,low,close,volume,count");
    assertThat(cli.lines().get(1))
        .isEqualTo("1385337600000,800.01,807.47,800.01,807.47,2.85664446,11");
    assertThat(cli.err()).contains("100,000 rows, 100,000 trades in 9,399 candles of 1m");
  }

  @Test
  void sample_asTable_endsWithPlotAndSummary() {
    Cli cli = Cli.run("candles", "--interval", "1d");
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.err()).isEmpty();
    assertThat(cli.lines().get(0)).startsWith("time (UTC)");
    assertThat(cli.lines().get(1)).startsWith("2013-11-25");
    assertThat(cli.out()).contains("┃", "volume below", "100,000 trades in 7 candles of 1d");
    assertThat(cli.out()).doesNotContain("\u001b");
  }

  @Test
  void terminal_getsPlotAndLastCandles() {
    Cli cli = Cli.runOnTerminal("candles");
    List<String> lines = cli.lines();
    int head = lines.indexOf("The last 10 candles (--all shows all):");
    assertThat(lines.get(head + 1)).startsWith("time (UTC)");
    assertThat(lines.get(head + 11)).startsWith("2013-12-01 16:02");
    assertThat(lines.subList(0, head)).anyMatch(line -> line.contains("volume below"));
    assertThat(lines.getLast()).matches(".* s, .* bytes allocated .* at most [0-9,]+ trades .*");
    assertThat(Cli.runOnTerminal("candles", "--all").lines()).hasSizeGreaterThan(9_400);
  }

  @Test
  void csv_whereSidesAreKnown_hasTakerColumns() {
    assertThat(csv(TRADES).out())
        .isEqualTo(
            """
            open_time,open,high,low,close,volume,count,quote_volume,taker_buy_volume,\
            taker_buy_quote_volume
            1700000040000,100.1,101,100.1,101,1.5,2,150.6,1,100.1
            1700000160000,99.5,99.5,99.5,99.5,2,1,199,2,199
            """);
  }

  @Test
  void fill_previous_putsEmptyCandlesBetween() {
    assertThat(csv(TRADES, "--fill", "previous").lines())
        .hasSize(4)
        .contains("1700000100000,101,101,101,101,0,0,0,0,0");
  }

  @Test
  void json_hasTheSameNumbers() throws Exception {
    Cli cli = Cli.runWithInput(TRADES, "candles", "--input", "-", "--format", "json");
    StringBuilder names = new StringBuilder();
    try (JsonParser parser = new JsonFactory().createParser(cli.out())) {
      for (JsonToken token; (token = parser.nextToken()) != null; ) {
        names.append(token == JsonToken.FIELD_NAME ? parser.currentName() + " " : "");
      }
    }
    assertThat(names.toString()).startsWith("open_time open high low close volume count quote_");
    assertThat(cli.lines().get(1))
        .startsWith("{\"open_time\":1700000040000,\"open\":100.1,\"high\":101,");
    assertThat(cli.lines()).startsWith("[").endsWith("]");
  }

  @Test
  void output_appearsWhole() throws Exception {
    Path file = folder.resolve("candles.csv");
    Cli cli = csv(TRADES, "--output", file.toString());
    assertThat(cli.out()).isEmpty();
    assertThat(Files.readAllLines(file)).hasSize(3);
    Cli bad = csv(TRADES + "x,1,1,buy\n", "--output", file.toString());
    assertThat(bad.exitCode()).isEqualTo(1);
    assertThat(bad.err()).contains("nothing was written");
    assertThat(Files.readAllLines(file)).hasSize(3);
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  /** Whatever the file is called, it is neither read and written nor written twice. */
  @Test
  void output_thatIsTheInput_isRefused() throws Exception {
    Path input = Files.writeString(folder.resolve("trades.csv"), TRADES);
    Path soft = Files.createSymbolicLink(folder.resolve("soft.csv"), input.getFileName());
    Path hard = Files.createLink(folder.resolve("hard.csv"), input);
    Path dotted = Files.createDirectory(folder.resolve("x")).resolve(".././trades.csv");
    for (Path read : List.of(input, soft, hard)) {
      for (Path written : List.of(input, soft, hard, dotted)) {
        for (String option : List.of("--output", "--telemetry")) {
          Cli cli = Cli.run("candles", "--input", read.toString(), option, written.toString());
          assertThat(cli.exitCode()).isEqualTo(2);
          assertThat(cli.err())
              .startsWith(
                  "ohlcv candles: %s must be another file than --input: %s=%s, --input=%s\n"
                      .formatted(option, option, written, read));
          assertThat(input).hasContent(TRADES);
        }
      }
    }
    assertThat(soft).isSymbolicLink();
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("new"));
    Path output = folder.resolve("new"); // does not exist yet
    Cli cli = Cli.run("candles", "--output", output.toString(), "--telemetry", link.toString());
    assertThat(cli.exitCode()).as(cli.err()).isEqualTo(2);
    assertThat(Files.exists(output)).isFalse();
  }

  /** What the output is called until it is complete must not be a file that exists. */
  @Test
  void output_leavesFilesOfLikeNamesAlone() throws Exception {
    Path input = Files.writeString(folder.resolve("candles.csv.part"), TRADES);
    Path output = folder.resolve("candles.csv");
    Cli cli = Cli.run("candles", "--input", input.toString(), "--output", output.toString());
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    assertThat(input).hasContent(TRADES);
    assertThat(output).exists();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1700000170,-3,1,buy|price must be a positive decimal: price=-3",
        "1700000170,NaN,1,buy|price must be a positive decimal: price=NaN",
        "1700000170,1,-1,buy|volume must be a decimal not below 0: volume=-1",
        "1700000170,1,nan,buy|volume must be a decimal not below 0: volume=nan",
        "99999999999999999999,1,1,buy|time must be in 1970-01-01..2262-04-11:"
            + " time=99999999999999999999",
        "1700000170,1,1,up|side must be buy, sell, true or false: side=up",
        "1700000170,1,1|row must have 4 fields as the first row: row=3 fields",
        "1700000170,1,1,buy,|row must have 4 fields as the first row: row=5 fields"
      })
  void badRow_stopsWithOneLineThatNamesIt(String row, String message) {
    Cli cli = csv(TRADES + row + "\n");
    assertThat(cli.exitCode()).isEqualTo(1);
    assertThat(cli.err())
        .isEqualTo("stdin:5: " + message + " (stopped: no candle was written" + SKIP + ")\n");
    Cli skipping = csv(TRADES + row + "\n", "--on-error", "skip");
    assertThat(skipping.exitCode()).isZero();
    assertThat(skipping.out()).isEqualTo(csv(TRADES).out());
    assertThat(skipping.err())
        .contains("1 skipped as bad", "first skipped: stdin:5: " + message + "\n");
  }

  @Test
  void badRow_afterCandlesHaveLeft_saysHowMany() {
    Cli cli = csv(TRADES + "x,1,1,buy\n", "--window", "1");
    assertThat(cli.lines()).hasSize(2);
    assertThat(cli.err())
        .contains("stdin:5: ", "(stopped: 1 candles before it were written" + SKIP + ")");
  }

  /** Splitting runs ahead of judging; still the first problem in the file is reported. */
  @Test
  void badRow_beforeTextThatIsNoCsv_isTheOneTold() {
    String rows = TRADES + "1700000170,-3,1,buy\n" + "1700000171,x,1,buy\n" + "1,1,1,\"b\"x";
    assertThat(fails(rows)).startsWith("stdin:5: price must be a positive decimal: price=-3");
    Cli skipping = csv(rows, "--on-error", "skip");
    assertThat(skipping.exitCode()).isZero();
    assertThat(skipping.err()).contains("3 skipped as bad");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "1700000170,\"5,1,buy|price must have a closing quote on its line: price=\"5,1,buy",
        "1700000170,5,1,\"|side must have a closing quote on its line: side=\"",
        "1700000170,5,1,buy,\"x|5 must have a closing quote on its line: 5=\"x",
        "1700000170,\"5,\"1\",buy|row must have nothing between a closing quote and the next"
            + " separator: row=1700000170,\"5,\"1\",buy"
      })
  void brokenQuote_isOneBadRow(String row, String message) {
    List<String> lineEnds = List.of("\n", "\r\n", "\r");
    List<String> lines = TRADES.lines().toList();
    String out = csv(TRADES).out();
    for (int at = 1; at <= lineEnds.size(); at++) { // the first row, one amid others, the last
      List<String> broken = new ArrayList<>(lines);
      broken.add(at == lineEnds.size() ? lines.size() : at, row);
      String rows = String.join(lineEnds.get(at - 1), broken);
      String expected = "stdin:" + (broken.indexOf(row) + 1) + ": " + message;
      Cli skipping = csv(rows, "--on-error", "skip");
      assertThat(skipping.exitCode()).as(skipping.err()).isZero();
      assertThat(skipping.out()).isEqualTo(out);
      assertThat(skipping.err()).contains("1 skipped as bad", "first skipped: " + expected + "\n");
      assertThat(csv(rows).err()).startsWith(expected + " (stopped: ");
    }
  }

  @Test
  void unclosedQuote_early_costsOnlyItsRow() {
    StringBuilder rows = new StringBuilder("time,price,volume\n");
    for (int line = 2; line <= 5_000; line++) {
      String quote = line == 12 ? "\"" : "";
      rows.append(1_700_000_040 + line).append(',').append(quote).append("7,1\n");
    }
    Cli cli = csv(rows.toString(), "--on-error", "skip");
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.err()).contains("4,999 rows, 4,998 trades", "1 skipped as bad");
  }

  @Test
  void headerOrEndlessLine_thatIsNoCsv_isRefused() {
    assertThat(fails("time,\"price,volume\n1700000040,1,1\n"))
        .isEqualTo("stdin:1: 2 must have a closing quote on its line: 2=\"price,volume\n");
    Cli endless = csv(TRADES + "7".repeat(1 << 21), "--on-error", "skip");
    assertThat(endless.exitCode()).isEqualTo(1);
    assertThat(endless.err())
        .startsWith("stdin:5: line must have at most 1048576 characters (stopped: ");
  }

  /** The unit is told by a row that is bad itself, and a time comes before what is behind it. */
  @Test
  void timesOfAnotherUnit_areJudgedInOrder() {
    String rows = "time,price,volume\n1700000040,-1,1\n1700000041000,-1,1\n1700000042,1,1\n";
    Cli cli = csv(rows, "--on-error", "skip");
    assertThat(cli.err())
        .contains("2 skipped as bad", "first skipped: stdin:2: price must be a positive decimal");
    String unit = "time,price,volume\n1700000040000,1,1\n1700000041,-1,1\n";
    assertThat(fails(unit)).startsWith("stdin:3: time must be in ms as the first one");
    assertThat(fails(unit + "1700000042000000,-1,1\n")).startsWith("stdin:3: time must be in ms");
  }

  /** More rows than the ring of the pipeline holds, before and behind. */
  @Test
  void badRow_amongMany_endsAtTheSameCandle() {
    StringBuilder rows = new StringBuilder("time,price,volume\n");
    for (int i = 0; i < 40_000; i++) {
      String price = i == 20_000 ? "none" : String.valueOf(1 + i % 100);
      rows.append(1_700_000_040 + 20 * i).append(',').append(price).append(",1\n");
    }
    Cli cli = csv(rows.toString(), "--window", "2");
    assertThat(cli.exitCode()).isEqualTo(1);
    assertThat(cli.err())
        .startsWith("stdin:20002: price must be a positive decimal: price=none")
        .contains("(stopped: 6665 candles before it were written" + SKIP + ")");
    assertThat(csv(rows.toString(), "--on-error", "skip").exitCode()).isZero();
  }

  @Test
  void dailyBars_withBadDays_areTheSame() {
    String bars =
        """
        Date,Open,High,Low,Close,Volume,Ticker
        2023-09-18,1,4,1,2,10,A
        2023-09-18,5,6,4,5.5,20,B
        2023-09-19,2,3,1,5,10,A
        2023-09-19,2,3,1,3,10,A
        2023-09-18,2,3,1,3,10,A
        2023-09-20,2,3,1,3,10,
        2023-09-20,5,6,4,5,20,B
        """;
    Cli cli = csv(bars, "--on-error", "skip");
    assertThat(cli.lines()).hasSize(1 + 4);
    assertThat(cli.err())
        .contains("3 skipped as bad", "first skipped: stdin:4: Close must be in the day's low");
    assertThat(fails(bars)).startsWith("stdin:4: Close must be in the day's low..high 1..3");
  }

  @Test
  void unknownColumn_isNamedWithItsFile() {
    Cli cli = csv(TRADES, "--price", "cost");
    assertThat(cli.exitCode()).isEqualTo(1);
    assertThat(cli.err())
        .isEqualTo("stdin:1: column must be one of time,price,volume,side: --price=cost\n");
    assertThat(csv(TRADES, "--keep", "kind=1").err())
        .isEqualTo("stdin:1: column must be one of time,price,volume,side: --keep=kind\n");
    assertThat(csv("a,b\n1,2\n").err())
        .isEqualTo("stdin:1: time column must be given by --time: columns=a,b\n");
  }

  @Test
  void lateTrades_areCounted() {
    Cli cli = csv(TRADES + "1700000040,1,1,sell\n", "--window", "1");
    assertThat(cli.exitCode()).isZero();
    assertThat(cli.lines()).hasSize(3);
    assertThat(cli.err()).contains("rows in no candle: 1 late");
  }

  @Test
  void keep_ofSeveralValues_countsTheRest() {
    Cli cli = csv(TRADES, "--keep", "side=buy", "--keep", "volume=1", "--keep", "volume=2");
    assertThat(cli.lines()).hasSize(3);
    assertThat(cli.err()).contains("1 not kept");
  }

  @Test
  void input_thatIsNoData_isSaidSo() throws Exception {
    assertThat(fails("")).isEqualTo("stdin: file must have trades: it is empty\n");
    assertThat(fails("time,price,volume\n"))
        .isEqualTo("stdin:1: file must have trades: it has only a header\n");
    String answer = "{\"error\":[\"EQuery:Unknown asset pair\"]}";
    assertThat(fails(answer))
        .isEqualTo("stdin: document must have rows: document=" + answer + "\n");
    assertThat(fails("[{\"price\":1,")).startsWith("stdin:1: document must be JSON: ");
    assertThat(Cli.run("candles", "--input", "no.csv").err())
        .isEqualTo("no.csv: file must exist: there is none\n");
    assertThat(Cli.run("candles", "--input", folder.toString()).err())
        .isEqualTo(folder + ": file must be a file: it is a directory\n");
    byte[] gzip = gzip(TRADES);
    for (String engine : List.of("off-heap", "naive", "pipeline")) {
      byte[] half = Arrays.copyOf(gzip, gzip.length - 9);
      Cli cut = Cli.runWithInput(half, "candles", "--input", "-", "--engine", engine);
      assertThat(cut.exitCode()).isEqualTo(1);
      assertThat(cut.err()).startsWith("stdin: gzip data must be whole: it ends too early");
    }
    ByteArrayOutputStream junk = new ByteArrayOutputStream();
    junk.write(gzip);
    junk.write(TRADES.getBytes(StandardCharsets.UTF_8));
    assertThat(Cli.runWithInput(junk.toByteArray(), "candles", "--input", "-").err())
        .startsWith("stdin: gzip data must be intact: ");
    Cli whole = Cli.runWithInput(gzip, "candles", "--input", "-", "--format", "csv");
    assertThat(whole.out()).isEqualTo(csv(TRADES).out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|command must be given, such as candles",
        "candle|Unmatched argument at index 0: 'candle'",
        "candles --interval 1x|interval must be a number and ms, s, m, h, d or w: interval=1x",
        "candles --engine fast|Invalid value for option '--engine'",
        "candles --format xml|Invalid value for option '--format'",
        "candles --time-unit m|Invalid value for option '--time-unit'",
        "candles --keep side|--keep must be COLUMN=VALUE: --keep=side",
        "candles --window 0|--window must be in 1..10000000: --window=0",
        "candles --shards 0|--shards must be in 1..64: --shards=0",
        "candles --shards 65|--shards must be in 1..64: --shards=65",
        "candles --shards many|'many' is not an int",
        "candles --engine naive --shards 2|--shards must be 1 with --engine naive: --shards=2",
        "candles --parsers 2|--parsers must go with --engine pipeline: --engine=off-heap",
        "candles --engine pipeline --parsers 0|--parsers must be in 1..64: --parsers=0",
        "candles --engine pipeline --parsers 65|--parsers must be in 1..64: --parsers=65",
        "candles --engine pipeline --parsers many|'many' is not an int",
        "candles --engine pipeline --parsers 2 one.csv two.csv|--parsers must go with one input",
        "candles --nonsense|Unknown option: '--nonsense'",
        "candles - -|--input must be - once at most: --input=[-, -]",
        "candles a.csv --input b.csv|FILE must not go with --input: [a.csv], --input=[b.csv]",
        "candles a.csv b.csv --output b.csv|--output must be another file than --input: "
            + "--output=b.csv, --input=b.csv",
        "candles --output /no/such/folder/file.csv|--output must be a file that can be written: "
      })
  void wrongUsage_exitsWith2(String arguments, String message) {
    Cli cli = Cli.run(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1));
    assertThat(cli.exitCode()).isEqualTo(2);
    assertThat(cli.out()).isEmpty();
    assertThat(cli.err()).startsWith("ohlcv").contains(message).hasLineCount(2);
  }

  @Test
  void input_thatIsNoUtf8Text_isSaidSo() throws Exception {
    ByteArrayOutputStream zip = new ByteArrayOutputStream();
    try (ZipOutputStream entries = new ZipOutputStream(zip)) {
      entries.putNextEntry(new ZipEntry("trades.csv"));
      entries.write(TRADES.getBytes(StandardCharsets.UTF_8));
    }
    String zero = "stdin: file must be UTF-8 text, plain or gzip: its first line has a zero byte";
    assertThat(fails(zip.toByteArray())).startsWith(zero);
    assertThat(fails(TRADES.getBytes(StandardCharsets.UTF_16))).startsWith(zero);
    assertThat(fails("BZh91AY&SY and so on".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("stdin: file must be plain or gzip: it is bzip2\n");
    String latin = "time,price,volume,symbol\n1700000000,1,1,ä\n1700000001,1,1,ö\n";
    assertThat(fails(latin.getBytes(StandardCharsets.ISO_8859_1)))
        .startsWith("stdin:2: row must be UTF-8 text: row=1700000000,1,1,\ufffd (stopped: ");
  }

  @Test
  void columnsOfOneName_areToldApartByNumber() {
    String rows = "time,price,price,volume\n1700000000,1,2,3\n";
    assertThat(fails(rows))
        .isEqualTo(
            "stdin:1: column must be given by its number: its name is there twice: column=price\n");
    assertThat(csv(rows, "--price", "3").lines().get(1)).startsWith("1699999980000,2,2,2,2,3,1");
  }

  @Test
  void file_asArgument_isTheInput() throws Exception {
    Path file = Files.writeString(folder.resolve("trades.csv"), TRADES);
    assertThat(Cli.run("candles", file.toString(), "--format", "csv").out())
        .isEqualTo(csv(TRADES).out());
  }

  @Test
  void liveInput_isReadFromItsFirstLine() throws Exception {
    InputStream later =
        new InputStream() {
          @Override
          public int read() {
            throw new AssertionError("the header and a row must do");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            return read();
          }
        };
    InputStream first = new ByteArrayInputStream(TRADES.getBytes(StandardCharsets.UTF_8));
    TradeSource live = TradeSource.stream(new SequenceInputStream(first, later));
    ReadOptions options = new ReadOptions(Map.of(), null, Map.of(), false);
    try (TradeReader reader = new TradeReader(live, options)) {
      assertThat(reader.hasSides()).isTrue();
    }
  }

  @Test
  void longValues_areCut() {
    String end = "9".repeat(100_000);
    assertThat(
            fails(
                "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,"
                    + "is_buyer_maker\n1,1,1,"
                    + end
                    + ",1,1700000000000,true\n"))
        .hasSizeLessThan(1_000);
  }

  @Test
  void output_thatIsFull_isNamed() {
    assumeThat(Path.of("/dev/full")).exists();
    Cli cli = Cli.run("candles", "--output", "/dev/full");
    assertThat(cli.exitCode()).isEqualTo(1);
    assertThat(cli.err()).contains("/dev/full: output must be writable: ");
  }

  private static String fails(byte[] input) {
    Cli cli = Cli.runWithInput(input, "candles", "--input", "-", "--format", "csv");
    assertThat(cli.exitCode()).isEqualTo(1);
    return cli.err();
  }

  private static String fails(String input) {
    Cli cli = csv(input);
    assertThat(cli.exitCode()).isEqualTo(1);
    assertThat(cli.out()).isEmpty();
    return cli.err();
  }

  private static Cli csv(String input, String... options) {
    return Cli.csv(input, options);
  }

  private static byte[] gzip(String text) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }
}
