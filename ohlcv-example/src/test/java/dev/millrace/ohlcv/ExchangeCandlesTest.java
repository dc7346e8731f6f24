package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Candles of real trades against those that the exchanges published for the same minutes. The data
 * is not part of the repository: {@code mvn verify -Dmillrace.data=FOLDER} tells where it is.
 */
final class ExchangeCandlesTest {
  private static final long MINUTE_MILLIS = 60_000;

  private Path data;

  @BeforeEach
  void findData() {
    String folder = System.getProperty("millrace.data", "");
    assumeTrue(
        !folder.isBlank(),
        "no market data: give its folder by -Dmillrace.data=FOLDER to check against exchanges");
    data = Path.of(folder);
    assertThat(data).isDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"off-heap", "naive", "pipeline"})
  void binance2020_equalsAll124FullMinutes(String engine) throws Exception {
    Map<Long, List<String>> ours =
        candles("binance/usdm_BTCUSDT_2020-02-22_trades_tardis.csv", engine);
    // The trades begin and end amid a minute.
    ours.remove(ours.keySet().iterator().next());
    ours.remove(ours.keySet().stream().max(Long::compare).orElseThrow());
    assertThat(ours).hasSize(124);
    assertEqualToKlines(ours, "binance/usdm_BTCUSDT_2020-02-22_klines_1m.csv");
  }

  @ParameterizedTest
  @ValueSource(strings = {"off-heap", "naive", "pipeline"})
  void binance2024_equalsAll5FullMinutes(String engine) throws Exception {
    Map<Long, List<String>> ours = candles("binance/usdm_BTCUSDT_2024-08-08_trades.csv", engine);
    ours.remove(ours.keySet().iterator().next()); // the trades begin amid a minute
    assertThat(ours).hasSize(5);
    assertEqualToKlines(ours, "binance/usdm_BTCUSDT_2024-08-08_klines_1m.csv");
  }

  @ParameterizedTest
  @ValueSource(strings = {"off-heap", "naive", "pipeline"})
  void kraken_equalsAllButTheFirstMinute(String engine) throws Exception {
    Map<Long, List<String>> ours = candles("kraken/http_trades.json", engine, "--fill", "previous");
    Map<Long, List<String>> theirs = krakenCandles(data.resolve("kraken/http_ohlc.json"));
    long firstMinute = ours.keySet().iterator().next();
    int traded = 0;
    int tradedEqual = 0;
    int empty = 0;
    for (Map.Entry<Long, List<String>> candle : ours.entrySet()) {
      List<String> expected = theirs.get(candle.getKey());
      assertThat(expected).as("minute %d", candle.getKey()).isNotNull();
      boolean equal = true;
      for (int i = 0; i < expected.size(); i++) {
        equal &= rounded(candle.getValue().get(i), expected.get(i));
      }
      boolean any = !candle.getValue().get(5).equals("0");
      traded += any ? 1 : 0;
      tradedEqual += any && equal ? 1 : 0;
      empty += any ? 0 : 1;
      // The request for trades began amid the first minute.
      assertThat(equal).as("minute %d", candle.getKey()).isEqualTo(candle.getKey() != firstMinute);
    }
    assertThat(traded).isEqualTo(274);
    assertThat(tradedEqual).isEqualTo(273);
    assertThat(empty).isEqualTo(ours.size() - 274).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"off-heap", "naive", "pipeline"})
  void dailyPrices_keepEachSoundBar(String engine) throws Exception {
    String file = "daily/World-Stock-Prices-Dataset_2023-09-20_slice.csv";
    Cli stopped = Cli.run("candles", "--input", data.resolve(file).toString(), "--engine", engine);
    assertThat(stopped.exitCode()).isEqualTo(1);
    assertThat(stopped.err()).hasLineCount(1).contains("slice.csv:");
    Cli skipped = run(file, engine, "--on-error", "skip");
    // 24,522 rows, of which 159 repeat a symbol's day or are broken.
    assertThat(skipped.lines()).hasSize(1 + 24_522 - 159);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "binance/usdm_BTCUSDT_2020-02-22_trades_tardis.csv",
        "binance/usdm_BTCUSDT_2024-08-08_trades.csv",
        "kraken/http_trades.json",
        "daily/World-Stock-Prices-Dataset_2023-09-20_slice.csv"
      })
  void allEngines_giveTheSameBytes(String file) {
    String one = run(file, "off-heap", "--on-error", "skip").out();
    for (String engine : List.of("naive", "pipeline")) {
      boolean isSame = run(file, engine, "--on-error", "skip").out().equals(one);
      assertThat(isSame).as("output of %s", engine).isTrue();
    }
    for (String engine : List.of("off-heap", "pipeline")) {
      for (String shards : List.of("2", "5")) {
        Cli many = run(file, engine, "--on-error", "skip", "--shards", shards);
        assertThat(many.out().equals(one)).as("output of %s shards", shards).isTrue();
      }
    }
  }

  private void assertEqualToKlines(Map<Long, List<String>> ours, String file) throws Exception {
    Map<Long, List<String>> theirs = new LinkedHashMap<>();
    for (String line : Files.readAllLines(data.resolve(file)).subList(1, lineCount(file))) {
      String[] kline = line.split(",", -1);
      theirs.put(
          Long.valueOf(kline[0]),
          List.of(
              kline[1], kline[2], kline[3], kline[4], kline[5], kline[8], kline[7], kline[9],
              kline[10]));
    }
    for (Map.Entry<Long, List<String>> candle : ours.entrySet()) {
      List<String> expected = theirs.get(candle.getKey());
      assertThat(expected).as("minute %d", candle.getKey()).isNotNull();
      assertThat(expected).hasSize(9);
      for (int i = 0; i < expected.size(); i++) {
        assertThat(rounded(candle.getValue().get(i), expected.get(i)))
            .as("minute %d, field %d: %s", candle.getKey(), i, candle.getValue())
            .isTrue();
      }
    }
  }

  private int lineCount(String file) throws Exception {
    return Files.readAllLines(data.resolve(file)).size();
  }

  /** Whether our exact number, rounded to the exchange's decimals, is the exchange's. */
  private static boolean rounded(String ours, String theirs) {
    BigDecimal expected = new BigDecimal(theirs);
    BigDecimal exact = new BigDecimal(ours);
    return exact.setScale(expected.scale(), RoundingMode.HALF_UP).compareTo(expected) == 0;
  }

  /** The fields behind the time: open, high, low, close, volume, count, and the sums behind. */
  private Map<Long, List<String>> candles(String file, String engine, String... options) {
    Map<Long, List<String>> candles = new LinkedHashMap<>();
    for (String line : run(file, engine, options).lines().stream().skip(1).toList()) {
      String[] fields = line.split(",", -1);
      candles.put(Long.valueOf(fields[0]), List.of(fields).subList(1, fields.length));
    }
    return candles;
  }

  private Cli run(String file, String engine, String... options) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "candles",
                "--input",
                data.resolve(file).toString(),
                "--engine",
                engine,
                "--format",
                "csv"));
    arguments.addAll(List.of(options));
    Cli cli = Cli.run(arguments.toArray(String[]::new));
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    return cli;
  }

  /** {@code [seconds, open, high, low, close, vwap, volume, count]} per minute. */
  private static Map<Long, List<String>> krakenCandles(Path file) throws Exception {
    Map<Long, List<String>> candles = new LinkedHashMap<>();
    try (JsonParser parser = new JsonFactory().createParser(file.toFile())) {
      List<String> row = new ArrayList<>();
      for (JsonToken token; (token = parser.nextToken()) != null; ) {
        if (token == JsonToken.START_ARRAY) {
          row.clear();
        } else if (token.isScalarValue()) {
          row.add(parser.getText());
        } else if (token == JsonToken.END_ARRAY && row.size() == 8) {
          candles.put(
              Long.parseLong(row.get(0)) * 1_000,
              List.of(row.get(1), row.get(2), row.get(3), row.get(4), row.get(6), row.get(7)));
          row.clear();
        }
      }
    }
    assertThat(candles.keySet()).allMatch(time -> time % MINUTE_MILLIS == 0);
    return candles;
  }
}
