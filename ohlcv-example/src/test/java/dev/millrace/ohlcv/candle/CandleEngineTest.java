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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What all engines must do, and that they agree. */
@Timeout(120)
final class CandleEngineTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Interval MINUTE = Interval.parse("1m");
  private static final List<Side> SIDES = List.of(Side.UNKNOWN, Side.TAKER_BOUGHT, Side.TAKER_SOLD);

  /** The engines, that of stages also with shards: where there is one symbol, two of them idle. */
  enum Engine {
    OFF_HEAP(CandleEngine.Kind.OFF_HEAP, 1),
    NAIVE(CandleEngine.Kind.NAIVE, 1),
    PIPELINE(CandleEngine.Kind.PIPELINE, 1),
    SHARDED(CandleEngine.Kind.OFF_HEAP, 3);

    private final CandleEngine.Kind kind;
    private final int shards;

    Engine(CandleEngine.Kind kind, int shards) {
      this.kind = kind;
      this.shards = shards;
    }

    CandleEngine start(int window, CandleSink sink) {
      return start(window, 0, sink);
    }

    CandleEngine start(int window, int history, CandleSink sink) {
      return kind.start(new CandleEngine.Options(MINUTE, window, history, true, shards), sink);
    }
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
    for (Engine kind : Engine.values()) {
      Emitted emitted = new Emitted();
      try (CandleEngine engine = kind.start(window, emitted)) {
        for (int i = 0; i < numbers.size(); i += 2) {
          engine.accept(trade(numbers.get(i), numbers.get(i + 1), 1));
        }
        engine.finish();
        long placed = emitted.candles.stream().mapToLong(Candle::count).sum();
        assertThat(engine.counts())
            .isEqualTo(new CandleEngine.Counts(placed, numbers.size() / 2 - placed, 0));
      }
      assertThat(emitted.candles).map(CandleEngineTest::text).isEqualTo(expected);
    }
  }

  private static String text(Candle c) {
    long minute = c.openTimeNanos() / MINUTE.nanos();
    assertThat(c.volume()).isEqualTo(BigDecimal.valueOf(c.count())).isEqualTo(c.takerBuyVolume());
    return "%d %s %s %s %s %d".formatted(minute, c.open(), c.high(), c.low(), c.close(), c.count());
  }

  @ParameterizedTest
  @EnumSource
  void stop_emitsOnlyWhatHasLeft(Engine kind) throws Exception {
    Emitted emitted = new Emitted();
    try (CandleEngine engine = kind.start(3, emitted)) {
      for (int minute = 0; minute < 10; minute++) {
        engine.accept(trade(60L * minute, 100, 1));
      }
      engine.stop();
    }
    assertThat(emitted.minutes()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
  }

  @ParameterizedTest
  @EnumSource(names = "NAIVE", mode = EnumSource.Mode.EXCLUDE)
  void accept_ofSumTooLarge_refusesTheTradeAlone(Engine kind) throws Exception {
    Emitted emitted = new Emitted();
    try (CandleEngine engine = kind.start(3, emitted)) {
      engine.accept(trade(1, 0, 0, 1, 0, 1, 30));
      engine.accept(trade(17, 0, 1, 2, 0, Long.MAX_VALUE, 0));
      engine.accept(trade(3, 0, 2, 3, 0, 1, 30));
      engine.finish();
      assertThat(engine.counts()).isEqualTo(new CandleEngine.Counts(2, 0, 1));
    }
    assertThat(emitted.refusals).containsExactly("17 " + Refusal.VOLUME);
    assertThat(emitted.candles.getFirst().close()).isEqualByComparingTo("3");
  }

  @ParameterizedTest
  @EnumSource
  void sinkThatFails_endsTheFeederToo(Engine kind) {
    CandleSink full =
        candle -> {
          throw new IOException("disk is full");
        };
    assertFails(kind, full, 0, "disk is full");
  }

  /** The queues are full then, so that every thread waits for room. */
  @ParameterizedTest
  @EnumSource(names = "NAIVE", mode = EnumSource.Mode.EXCLUDE)
  void sinkThatFails_whileTheFeederWaits_letsAllGo(Engine kind) {
    Thread feeder = Thread.currentThread();
    CandleSink full =
        candle -> {
          while (feeder.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
          }
          throw new IOException("disk is full");
        };
    assertFails(kind, full, 0, "disk is full");
  }

  @ParameterizedTest
  @EnumSource(names = "NAIVE", mode = EnumSource.Mode.EXCLUDE)
  void aggregatorThatFails_endsTheFeederToo(Engine kind) {
    assertFails(kind, new Emitted(), -1, "Index -1 out of bounds"); // no array has it
  }

  /** Feeds more than any queue holds, once a trade of another symbol. */
  private void assertFails(Engine kind, CandleSink sink, int otherSymbol, String message) {
    try (CandleEngine engine = kind.start(1, sink)) {
      assertThatThrownBy(
              () -> {
                for (int minute = 0; ; minute++) {
                  int symbol = minute == 1_000 ? otherSymbol : 0;
                  engine.accept(trade(0, symbol, 60L * minute, 100, 0, 1, 0));
                }
              })
          .isInstanceOf(EngineException.class)
          .rootCause()
          .hasMessageStartingWith(message);
      assertThatThrownBy(engine::finish)
          .isInstanceOf(EngineException.class)
          .rootCause()
          .hasMessageStartingWith(message);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "NAIVE", mode = EnumSource.Mode.EXCLUDE)
  void accept_whenInterruptedWhileItWaits_hasNotTakenTheTrade(Engine kind) throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Emitted emitted = new Emitted();
    CandleSink slow =
        candle -> {
          awaitQuietly(goOn);
          emitted.candle(candle);
        };
    try (CandleEngine engine = kind.start(1, slow)) {
      AtomicLong taken = new AtomicLong();
      Thread.currentThread().interrupt();
      assertThatThrownBy(
              () -> {
                while (true) { // until no queue has room
                  engine.accept(trade(60 * taken.get(), 100, 1));
                  taken.incrementAndGet();
                }
              })
          .isInstanceOf(InterruptedException.class);
      goOn.countDown();
      engine.finish();
      assertThat(emitted.candles).hasSize((int) taken.get());
      assertThat(emitted.minutes()).isSorted();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void close_withoutFinish_dropsAndDoesNotHang(Engine kind) throws Exception {
    CandleEngine engine = kind.start(1, new Emitted());
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
  @CsvSource({
    "OFF_HEAP, 60, 0, 3000",
    "OFF_HEAP, 1, 59, 3000",
    "OFF_HEAP, 20, 40, 3000",
    "OFF_HEAP, 1, 59, 1",
    "OFF_HEAP, 20, 40, 1",
    "PIPELINE, 1, 59, 1",
    "SHARDED, 20, 40, 1",
    "NAIVE, 60, 0, 3000",
    "NAIVE, 1, 59, 3000",
    "NAIVE, 1, 59, 1"
  })
  void take_whileTradesArrive_showsWholeCandles(Engine kind, int window, int history, int perMinute)
      throws Exception {
    try (CandleEngine engine = kind.start(window, history, new Emitted())) {
      CompletableFuture<Void> reading =
          CompletableFuture.runAsync(() -> readWholeCandles(engine, perMinute));
      for (int i = 0; i < 200_000; i++) {
        // Price and volume move together, so that any mixture of two states shows.
        engine.accept(trade(i * 60L / perMinute, 100 + i % 50, 1));
      }
      engine.finish();
      reading.get(60, TimeUnit.SECONDS);
      long newest = 199_999 / perMinute;
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
      for (long placed = 0; placed < 200_000; placed = engine.counts().trades()) {
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
  void engines_onRandomTrades_agreeToTheLastDigit() throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      ExactCandles exact = new ExactCandles(MINUTE, window(seed));
      feedRandom(seed, exact::accept);
      CandleEngine.Counts counts = exact.finish();
      assertThat(exact.candles).isNotEmpty();
      for (Engine kind : Engine.values()) {
        if (kind == Engine.NAIVE && !exact.refusals.isEmpty()) {
          continue; // its sums have no limit
        }
        Emitted emitted = new Emitted();
        try (CandleEngine engine = kind.start(window(seed), emitted)) {
          feedRandom(seed, engine::accept);
          engine.finish();
          assertThat(engine.counts()).as("%s, seed %d", kind, seed).isEqualTo(counts);
        }
        assertThat(emitted.refusals).isEqualTo(exact.refusals);
        if (kind == Engine.NAIVE) {
          for (int i = 0; i < exact.candles.size(); i++) {
            assertThat(emitted.candles.get(i))
                .usingRecursiveComparison(FIFTEEN_DIGITS)
                .isEqualTo(exact.candles.get(i));
          }
        } else {
          assertThat(emitted.candles).as("%s, seed %d", kind, seed).isEqualTo(exact.candles);
        }
      }
    }
  }

  /** Doubles hold 15 digits: exact if the exact number has no more, else as near as that. */
  private static final RecursiveComparisonConfiguration FIFTEEN_DIGITS =
      RecursiveComparisonConfiguration.builder()
          .withEqualsForType(CandleEngineTest::isNear, BigDecimal.class)
          .build();

  private static boolean isNear(BigDecimal naive, BigDecimal exact) {
    BigDecimal error = naive.subtract(exact).abs();
    return exact.precision() <= 15
        ? error.signum() == 0
        : error.compareTo(exact.scaleByPowerOfTen(-14)) <= 0;
  }

  /** Fast enough that shards find their queue empty, time and again, while others are at work. */
  @ParameterizedTest
  @CsvSource({"PIPELINE, 1", "OFF_HEAP, 2", "PIPELINE, 5", "OFF_HEAP, 64"})
  void shards_whereEachTradeEmits_keepTheOrderOfTrades(CandleEngine.Kind kind, int shards)
      throws Exception {
    CandleEngine.Options options = new CandleEngine.Options(MINUTE, 1, 0, true, shards);
    AtomicLong expected = new AtomicLong();
    CandleSink inOrder =
        candle -> assertThat(candle.openTimeNanos()).isEqualTo(expected.getAndAdd(MINUTE.nanos()));
    try (CandleEngine engine = kind.start(options, inOrder)) {
      int symbols = 16;
      for (int i = 0; i < 300_000; i++) { // a minute of each symbol leaves in each round
        engine.accept(trade(0, i % symbols, 60L * i, 100, 0, 1, 0));
      }
      engine.stop();
      assertThat(expected).hasValue((300_000 - symbols) * MINUTE.nanos());
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

  private static TradeRow trade(long seconds, long price, long volume) {
    return trade(0, 0, seconds, price, 0, volume, 0);
  }

  private static TradeRow trade(
      long line, int symbol, long seconds, long price, int priceScale, long volume, int scale) {
    long time = seconds * SECOND;
    return new TradeRow(line, symbol, time, price, priceScale, volume, scale, Side.TAKER_BOUGHT, 1);
  }

  private static final class Emitted implements CandleSink {
    private final List<Candle> candles = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();

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

    private List<Long> minutes() {
      return candles.stream().map(c -> c.openTimeNanos() / MINUTE.nanos()).toList();
    }
  }
}
