package dev.millrace.ohlcv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.candle.TradeRow;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Finds candles that are lost or come in another order when symbols are shared out to threads: late
 * trades, jumps that empty whole windows, refused trades.
 */
@Timeout(300)
final class ShardsTest {
  private static final int SYMBOLS = 50;
  private static final String HEAD = "time,symbol,price,volume,side\n";
  private static final long START = 1_700_000_040; // the beginning of a minute

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "30000||--format csv --window 1|0|late",
        "30000||--format csv --window 3|0|late",
        "3000||--format csv --window 3 --fill previous|0|late", // 16,667 candles fill a jump
        "30000||--format json --window 100|0|rows",
        "30000||--format csv --interval 5m|0|rows",
        "20000|x,S1,1,1,buy|--format csv --window 2|1|candles before it were written"
      })
  void outOfOrder_isTheSame(int trades, String bad, String options, int exitCode, String said) {
    String rows = manySymbols(trades) + (bad == null ? "" : bad + "\n" + lines(manySymbols(100)));
    Cli cli = all(rows, options).exits(exitCode);
    assertThat(cli.lines()).hasSizeGreaterThan(1_000);
    assertThat(cli.err()).contains(said);
  }

  @ParameterizedTest
  @CsvSource({"--on-error stop, 1, sum of a candle must fit 128 bits", "--on-error skip, 0, bad"})
  void refusedTrades_areTheSame(String onError, int exitCode, String said) {
    String rows = manySymbols(5_000) + refused(7) + refused(11) + lines(manySymbols(5_000));
    Cli cli = all(rows, "--format csv --window 2 " + onError).exits(exitCode);
    assertThat(cli.err()).contains(said);
  }

  /** Each jump makes a window of candles leave at once, three times as many as an output holds. */
  @Test
  void jumps_thatEmptyWholeWindows_areTheSame() {
    StringBuilder rows = new StringBuilder(HEAD);
    for (int round = 0; round < 3; round++) {
      long base = START + round * 1_000_000L * 60;
      for (int minute = 0; minute < 3_000; minute++) {
        for (int symbol = 0; symbol < 6; symbol++) {
          row(rows, base + minute * 60L, symbol, 100 + minute % 7, 1);
        }
      }
    }
    Cli cli = all(rows.toString(), "--format csv --window 3000").exits(0);
    assertThat(cli.lines()).hasSize(1 + 3 * 3_000 * 6);
  }

  /** Fast enough that shards find their queue empty, time and again, while others are at work. */
  @ParameterizedTest
  @CsvSource({"PIPELINE, 1", "OFF_HEAP, 2", "PIPELINE, 5", "OFF_HEAP, 64"})
  void trades_ofWhichEachEmits_keepTheirOrder(CandleEngine.Kind kind, int shards) throws Exception {
    Interval minute = Interval.parse("1m");
    CandleEngine.Options options = new CandleEngine.Options(minute, 1, 0, true, shards);
    AtomicLong expected = new AtomicLong();
    CandleSink inOrder =
        candle -> assertThat(candle.openTimeNanos()).isEqualTo(expected.getAndAdd(minute.nanos()));
    try (CandleEngine engine = kind.start(options, inOrder)) {
      int symbols = 16;
      for (int i = 0; i < 300_000; i++) { // a minute of each symbol leaves in each round
        long time = i * minute.nanos();
        engine.accept(new TradeRow(0, i % symbols, time, 100, 0, 1, 0, Side.TAKER_BOUGHT, 1));
      }
      engine.stop();
      assertThat(expected).hasValue((300_000 - symbols) * minute.nanos());
    }
  }

  private static Cli all(String rows, String options) {
    return Cli.all(rows.getBytes(StandardCharsets.UTF_8), "candles - " + options);
  }

  /** Trades whose time goes forth and back, and now and then far ahead for one symbol. */
  private static String manySymbols(int count) {
    Random random = new Random(count);
    long[] ahead = new long[SYMBOLS];
    StringBuilder rows = new StringBuilder(HEAD);
    for (int i = 0; i < count; i++) {
      int symbol = (int) Math.min(SYMBOLS - 1, Math.abs(random.nextGaussian()) * SYMBOLS / 3);
      if (random.nextInt(500) == 0) {
        ahead[symbol] += 1_000_000;
      }
      long time = START + i + ahead[symbol] - random.nextInt(400);
      row(rows, time, symbol, 1 + random.nextInt(10_000), random.nextInt(1_000));
    }
    return rows.toString();
  }

  private static void row(StringBuilder rows, long time, int symbol, long price, long volume) {
    String side = (time & 1) == 0 ? "buy" : "sell";
    rows.append("%d,S%d,%d.5,%d,%s%n".formatted(time, symbol, price, volume, side));
  }

  /** Two trades of one candle whose volumes have no sum of 128 bits. */
  private static String refused(int symbol) {
    String trade = "4000000000,S%d,1,%s,buy%n";
    return trade.formatted(symbol, "1e-30") + trade.formatted(symbol, Long.MAX_VALUE);
  }

  private static String lines(String text) {
    return text.substring(text.indexOf('\n') + 1);
  }
}
