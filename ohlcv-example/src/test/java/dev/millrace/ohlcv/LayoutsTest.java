package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Finds a venue's file that is read by the wrong columns or refused. Each file holds the same two
 * trades, 2 bought at 100.5 and 1 sold at 100, as that venue writes them; each must give the same
 * candle without a column option.
 */
final class LayoutsTest {
  private static final String CANDLE_WITHOUT_SIDE = "1700000040000,100.5,100.5,100,100,3,2";
  private static final String CANDLE = CANDLE_WITHOUT_SIDE + ",301,2,201";

  record File(String name, String text) {
    boolean hasSide() {
      return !name.endsWith("(no side)");
    }

    boolean hasHeader() {
      String line = text.lines().findFirst().orElseThrow();
      return line.toLowerCase(Locale.ROOT).contains("price")
          && !"[{".contains(line.substring(0, 1));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Each file of a resource: a line with its name, its text, an empty line. */
  private static List<File> read(String resource) throws IOException {
    try (InputStream bytes = LayoutsTest.class.getResourceAsStream(resource)) {
      String text = new String(bytes.readAllBytes(), StandardCharsets.UTF_8).translateEscapes();
      return Arrays.stream(text.split("\n\n"))
          .map(file -> file.strip().split("\n", 2))
          .map(nameAndText -> new File(nameAndText[0], nameAndText[1].stripTrailing() + '\n'))
          .toList();
    }
  }

  static List<File> files() throws IOException {
    return read("layouts.txt");
  }

  @ParameterizedTest
  @MethodSource("files")
  void file_isRecognised(File file) {
    Cli cli = Cli.csv(file.text, "").exits(0);
    assertThat(candle(cli)).isEqualTo(file.hasSide() ? CANDLE : CANDLE_WITHOUT_SIDE);
    if (!"[{".contains(file.text.substring(0, 1))) {
      // A line of the file once more, with a quote before it that nothing closes, costs itself.
      String broken = '"' + file.text.substring(file.text.strip().lastIndexOf('\n') + 1);
      Cli skipping = Cli.run(file.text + broken, "candles - --format csv --on-error skip").exits(0);
      assertThat(skipping.out()).isEqualTo(cli.out());
      assertThat(skipping.err()).contains("1 skipped as bad");
    }
  }

  /** Columns without a name, in another order, with names in another case: the same candle. */
  @ParameterizedTest
  @MethodSource("files")
  void columns_areToldByTheirNamesAlone(File file) {
    assumeTrue(file.hasHeader() && file.text.contains(",") && !file.text.contains("\"12,37"));
    List<String> lines = file.text.lines().filter(line -> !line.contains("sep=")).toList();
    lines = lines.stream().filter(line -> !line.startsWith("# ")).toList();
    String header = lines.getFirst();
    for (UnaryOperator<List<String>> change :
        List.<UnaryOperator<List<String>>>of(
            fields -> with(0, fields), fields -> with(fields.size(), fields), List::reversed)) {
      for (String head :
          List.of(header, header.toUpperCase(Locale.ROOT), header.toLowerCase(Locale.ROOT))) {
        List<String> rows = new ArrayList<>(lines);
        rows.set(0, head);
        String text =
            rows.stream()
                .map(line -> String.join(",", change.apply(List.of(line.split(",", -1)))))
                .collect(Collectors.joining("\n"));
        Cli cli = Cli.run(text, "candles - --format csv").exits(0);
        assertThat(candle(cli))
            .as(text)
            .isEqualTo(candle(Cli.run(file.text, "candles - --format csv")));
      }
    }
  }

  private static List<String> with(int index, List<String> fields) {
    List<String> more = new ArrayList<>(fields);
    more.add(index, "");
    return more;
  }

  private static String candle(Cli cli) {
    assertThat(cli.lines()).as(cli.err()).hasSize(2);
    boolean hasSymbol = cli.lines().getFirst().endsWith(",symbol");
    return cli.lines().getLast().replaceAll(hasSymbol ? ",S$" : "$^", "");
  }

  static List<File> refused() throws IOException {
    return read("refused.txt");
  }

  /** Ambiguous input is refused; the last line is the expected message. */
  @ParameterizedTest
  @MethodSource("refused")
  void file_thatIsNotUnderstood_isRefused(File file) {
    List<String> lines = file.text.lines().toList();
    String rows = String.join("\n", lines.subList(0, lines.size() - 1));
    Cli cli = Cli.csv(rows, "").exits(1);
    assertThat(cli.err()).startsWith(lines.getLast()).hasLineCount(1);
    assertThat(cli.lines()).hasSizeLessThan(2);
  }

  @ParameterizedTest
  @CsvSource({
    "side,buy,1",
    "side,S,0",
    "side,Bid,1",
    "side,True,1",
    "side,unknown,0",
    "maker,True,0",
    "maker,sell,1",
    "maker,unknown,0"
  })
  void side_isTheTakers(String column, String text, String bought) {
    String rows = "time,price,qty," + column + "\n1700000040,1,1," + text;
    assertThat(Cli.csv(rows, "--side " + column).lines().getLast().split(",", -1)[8])
        .isEqualTo(bought);
  }

  private static final String SUMMED =
      """
      1,100.5,2,10,14,1700000040000,false
      2,100,1,15,15,1700000041000,true
      """;
  private static final String HEADER =
      "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker\n";
  private static final String NUMBERED = "a,1700000040,7,2,100.5\nb,1700000041,7,1,100\n";

  /** Rows, options and the candles. */
  static Stream<Arguments> options() throws IOException {
    String tardis = files().getFirst().text;
    String candle = "1700000040000,100.5,100.5,100,100,3,";
    return Stream.of(
        // Rows that stand for several trades, with and without a header.
        arguments(SUMMED, "", candle + "6,301,2,201"),
        arguments(HEADER + SUMMED, "", candle + "6,301,2,201"),
        // Columns by number, and trades that have none but the needed ones.
        arguments(NUMBERED, "--time 2 --price 5 --volume 4", candle + "2"),
        arguments("1700000040,100.5,2\n1700000041,100,1\n", "", candle + "2"),
        // Options win over the layout.
        arguments(tardis, "--volume id --symbol side", "1700000040000,100,100,100,100,2,1,sell"),
        arguments(tardis, "--time local_timestamp", candle + "2,301,2,201,S"),
        // Days are those of the file, whatever their zone; each comes once for each symbol.
        arguments(BARS, "--on-error skip", "1695168000000,5,5,5,5,0,1,BB"),
        arguments(BARS, "--on-error skip", "1695168000000,2,4,1,3,10,1,AA"),
        arguments(BARS, "--on-error skip", "1695081600000,9,9.5,8,8.5,7,1,AA"));
  }

  private static final String BARS =
      """
      Date,Open,High,Low,Close,Volume,Dividends,Stock Splits,Brand_Name,Ticker
      2023-09-20 00:00:00-04:00,2,4,1,3,10,0,0,a,AA
      2023-09-20 00:00:00+09:00,5,5,5,5,0,0,0,b,BB
      2023-09-19 00:00:00-04:00,9,9.5,8,8.5,7,0,0,a,AA
      2023-09-20 00:00:00-04:00,2,4,1,3,10,0,0,a,AA
      2023-09-18 00:00:00-04:00,0.5,4,1,3,10,0,0,a,AA
      """;

  @ParameterizedTest
  @MethodSource("options")
  void columns_areThoseOfTheOptionsOrTheLayout(String rows, String options, String candle) {
    assertThat(Cli.csv(rows, options).exits(0).lines()).contains(candle);
  }

  @Test
  void rows_thatAreLeftOut_areCounted() throws IOException {
    assertThat(readText(files().get(1).text).err()).contains("1 left out by type");
    assertThat(Cli.csv(BARS, "--on-error skip").err())
        .contains("2 skipped as bad")
        .contains(
            "stdin:5: Date must be there once for each symbol: Date=2023-09-20 00:00:00-04:00");
    assertThat(readText(NUMBERED).exits(1).err())
        .isEqualTo(
            "stdin:1: time column must be given by --time: first row=a,1700000040,7,2,100.5\n");
  }

  private static Cli readText(String text) {
    return Cli.csv(text, "");
  }
}
