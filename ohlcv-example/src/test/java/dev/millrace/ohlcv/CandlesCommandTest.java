package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a command that writes other candles with one engine than with another, leaves half a file
 * behind, overwrites its input, or blames the wrong row.
 */
@Timeout(120)
final class CandlesCommandTest {
  private static final String SKIP = "; --on-error skip leaves such rows out";
  private static final String HEAD = "time,price,volume\n";
  private static final String TRADES =
      """
      time,price,volume,side
      1700000040,100.10,1,buy
      1700000041,101,0.5,sell
      1700000160,99.5,2,buy
      """;
  private static final String BARS =
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

  @TempDir private Path folder;

  @Test
  void sample_withAllEngines_isTheSame() {
    Cli cli = Cli.all(new byte[0], "candles --format csv").exits(0);
    assertThat(cli.lines())
        .hasSize(9_400)
        .startsWith(
            "open_time,open,high,low,close,volume,count",
            "1385337600000,800.01,807.47,800.01,807.47,2.85664446,11");
    assertThat(cli.err()).contains("100,000 rows, 100,000 trades in 9,399 candles of 1m");
    Cli table = Cli.all(new byte[0], "candles --interval 1d").exits(0);
    assertThat(table.err()).isEmpty();
    assertThat(table.lines().get(0)).startsWith("time (UTC)");
    assertThat(table.lines().get(1)).startsWith("2013-11-25");
    assertThat(table.out())
        .contains("┃", "volume below", "100,000 trades in 7 candles of 1d")
        .doesNotContain("\u001b");
  }

  @Test
  void terminal_getsPlotAndLastCandles() {
    List<String> lines = onTerminal("candles").lines();
    int head = lines.indexOf("The last 10 candles (--all shows all):");
    assertThat(lines.get(head + 1)).startsWith("time (UTC)");
    assertThat(lines.get(head + 11)).startsWith("2013-12-01 16:02");
    assertThat(lines.subList(0, head)).anyMatch(line -> line.contains("volume below"));
    assertThat(lines.get(lines.size() - 2))
        .matches("100,000 trades in .* s, [0-9,]+ in the queue at most");
    Matcher heap =
        Pattern.compile(
                "heap: 0 bytes by Millrace .* after trade ([0-9,]+), [0-9,]+ until then; per trade"
                    + " [0-9,]+ by reading and parsing, [0-9,]+ by writing candles")
            .matcher(lines.getLast());
    assertThat(heap.matches()).as(lines.getLast()).isTrue();
    assertThat(Integer.parseInt(heap.group(1).replace(",", ""))).isLessThan(100_000);
    assertThat(onTerminal("candles --all").lines()).hasSizeGreaterThan(9_400);
  }

  private static Cli onTerminal(String line) {
    return Cli.run(InputStream.nullInputStream(), 120, line).exits(0);
  }

  @Test
  void formats_haveTheSameNumbers() {
    assertThat(Cli.csv(TRADES, "").out())
        .isEqualTo(
            """
            open_time,open,high,low,close,volume,count,quote_volume,taker_buy_volume,\
            taker_buy_quote_volume
            1700000040000,100.1,101,100.1,101,1.5,2,150.6,1,100.1
            1700000160000,99.5,99.5,99.5,99.5,2,1,199,2,199
            """);
    assertThat(Cli.csv(TRADES, "--fill previous").lines())
        .hasSize(4)
        .contains("1700000100000,101,101,101,101,0,0,0,0,0");
    assertThat(Cli.all(bytes(HEAD + "1700000040,100.10,1\n"), "candles - --format json").out())
        .isEqualTo(
            """
            [
            {"open_time":1700000040000,"open":100.1,"high":100.1,"low":100.1,"close":100.1,\
            "volume":1,"count":1}
            ]
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "1700000170,-3,1,buy|price must be a positive decimal: price=-3",
        "1700000170,NaN,1,buy|price must be a positive decimal: price=NaN",
        "1700000170,1,-1,buy|volume must be a decimal not below 0: volume=-1",
        "1700000170,1,nan,buy|volume must be a decimal not below 0: volume=nan",
        "99999999999999999999,1,1,buy|time must be in 1980-01-01..2262-04-11, as s, ms, us or ns"
            + " since 1970: time=99999999999999999999",
        "1700000170,1,1,up|side must be buy, sell, true or false: side=up",
        "1700000170,1,1|row must have 4 fields as the first row: row=3 fields",
        "1700000170,1,1,buy,|row must have 4 fields as the first row: row=5 fields",
        "1700000170,1,1,b\ufffd|row must be UTF-8 text: row=1700000170,1,1,b\ufffd",
        "1700000170,\"5,1,buy|price must have a closing quote on its line: price=\"5,1,buy",
        "1700000170,5,1,\"|side must have a closing quote on its line: side=\"",
        "1700000170,5,1,buy,\"x|5 must have a closing quote on its line: 5=\"x",
        "1700000170,\"5,\"1\",buy|row must have nothing between a closing quote and the next"
            + " separator: row=1700000170,\"5,\"1\",buy"
      })
  void badRow_stopsWithOneLineThatNamesIt_orIsSkipped(String row, String message) {
    List<String> lineEnds = List.of("\n", "\r\n", "\r");
    List<String> lines = TRADES.lines().toList();
    for (int at = 1; at <= lineEnds.size(); at++) { // the first row, one among others, the last
      List<String> broken = new ArrayList<>(lines);
      broken.add(at == lineEnds.size() ? lines.size() : at, row);
      String rows = String.join(lineEnds.get(at - 1), broken);
      String expected = "stdin:" + (broken.indexOf(row) + 1) + ": " + message;
      assertThat(Cli.csv(rows, "").exits(1).err())
          .isEqualTo(expected + " (stopped: no candle was written" + SKIP + ")\n");
      Cli skipping = Cli.csv(rows, "--on-error skip").exits(0);
      assertThat(skipping.out()).isEqualTo(Cli.run(TRADES, "candles - --format csv").out());
      assertThat(skipping.err()).contains("1 skipped as bad", "first skipped: " + expected + "\n");
    }
  }

  /** More rows than any queue holds, before and behind. */
  @Test
  void badRow_amongMany_endsAtTheSameCandle() {
    StringBuilder text = new StringBuilder(HEAD);
    for (int i = 0; i < 140_000; i++) {
      String price = i == 70_000 ? "\"none" : String.valueOf(1 + i % 100);
      text.append(1_700_000_040 + 20 * i).append(',').append(price).append(",1\n");
    }
    assertThat(Cli.csv(text.toString(), "--window 2").exits(1).err())
        .startsWith("stdin:70002: price must have a closing quote on its line: price=\"none,1 (")
        .contains("(stopped: 23332 candles before it were written" + SKIP + ")");
    assertThat(Cli.csv(text.toString(), "--on-error skip").exits(0).err())
        .contains("140,000 rows, 139,999 trades", "1 skipped as bad");
  }

  /** Rows, options, the number of candles or 0 for an error, and what is said. */
  static Stream<Arguments> rows() {
    String units = HEAD + "1700000040000,1,1\n1700000041,-1,1\n";
    String mixed = HEAD + "1700000040,-1,1\n1700000041000,-1,1\n1700000042,1,1\n";
    String twice = "time,price,price,volume\n1700000000,1,2,3\n";
    return Stream.of(
        // The unit is told by a row that is bad itself, and a time comes before what is behind it.
        arguments(mixed, "--on-error skip", 1, "first skipped: stdin:2: price must be a positive"),
        arguments(mixed, "--on-error skip", 1, "2 skipped as bad"),
        arguments(units, "", 0, "stdin:3: time must be in ms as the first one: time=1700000041"),
        arguments(BARS, "", 0, "stdin:4: Close must be in the day's low..high 1..3: Close=5"),
        arguments(BARS, "--on-error skip", 4, "3 skipped as bad"),
        arguments(TRADES + "1700000040,1,1,sell\n", "--window 1", 2, "rows in no candle: 1 late"),
        arguments(TRADES, "--price cost", 0, "one of time,price,volume,side: --price=cost\n"),
        arguments("a,b\n1,2\n", "", 0, "stdin:1: time column must be given by --time: columns=a,b"),
        arguments(twice, "", 0, "stdin:1: column must be given by its number: its name is there"),
        arguments(twice, "--price 3", 1, "1 trades in 1 candles"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void rows_areJudgedInOrder(String rows, String options, int candles, String said) {
    Cli cli = Cli.csv(rows, options).exits(candles == 0 ? 1 : 0);
    assertThat(cli.lines()).hasSizeLessThanOrEqualTo(1 + candles);
    assertThat(cli.err()).contains(said);
  }

  /** Input that cannot be read, and what is said. */
  static Stream<Arguments> noData() throws Exception {
    String zero = "stdin: file must be UTF-8 text, plain or gzip: its first line has a zero byte";
    String answer = "{\"error\":[\"EQuery:Unknown asset pair\"]}";
    byte[] gzip = gzip(TRADES);
    ByteArrayOutputStream junk = new ByteArrayOutputStream();
    junk.writeBytes(gzip);
    junk.writeBytes(bytes(TRADES));
    String longValue =
        "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker\n"
            + "1,1,1,%s,1,1700000000000,true\n".formatted("9".repeat(100_000));
    String latin = "time,price,volume,symbol\n1700000000,1,1,ä\n";
    return Stream.of(
        arguments(bytes(""), "stdin: file must have trades: it is empty\n"),
        arguments(bytes("[]"), "stdin: document must have rows: document=[]\n"),
        arguments(bytes(answer), "stdin: document must have rows: document=" + answer + "\n"),
        arguments(bytes("[{\"price\":1,"), "stdin:1: document must be JSON: "),
        arguments(bytes("PK\u0003\u0004\u0000\u0000"), zero),
        arguments(TRADES.getBytes(StandardCharsets.UTF_16), zero),
        arguments(
            bytes("BZh91AY&SY and so on"), "stdin: file must be plain or gzip: it is bzip2\n"),
        arguments(
            latin.getBytes(StandardCharsets.ISO_8859_1),
            "stdin:2: row must be UTF-8 text: row=1700000000,1,1,\ufffd (stopped: "),
        arguments(
            bytes("time,\"price,volume\n1700000040,1,1\n"),
            "stdin:1: 2 must have a closing quote on its line: 2=\"price,volume\n"),
        arguments(bytes("7".repeat(1 << 21)), "stdin:1: line must have at most 65536 characters"),
        arguments(bytes(longValue), "stdin:2: last_trade_id must be a number not below"),
        arguments(Arrays.copyOf(gzip, gzip.length - 9), "stdin: gzip data must be whole: it ends"),
        arguments(junk.toByteArray(), "stdin: gzip data must be intact: "));
  }

  @ParameterizedTest
  @MethodSource("noData")
  void input_thatIsNoData_isSaidSo(byte[] input, String message) {
    assertThat(Cli.csv(input, "").exits(1).err())
        .startsWith(message)
        .hasLineCount(1)
        .hasSizeLessThan(1_000);
  }

  @Test
  void input_ofAHeaderOnly_hasNoCandles() {
    for (String format : List.of("csv", "json", "table")) {
      Cli cli = Cli.all(bytes(HEAD), "candles - --fill previous --format " + format).exits(0);
      String all = cli.out() + cli.err();
      assertThat(all).contains("stdin (no trades): 0 rows, 0 trades in 0 candles of 1m");
    }
    assertThat(Cli.csv("a,b\n", "").exits(1).err()).contains("time column must be given by --time");
  }

  /** The range ends within a week, and within any other interval that does not divide it. */
  @ParameterizedTest
  @CsvSource({
    "1w,1704067200000,9222940800000",
    "10w,1699228800000,9222940800000",
    "521w,1575244800000,9137664000000",
    "1d,1704240000000,9223286400000",
    "3650d,1576800000000,9145440000000"
  })
  void candles_atTheEndOfTheRange_comeLast(String interval, String first, String last) {
    String rows = HEAD + "1704274200,1,1\n9223372036,2,1\n";
    for (String window : List.of("", "--window 1", "--window 1000000")) {
      assertThat(Cli.csv(rows, window + " --interval " + interval).exits(0).lines())
          .containsExactly(
              "open_time,open,high,low,close,volume,count",
              first + ",1,1,1,1,1,1",
              last + ",2,2,2,2,1,1");
    }
  }

  @Test
  void sample_isWrittenAsAFile_thatHasTheSameCandles() throws Exception {
    String expected = Cli.run("candles --format csv").out();
    Path all = folder.resolve("all.csv");
    Path early = folder.resolve("early.csv");
    Path late = folder.resolve("late.json");
    Cli.run("sample --output " + all).exits(0);
    Cli.run("sample --count 50000 --output " + early).exits(0);
    Cli.run("sample --skip 50000 --format json --output " + late).exits(0);
    assertThat(Cli.run("sample --count 1").exits(0).out())
        .isEqualTo("timestamp,price,amount\n1385337600,800.010000000000,0.100000000000\n");
    assertThat(Cli.run("sample --count 0 --format json").exits(0).out()).isEqualTo("[\n\n]\n");
    for (String inputs : List.of(all.toString(), early + " " + late)) {
      assertThat(Cli.run("candles --format csv " + inputs).exits(0).out().equals(expected))
          .isTrue();
    }
  }

  @Test
  void input_isAFile_plainOrGzip() throws Exception {
    String expected = Cli.run(TRADES, "candles - --format csv").out();
    Path file = Files.write(folder.resolve("trades.csv.gz"), gzip(TRADES));
    assertThat(Cli.run("candles --format csv " + file).out()).isEqualTo(expected);
    assertThat(Cli.run("candles --format csv --input " + file).out()).isEqualTo(expected);
    assertThat(Cli.run("candles no.csv").exits(1).err()).isEqualTo("no.csv: file not found\n");
    assertThat(Cli.run("candles " + folder).exits(1).err())
        .isEqualTo(folder + ": directory must have a log with trades\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|command must be given, such as candles",
        "candle|Unmatched argument at index 0: 'candle'",
        "candles --interval 1x|interval must be a number and ms, s, m, h, d or w: --interval=1x",
        "candles --engine fast|Invalid value for option '--engine'",
        "candles --format xml|Invalid value for option '--format'",
        "candles --window 0|--window must be in 1..10000000: --window=0",
        "candles --shards 65|--shards must be in 1..64: --shards=65",
        "candles --shards many|'many' is not an int",
        "sample --count -1|--count must not be below 0: --count=-1",
        "sample trades.csv|Unmatched argument at index 1: 'trades.csv'",
        "sample --output /no/such/f|--output must be a file that can be written: ",
        "top|Missing required parameter: 'FILE'",
        "candles --input=|--input must have a name: --input=",
        "candles --log=|--log must have a name: --log=",
        "candles --nonsense|Unknown option: '--nonsense'",
        "candles - -|--input must be - once at most: --input=[-, -]",
        "candles --output /no/such/folder/file.csv|--output must be a file that can be written: ",
        "candles --telemetry /no/such/f|--telemetry must be a file that can be made: --telemetry="
      })
  void wrongUsage_exitsWith2(String arguments, String message) {
    Cli cli = Cli.run(arguments).exits(2);
    assertThat(cli.out()).isEmpty();
    assertThat(cli.err()).startsWith("ohlcv").contains(message).hasLineCount(2);
  }

  @Test
  void bars_inShorterCandles_areWrongUsage() {
    assertThat(Cli.csv(BARS, "--interval 1h").exits(2).err())
        .contains("--interval must be whole days for daily bars: --interval=1h");
  }

  @Test
  void output_appearsWhole() throws Exception {
    Path file = folder.resolve("candles.csv");
    Path other = Files.writeString(folder.resolve("candles.csv.part"), "mine");
    assertThat(Cli.csv(TRADES, "--output " + file).exits(0).out()).isEmpty();
    assertThat(file).hasContent(Cli.csv(TRADES, "").out());
    Cli bad = Cli.csv(TRADES + "x,1,1,buy\n", "--output " + file).exits(1);
    assertThat(bad.err()).contains("nothing was written");
    assertThat(file).hasContent(Cli.csv(TRADES, "").out());
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactlyInAnyOrder(file, other);
    }
    assertThat(other).hasContent("mine");
  }

  /** Whatever the file is called, and whichever option writes it. */
  @Test
  void output_thatIsTheInput_isRefused() throws Exception {
    Path input = Files.writeString(folder.resolve("trades.csv"), TRADES);
    Path soft = Files.createSymbolicLink(folder.resolve("soft.csv"), input.getFileName());
    Path hard = Files.createLink(folder.resolve("hard.csv"), input);
    for (Path written : List.of(input, soft, hard)) {
      for (String option : List.of("--output", "--telemetry")) {
        Cli cli = Cli.run("candles %s %s %s".formatted(input, option, written)).exits(2);
        assertThat(cli.err()).startsWith("ohlcv candles: " + option + " must be ");
        assertThat(input).hasContent(TRADES);
      }
    }
  }

  @Test
  void output_thatIsFull_isNamed() {
    assumeThat(Path.of("/dev/full")).exists();
    StringBuilder trades = new StringBuilder(HEAD);
    for (int minute = 0; minute < 1_000; minute++) {
      trades.append(1_700_000_040 + 60 * minute).append(",1,1\n");
    }
    assertThat(Cli.all(bytes(trades.toString()), "candles - --output /dev/full").exits(1).err())
        .contains("/dev/full: output must be writable: ");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(bytes(text));
    }
    return bytes.toByteArray();
  }
}
