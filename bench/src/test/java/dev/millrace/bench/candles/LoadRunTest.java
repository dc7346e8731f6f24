package dev.millrace.bench.candles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.harness.Latencies;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Finds a run that measures its warm-up too, leaves answers unchecked or counts trades that the
 * engine has not placed, and an engine that answers wrongly while trades come in.
 */
@Isolated // what it measures depends on who else runs
class LoadRunTest {
  @ParameterizedTest
  @EnumSource(CandleContender.class)
  void run_atLowRates_givesNoWrongAnswer(CandleContender engine) throws Exception {
    LoadSettings settings = new LoadSettings(engine, 6_000, 60, 1, 1, 4, 5, 3, true);
    LoadResult result = settings.run();
    assertThat(result.checked().wrong()).as(result.checked().example()).isZero();
    assertThat(result.cutShort()).isFalse();
    assertThat(result.trades()).isEqualTo(settings.totalTrades());
    assertThat(result.writes().count()).isEqualTo(6_000);
    assertThat(result.queries().count()).isEqualTo(60);
    assertThat(result.checked().answers())
        .as("of warm-up, measured part and end")
        .isEqualTo(120 + 3);
    assertThat(result.checked().candles())
        .as("few minutes have no trade")
        .isGreaterThan(120 * 1_000);
    assertThat(result.writes().perSecond()).isBetween(1_000.0, 6_000.0);
    assertThat(Latencies.decode(result.queries().times()).getMaxValue()).isPositive();
    assertThat(result.mostBehind()).isNotNegative();
    assertThat(result.memory().millis()).isGreaterThan(750);
  }

  @ParameterizedTest
  @CsvSource({"OFF_HEAP, 1", "OFF_HEAP, 3", "NAIVE, 1", "PIPELINE, 1"})
  void run_flatOut_placesWhatItCounts(CandleContender engine, int callers) throws Exception {
    LoadSettings settings =
        new LoadSettings(engine, 50_000, 50, 60, 0, 8, 5, 2, true).flatOut(callers, 1);
    LoadResult result = settings.run();
    assertThat(result.checked().wrong()).as(result.checked().example()).isZero();
    assertThat(result.cutShort()).isFalse();
    assertThat(result.writes().count())
        .isEqualTo(result.trades() - settings.fillTrades())
        .isGreaterThan(1_000);
    assertThat(result.writes().times()).as("not timed one by one").isNull();
    double seconds = result.writes().count() / result.writes().perSecond();
    assertThat(seconds).isGreaterThan(0.99);
    assertThat(result.queries().count()).as("the writer queries too").isBetween(1L, 50L);
    assertThat(result.checked().answers()).as("after the end, one for each symbol").isEqualTo(2);
    assertThat(result.checked().candles()).isBetween(2_000L, 2L * LoadSettings.WINDOW);
  }
}
