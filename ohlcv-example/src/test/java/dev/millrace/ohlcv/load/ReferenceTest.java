package dev.millrace.ohlcv.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Holds the reference against candles that are kept up trade by trade. */
class ReferenceTest {
  // Few trades, so that some minutes have none.
  private static final LoadSettings SETTINGS =
      new LoadSettings(CandleEngine.Kind.NAIVE, 400, 10, 5, 1, 3, 7, 3);

  private record Key(int symbol, int minute) {}

  @Test
  void candle_afterEachTrade_isTheCandleKeptUp() {
    long trades = SETTINGS.totalTrades();
    Reference reference = new Reference(SETTINGS, trades);
    TradeGenerator generator = new TradeGenerator(SETTINGS);
    Map<Key, ScaledCandle> open = new HashMap<>();
    int[] positions = new int[SETTINGS.symbols()];
    for (long i = 0; i < trades; i++) {
      generator.advance();
      int symbol = generator.symbol();
      int minute = (int) Reference.minute(generator.timeNanos());
      ScaledCandle candle =
          open.merge(
              new Key(symbol, minute), first(generator), (before, first) -> add(before, first));
      positions[symbol]++;
      assertThat(reference.candle(symbol, minute, (int) candle.count())).isEqualTo(candle);
      assertThat(reference.position(symbol, i + 1)).isEqualTo(positions[symbol]);
      assertThat(reference.count(symbol, minute, positions[symbol]))
          .isEqualTo((int) candle.count());
      assertThat(reference.count(symbol, minute, positions[symbol] - 1))
          .isEqualTo((int) candle.count() - 1);
      assertThat(reference.newestMinute(symbol, positions[symbol])).isEqualTo(minute);
    }
    open.forEach(
        (key, candle) ->
            assertThat(reference.fullCount(key.symbol, key.minute))
                .isEqualTo((int) candle.count()));
    assertThat(open).as("some minutes have no trade").hasSizeLessThan(3 * reference.minutes());
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
        new LoadSettings(CandleEngine.Kind.NAIVE, 50_000, 10, 60, 0, 3, 7, 2).flatOut(1, 1);
    long trades = 4_000_000;
    Reference whole = new Reference(settings, trades);
    Reference last = Reference.ofLastWindows(settings, trades);
    assertThat(last.position(0, trades)).as("held").isLessThan(whole.position(0, trades));
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

  private static ScaledCandle first(TradeGenerator trade) {
    long price = trade.price();
    long volume = trade.volume();
    long openTime =
        LoadSettings.START_NANOS + Reference.minute(trade.timeNanos()) * LoadSettings.MINUTE_NANOS;
    long bought = trade.bought() ? volume : 0;
    long[] numbers = {
      trade.symbol(),
      openTime,
      price,
      price,
      price,
      price,
      volume,
      1,
      price * volume,
      bought,
      price * bought
    };
    return ScaledCandle.of(numbers);
  }

  private static ScaledCandle add(ScaledCandle before, ScaledCandle one) {
    return new ScaledCandle(
        before.symbol(),
        before.openTimeNanos(),
        before.open(),
        Math.max(before.high(), one.high()),
        Math.min(before.low(), one.low()),
        one.close(),
        before.volume() + one.volume(),
        before.count() + 1,
        before.quoteVolume() + one.quoteVolume(),
        before.takerBuyVolume() + one.takerBuyVolume(),
        before.takerBuyQuoteVolume() + one.takerBuyQuoteVolume());
  }
}
