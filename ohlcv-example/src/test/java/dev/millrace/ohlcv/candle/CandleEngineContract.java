package dev.millrace.ohlcv.candle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every engine must do, and that it agrees with the model. */
@Timeout(120)
public abstract class CandleEngineContract {
  private static final int TRADES = 60_000; // more than an hour of them
  private static final long SECOND = 1_000_000_000L;
  protected static final Interval MINUTE = Interval.parse("1m");
  private static final List<Side> SIDES = List.of(Side.UNKNOWN, Side.TAKER_BOUGHT, Side.TAKER_SOLD);

  /** Starts an engine of candles of a minute, with their quote volumes; the test closes it. */
  protected abstract CandleEngine start(int window, int history, CandleSink sink);

  final CandleEngine start(int window, CandleSink sink) {
    return start(window, 0, sink);
  }

  /** Compares what an engine has made of random trades with what the model has. */
  protected void assertAgrees(Emitted emitted, CandleEngine.Counts counts, ExactCandles exact) {
    assertThat(counts).isEqualTo(exact.counts());
    assertThat(emitted.refusals).isEqualTo(exact.refusals);
    assertThat(emitted.candles).isEqualTo(exact.candles);
  }

  /** How long the window is, seconds and prices of trades, and minute, prices and count. */
  @ParameterizedTest
  @CsvSource({
    // A later minute first; neither 101 opens, at the time of 100, nor 103 closes, at that of 104.
    "10, 70 105 30 102 10 100 10 101 50 103 50 104 20 99, 0 100 104 99 104 6; 1 105 105 105 105 1",
    // Minute 3 is late, and minute 4 when minute 6 has pushed it out.
    "2, 300 1 240 2 180 3 360 4 240 5, 4 2 2 2 2 1; 5 1 1 1 1 1; 6 4 4 4 4 1",
    // A jump over more than the window.
    "3, 0 1 60 2 120 3 180 4 60000 5, 0 1 1 1 1 1; 1 2 2 2 2 1; 2 3 3 3 3 1; 3 4 4 4 4 1;"
        + " 1000 5 5 5 5 1"
  })
  void accept_placesByTimeThenInputOrder(int window, String trades, String candles)
      throws Exception {
    List<Long> numbers = Arrays.stream(trades.split(" ", -1)).map(Long::valueOf).toList();
    List<String> expected = List.of(candles.split("; ", -1));
    Emitted emitted = new Emitted();
    try (CandleEngine engine = start(window, emitted)) {
      for (int i = 0; i < numbers.size(); i += 2) {
        engine.accept(trade(numbers.get(i), numbers.get(i + 1), 1));
      }
      engine.finish();
      long placed = emitted.candles.stream().mapToLong(Candle::count).sum();
      assertThat(engine.counts())
          .isEqualTo(new CandleEngine.Counts(placed, numbers.size() / 2 - placed, 0));
    }
    assertThat(emitted.candles).map(CandleEngineContract::text).isEqualTo(expected);
  }

  private static String text(Candle c) {
    long minute = c.openTimeNanos() / MINUTE.nanos();
    assertThat(c.volume()).isEqualTo(BigDecimal.valueOf(c.count())).isEqualTo(c.takerBuyVolume());
    return "%d %s %s %s %s %d".formatted(minute, c.open(), c.high(), c.low(), c.close(), c.count());
  }

  @Test
  void stop_emitsOnlyWhatHasLeft() throws Exception {
    Emitted emitted = new Emitted();
    try (CandleEngine engine = start(3, emitted)) {
      for (int minute = 0; minute < 10; minute++) {
        engine.accept(trade(60L * minute, 100, 1));
      }
      engine.stop();
    }
    assertThat(emitted.minutes()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
  }

  @Test
  void sinkThatFails_endsTheFeederToo() {
    CandleSink full =
        candle -> {
          throw new IOException("disk is full");
        };
    assertFails(full, 0, cause -> assertThat(cause).hasMessage("disk is full"));
  }

  /** Feeds more than any queue holds, once a trade of another symbol. */
  final void assertFails(CandleSink sink, int otherSymbol, Consumer<Throwable> check) {
    try (CandleEngine engine = start(1, sink)) {
      assertThatThrownBy(
              () -> {
                for (int minute = 0; ; minute++) {
                  int symbol = minute == 1_000 ? otherSymbol : 0;
                  engine.accept(trade(0, symbol, 60L * minute, 100, 0, 1, 0));
                }
              })
          .isInstanceOf(EngineException.class)
          .rootCause()
          .satisfies(check);
      assertThatThrownBy(engine::finish)
          .isInstanceOf(EngineException.class)
          .rootCause()
          .satisfies(check);
    }
  }

  @Test
  void close_withoutFinish_dropsAndDoesNotHang() throws Exception {
    CandleEngine engine = start(1, new Emitted());
    for (int i = 0; i < 1_000; i++) {
      engine.accept(trade(i, 100, 1));
    }
    engine.close();
  }

  /**
   * With all candles open, and with all but one closed: what is read must not differ. Many trades
   * in a minute show torn candles, a single one shows candles that are missed as they close.
   */
  @ParameterizedTest
  @CsvSource({"60, 0, 900", "1, 59, 900", "20, 40, 900", "1, 59, 1", "20, 40, 1"})
  void take_whileTradesArrive_showsWholeCandles(int window, int history, int perMinute)
      throws Exception {
    try (CandleEngine engine = start(window, history, new Emitted())) {
      CompletableFuture<Void> reading =
          CompletableFuture.runAsync(() -> readWholeCandles(engine, perMinute));
      for (int i = 0; i < TRADES; i++) {
        // Price and volume move together, so that any mixture of two states shows.
        engine.accept(trade(i * 60L / perMinute, 100 + i % 50, 1));
      }
      engine.finish();
      reading.get(60, TimeUnit.SECONDS);
      long newest = (TRADES - 1L) / perMinute;
      try (CandleSnapshot after = engine.newSnapshot(60)) {
        assertThat(minutes(after, after.take(0, 5)))
            .containsExactly(newest - 4, newest - 3, newest - 2, newest - 1, newest);
        assertThat(minutes(after, after.take(0, 60)))
            .hasSize(60)
            .startsWith(newest - 59)
            .isSorted();
        assertThat(after.take(7, 5)).isZero();
      }
    }
  }

  private static List<Long> minutes(CandleSnapshot candles, int count) {
    return LongStream.range(0, count)
        .map(i -> candles.openTimeNanos((int) i) / MINUTE.nanos())
        .boxed()
        .toList();
  }

  private static void readWholeCandles(CandleEngine engine, int perMinute) {
    try (CandleSnapshot candles = engine.newSnapshot(60)) {
      int looked = 0;
      for (long placed = 0; placed < TRADES; placed = engine.counts().trades()) {
        int count = candles.take(0, 60);
        long newest = count == 0 ? -1 : candles.openTimeNanos(count - 1) / MINUTE.nanos();
        long oldest = newest - count + 1;
        assertThat(newest).isGreaterThanOrEqualTo(placed == 0 ? -1 : (placed - 1) / perMinute);
        assertThat(count == 0 || candles.openTimeNanos(0) == oldest * MINUTE.nanos()).isTrue();
        for (int i = 0; i < count && looked < 50_000; i++, looked++) {
          Candle candle = candles.candle(i);
          assertThat(candle.openTimeNanos()).isEqualTo((oldest + i) * MINUTE.nanos());
          assertThat(candle.count()).isEqualTo(i < count - 1 ? perMinute : candle.count());
          assertThat(candle.volume().longValueExact()).isEqualTo(candle.count());
          assertThat(candle.takerBuyVolume()).isEqualByComparingTo(candle.volume());
          assertThat(candle.low()).isLessThanOrEqualTo(candle.close());
          assertThat(candle.high()).isGreaterThanOrEqualTo(candle.close());
        }
      }
    }
  }

  @Test
  void engine_onRandomTrades_agreesWithTheModel() throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      ExactCandles exact = new ExactCandles(MINUTE, window(seed));
      feedRandom(seed, exact::accept);
      exact.finish();
      assertThat(exact.candles).isNotEmpty();
      Emitted emitted = new Emitted();
      try (CandleEngine engine = start(window(seed), emitted)) {
        feedRandom(seed, engine::accept);
        engine.finish();
        assertAgrees(emitted, engine.counts(), exact);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private interface Feeder {
    void accept(Trade trade) throws Exception;
  }

  private static int window(int seed) {
    return 1 + seed % 20;
  }

  private static void feedRandom(int seed, Feeder feeder) throws Exception {
    Random random = new Random(seed);
    int scales = 1 + random.nextInt(Decimals.MAX_SCALE);
    int bits = 1 + random.nextInt(62);
    long time = 1_000_000;
    for (int i = 0; i < 2_000; i++) {
      time += random.nextInt(30) - (random.nextInt(10) == 0 ? 200 : 10);
      time += random.nextInt(500) == 0 ? 10_000 : 0;
      feeder.accept(
          new TradeRow(
              i,
              random.nextInt(3),
              time * SECOND,
              1 + (random.nextLong(Long.MAX_VALUE) >>> bits),
              random.nextInt(scales),
              random.nextLong(Long.MAX_VALUE) >>> bits,
              random.nextInt(scales),
              SIDES.get(random.nextInt(3)),
              random.nextInt(3)));
    }
  }

  static TradeRow trade(long seconds, long price, long volume) {
    return trade(0, 0, seconds, price, 0, volume, 0);
  }

  static TradeRow trade(
      long line, int symbol, long seconds, long price, int priceScale, long volume, int scale) {
    long time = seconds * SECOND;
    return new TradeRow(line, symbol, time, price, priceScale, volume, scale, Side.TAKER_BOUGHT, 1);
  }

  /** Keeps what an engine emits. */
  protected static final class Emitted implements CandleSink {
    public final List<Candle> candles = new ArrayList<>();
    public final List<String> refusals = new ArrayList<>();

    @Override
    public void candle(Candle candle) {
      candles.add(candle);
    }

    @Override
    public void refused(Trade trade, Refusal why) {
      if (why != Refusal.LATE) {
        refusals.add(trade.line() + " " + why);
      }
    }

    List<Long> minutes() {
      return candles.stream().map(c -> c.openTimeNanos() / MINUTE.nanos()).toList();
    }
  }
}
