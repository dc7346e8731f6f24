package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.candle.Side;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Finds a change of the trades that a seed stands for, after which no published figure can be
 * repeated, and a clock that does not replace the whole window during a run.
 */
class TradeGeneratorTest {
  private static final long FIRST_TRADES = -7578900991091052222L;
  private static final LoadSettings SETTINGS =
      new LoadSettings(CandleContender.OFF_HEAP, 1_000, 10, 5, 1, 3, 42, 7, true);

  @Test
  void advance_withOtherSeed_makesOtherTrades() {
    LoadSettings other = new LoadSettings(CandleContender.NAIVE, 1_000, 10, 5, 1, 3, 43, 7, true);
    assertThat(checksum(other, 1_000)).isNotEqualTo(checksum(SETTINGS, 1_000));
  }

  /** So that a run can be repeated elsewhere, and after an update of the JDK. */
  @Test
  void advance_onAnyMachine_makesTheseTrades() {
    assertThat(checksum(SETTINGS, 100_000)).isEqualTo(FIRST_TRADES);
  }

  @Test
  void timeNanos_overTheRun_neverDecreasesAndPassesTheWindow() {
    assertThat(LongStream.range(0, SETTINGS.totalTrades()).map(SETTINGS::timeNanos)).isSorted();
    long measured = SETTINGS.fillTrades() + SETTINGS.warmUpTrades();
    long minutes =
        Reference.minute(SETTINGS.timeNanos(SETTINGS.totalTrades() - 1))
            - Reference.minute(SETTINGS.timeNanos(measured));
    assertThat(minutes).isGreaterThan(LoadSettings.WINDOW);
    assertThat(Reference.minute(SETTINGS.timeNanos(SETTINGS.fillTrades())))
        .as("the window is full when the load starts")
        .isEqualTo(LoadSettings.WINDOW);
  }

  @Test
  void dueNanos_ofEvents_keepsTheRate() {
    assertThat(LoadSettings.dueNanos(0, 3)).isZero();
    assertThat(LoadSettings.dueNanos(1, 3)).isEqualTo(333_333_333);
    assertThat(LoadSettings.dueNanos(3L * 86_400, 3)).isEqualTo(86_400_000_000_000L);
  }

  private static long checksum(LoadSettings settings, int trades) {
    TradeGenerator generator = new TradeGenerator(settings);
    long sum = 0;
    for (int i = 0; i < trades; i++) {
      generator.advance();
      sum = sum * 31 + generator.symbol();
      sum = sum * 31 + generator.timeNanos();
      sum = sum * 31 + generator.price();
      sum = sum * 31 + generator.volume();
      sum = sum * 31 + (generator.side() == Side.TAKER_BOUGHT ? 1 : 0);
    }
    return sum;
  }
}
