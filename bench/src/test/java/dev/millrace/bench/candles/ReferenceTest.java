package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.ExactCandles;
import dev.millrace.ohlcv.candle.Interval;
import org.junit.jupiter.api.Test;

/**
 * Finds a recomputed candle that differs from that of {@link ExactCandles}: every load test
 * compares answers with it, and would call right ones wrong.
 */
class ReferenceTest {
  // Few trades, so that some minutes have none.
  private static final LoadSettings SETTINGS =
      new LoadSettings(CandleContender.NAIVE, 400, 10, 5, 1, 3, 7, 3, true);

  /** After different numbers of trades, so that candles are unfinished too. */
  @Test
  void candle_afterSoManyTrades_isTheModels() {
    long all = SETTINGS.totalTrades();
    Reference reference = new Reference(SETTINGS, all);
    for (long trades = 1; trades <= all; trades += all / 5) {
      ExactCandles exact = new ExactCandles(Interval.parse("1m"), Integer.MAX_VALUE);
      TradeGenerator generator = new TradeGenerator(SETTINGS);
      int[] positions = new int[SETTINGS.symbols()];
      int[] newest = new int[SETTINGS.symbols()];
      for (long i = 0; i < trades; i++) {
        generator.advance();
        exact.accept(generator);
        positions[generator.symbol()]++;
        newest[generator.symbol()] = (int) Reference.minute(generator.timeNanos());
      }
      exact.finish();
      for (Candle candle : exact.candles) {
        int symbol = candle.symbol();
        int minute = (int) Reference.minute(candle.openTimeNanos());
        int position = reference.position(symbol, trades);
        assertThat(position).isEqualTo(positions[symbol]);
        assertThat(reference.newestMinute(symbol, position)).isEqualTo(newest[symbol]);
        assertThat(reference.count(symbol, minute, position)).isEqualTo((int) candle.count());
        assertThat(reference.candle(symbol, minute, (int) candle.count()))
            .isEqualTo(reference.candle(symbol, minute, 1, position))
            .isEqualTo(ScaledCandle.of(ScaledCandle.numbers(candle)));
      }
      assertThat(exact.candles)
          .as("some minutes have no trade")
          .hasSizeLessThan(3 * reference.minutes());
    }
  }

  @Test
  void newestMinute_beforeTheFirstTrade_isNone() {
    Reference reference = new Reference(SETTINGS, 100);
    assertThat(reference.newestMinute(0, 0)).isEqualTo(-1);
    assertThat(reference.position(0, 0)).isZero();
  }

  @Test
  void ofLastWindows_knowsTheLastWindowsAsTheWholeDoes() {
    LoadSettings settings =
        new LoadSettings(CandleContender.NAIVE, 50_000, 10, 60, 0, 3, 7, 2, true).flatOut(1, 1);
    long trades = 2_700_000; // the last windows have 2.5 million
    Reference whole = new Reference(settings, trades);
    Reference last = Reference.ofLastWindows(settings, trades);
    assertThat(last.position(0, trades)).isEqualTo(whole.position(0, trades));
    assertThat(last.fullCount(0, 100)).as("not held").isZero();
    for (int symbol = 0; symbol < 2; symbol++) {
      int newest = whole.newestMinute(symbol, whole.position(symbol, trades));
      assertThat(last.newestMinute(symbol, last.position(symbol, trades))).isEqualTo(newest);
      for (int minute = newest - LoadSettings.WINDOW; minute <= newest; minute++) {
        int count = whole.fullCount(symbol, minute);
        assertThat(last.fullCount(symbol, minute)).isEqualTo(count);
        assertThat(last.candle(symbol, minute, count))
            .isEqualTo(whole.candle(symbol, minute, count));
      }
    }
  }
}
