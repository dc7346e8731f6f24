package dev.millrace.ohlcv.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoadRunTest {
  @ParameterizedTest
  @EnumSource(CandleEngine.Kind.class)
  void run_atLowRates_givesNoWrongAnswer(CandleEngine.Kind engine) throws Exception {
    LoadSettings settings = new LoadSettings(engine, 2_000, 60, 2, 1, 4, 5, 3);
    List<Double> progress = new ArrayList<>();
    LoadResult result;
    try (LoadRun run = new LoadRun(settings, progress::add)) {
      result = run.run();
    }
    assertThat(result.wrong()).as(result.example()).isZero();
    assertThat(result.cutShort()).isFalse();
    assertThat(result.trades()).isEqualTo(settings.totalTrades());
    assertThat(result.writes().count()).isEqualTo(4_000);
    assertThat(result.queries().count()).isEqualTo(120);
    assertThat(result.answers()).as("of warm-up, measured part and end").isEqualTo(180 + 3);
    assertThat(result.candles()).isGreaterThan(180 * 1_000);
    assertThat(result.writes().percentiles()).isSorted();
    assertThat(result.writes().perSecond()).isBetween(500.0, 2_000.0);
    assertThat(result.queries().maxNanos()).isPositive();
    assertThat(result.mostBehind()).isNotNegative();
    assertThat(progress).isSorted().isNotEmpty();
  }
}
