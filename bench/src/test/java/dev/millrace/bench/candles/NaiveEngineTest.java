package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleEngineContract;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.ExactCandles;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.TradeSource;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Finds a naive engine that makes other candles than the rest, so that its speed would be that of
 * another task. Its numbers have 15 digits: they are exact if those of the model have no more.
 */
class NaiveEngineTest extends CandleEngineContract {
  private static final int DIGITS = 15;
  private static final RecursiveComparisonConfiguration TO_FIFTEEN_DIGITS =
      RecursiveComparisonConfiguration.builder()
          .withEqualsForType(NaiveEngineTest::isNear, BigDecimal.class)
          .build();

  @Override
  protected CandleEngine start(int window, int history, CandleSink sink) {
    return new NaiveEngine(new CandleEngine.Options(MINUTE, window, history, true, 1), sink);
  }

  @Override
  protected void assertAgrees(Emitted emitted, CandleEngine.Counts counts, ExactCandles exact) {
    assertThat(emitted.refusals).isEmpty();
    if (exact.refusals.isEmpty()) { // else the model has less: its sums have a limit
      assertThat(counts).isEqualTo(exact.counts());
      assertThat(emitted.candles).hasSameSizeAs(exact.candles);
      for (int i = 0; i < exact.candles.size(); i++) {
        assertThat(emitted.candles.get(i))
            .usingRecursiveComparison(TO_FIFTEEN_DIGITS)
            .isEqualTo(exact.candles.get(i));
      }
    }
  }

  private static boolean isNear(BigDecimal naive, BigDecimal exact) {
    BigDecimal error = naive.subtract(exact).abs();
    return exact.precision() <= DIGITS
        ? error.signum() == 0
        : error.compareTo(exact.scaleByPowerOfTen(1 - DIGITS)) <= 0;
  }

  /**
   * Real trades, of which those of the off-heap engine are the exchanges' own: see
   * ExchangeCandlesTest of the example, which says where the files come from.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "binance/usdm_BTCUSDT_2020-02-22_trades_tardis.csv",
        "binance/usdm_BTCUSDT_2024-08-08_trades.csv",
        "kraken/http_trades.json",
        "daily/World-Stock-Prices-Dataset_2023-09-20_slice.csv"
      })
  void candles_ofRealTrades_areThoseOfTheOffHeapEngine(String file) throws Exception {
    String folder = System.getProperty("millrace.data", "");
    assumeTrue(!folder.isBlank(), "no market data: give its folder by -Dmillrace.data=FOLDER");
    List<Candle> exact = candles(CandleContender.OFF_HEAP, Path.of(folder, file));
    List<Candle> naive = candles(CandleContender.NAIVE, Path.of(folder, file));
    assertThat(naive.equals(exact)).as("%d candles", exact.size()).isTrue();
    assertThat(exact).hasSizeGreaterThan(5);
  }

  private static List<Candle> candles(CandleContender contender, Path file) throws Exception {
    List<Candle> candles = new ArrayList<>();
    try (Feeds feeds = new Feeds(List.of(TradeSource.file(file)), Map.of(), true)) {
      Interval interval = Interval.parse(feeds.isBars() ? "1d" : "1m");
      CandleEngine.Options options =
          new CandleEngine.Options(interval, 10_000, 0, feeds.hasSides(), 1);
      try (CandleEngine engine = contender.start(options, candles::add)) {
        feeds.readAll(engine::accept);
        engine.finish();
      }
    }
    return candles;
  }
}
