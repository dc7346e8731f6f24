package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds candles on which all engines agree and that are wrong all the same: they are compared with
 * those that the exchanges published for the same minutes. The data is not part of the repository:
 * {@code mvn verify -Dmillrace.data=FOLDER} tells where it is.
 */
final class ExchangeCandlesTest {
  private static final String BARS = "daily/World-Stock-Prices-Dataset_2023-09-20_slice.csv";

  /** The trades begin within a minute, and those of 2020 end within one. */
  @ParameterizedTest
  @CsvSource({
    "usdm_BTCUSDT_2020-02-22_trades_tardis.csv, usdm_BTCUSDT_2020-02-22_klines_1m.csv, 124, 1",
    "usdm_BTCUSDT_2024-08-08_trades.csv, usdm_BTCUSDT_2024-08-08_klines_1m.csv, 5, 0"
  })
  void binance_equalsAllFullMinutes(String trades, String klines, int minutes, int cut)
      throws Exception {
    Map<Long, List<String>> ours = candles("binance/" + trades, "");
    Map<Long, List<String>> theirs = new LinkedHashMap<>();
    for (String line : Files.readAllLines(Cli.data("binance/" + klines))) {
      String[] kline = line.split(",", -1);
      if (!kline[0].equals("open_time")) {
        theirs.put(
            Long.valueOf(kline[0]),
            Stream.of(1, 2, 3, 4, 5, 8, 7, 9, 10).map(field -> kline[field]).toList());
      }
    }
    List<Long> times = List.copyOf(ours.keySet()).subList(1, ours.size() - cut);
    assertThat(times).hasSize(minutes);
    for (long time : times) {
      assertThat(theirs).containsKey(time);
      assertThat(isRounded(ours.get(time), theirs.get(time))).as("minute %d", time).isTrue();
    }
  }

  /** The request for trades began within the first minute. */
  @Test
  void kraken_equalsAllButTheFirstMinute() throws Exception {
    Map<Long, List<String>> ours = candles("kraken/http_trades.json", "--fill previous");
    Map<Long, List<String>> theirs = new LinkedHashMap<>();
    JsonNode answer = new ObjectMapper().readTree(Cli.data("kraken/http_ohlc.json").toFile());
    for (JsonNode row : answer.path("result").path("XBTUSDT")) {
      theirs.put(
          row.get(0).asLong() * 1_000,
          Stream.of(1, 2, 3, 4, 6, 7).map(field -> row.get(field).asText()).toList());
    }
    List<Long> times = new ArrayList<>(ours.keySet());
    assertThat(times.stream().filter(time -> !ours.get(time).get(5).equals("0"))).hasSize(274);
    assertThat(times).hasSizeGreaterThan(274);
    long first = times.removeFirst();
    assertThat(isRounded(ours.get(first), theirs.get(first))).isFalse();
    for (long time : times) {
      assertThat(theirs).containsKey(time);
      assertThat(isRounded(ours.get(time), theirs.get(time))).as("minute %d", time).isTrue();
    }
  }

  /** Of 24,522 rows 159 repeat a symbol's day or are broken. */
  @Test
  void dailyPrices_keepEachSoundBar() {
    String line = "candles --format csv --input " + Cli.data(BARS);
    assertThat(Cli.all(new byte[0], line).exits(1).err())
        .hasLineCount(1)
        .contains("slice.csv:245:", "--on-error skip leaves such rows out");
    assertThat(Cli.all(new byte[0], line + " --on-error skip").exits(0).lines())
        .hasSize(1 + 24_522 - 159);
  }

  /** Whether each exact number, rounded to the exchange's decimals, is the exchange's. */
  private static boolean isRounded(List<String> ours, List<String> theirs) {
    for (int i = 0; i < theirs.size(); i++) {
      BigDecimal expected = new BigDecimal(theirs.get(i));
      BigDecimal exact = new BigDecimal(ours.get(i));
      if (exact.setScale(expected.scale(), RoundingMode.HALF_UP).compareTo(expected) != 0) {
        return false;
      }
    }
    return true;
  }

  /** The fields behind the time: open, high, low, close, volume, count, and the sums behind. */
  private static Map<Long, List<String>> candles(String file, String options) {
    String line = "candles --format csv %s %s".formatted(Cli.data(file), options);
    Map<Long, List<String>> candles = new LinkedHashMap<>();
    for (String row : Cli.all(new byte[0], line).exits(0).lines()) {
      List<String> fields = List.of(row.split(",", -1));
      if (!fields.getFirst().equals("open_time")) {
        candles.put(Long.valueOf(fields.getFirst()), fields.subList(1, fields.size()));
      }
    }
    return candles;
  }
}
