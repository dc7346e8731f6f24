package dev.millrace.ohlcv.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.ohlcv.TracedRun;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.trace.JobWatch;
import dev.millrace.ohlcv.trace.Latency;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Isolated // what it measures depends on who else runs
class LoadRunTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(CandleEngine.Kind.class)
  void run_atLowRates_givesNoWrongAnswerAndTellsOfItsWork(CandleEngine.Kind engine)
      throws Exception {
    LoadSettings settings = new LoadSettings(engine, 2_000, 60, 2, 1, 4, 5, 3);
    Path file = folder.resolve("load.telemetry");
    List<Double> progress = new ArrayList<>();
    LoadResult result;
    try (JobWatch watch = JobWatch.of(file);
        LoadRun run = new LoadRun(settings, progress::add, watch)) {
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
    TracedRun run = TracedRun.read(file);
    int filled = 3 * LoadSettings.WINDOW; // all of these leave, for the run is longer
    assertThat(run.closed()).hasSizeGreaterThan(filled);
    assertThat(run.counters())
        .containsEntry("trades", settings.totalTrades())
        .containsEntry("candles", (long) run.closed().size())
        .containsEntry("rejected", 0L);
    assertThat(run.latencies().keySet()).containsExactly(Latency.ANSWERED, Latency.PLACED);
    assertThat(run.latencies().get(Latency.ANSWERED)).hasSize(180);
  }

  @ParameterizedTest
  @CsvSource({"OFF_HEAP, 1", "OFF_HEAP, 3", "NAIVE, 1", "NAIVE, 3", "PIPELINE, 1", "PIPELINE, 3"})
  void run_flatOut_placesWhatItCounts(CandleEngine.Kind engine, int callers) throws Exception {
    LoadSettings settings =
        new LoadSettings(engine, 50_000, 50, 60, 0, 8, 5, 2).flatOut(callers, 1);
    LoadResult result;
    try (LoadRun run = new LoadRun(settings, seconds -> {}, JobWatch.NONE)) {
      result = run.run();
    }
    assertThat(result.wrong()).as(result.example()).isZero();
    assertThat(result.cutShort()).isFalse();
    assertThat(result.writes().count())
        .isEqualTo(result.trades() - settings.fillTrades())
        .isGreaterThan(1_000);
    assertThat(result.writes().percentiles()).as("not timed one by one").isEmpty();
    double seconds = result.writes().count() / result.writes().perSecond();
    assertThat(seconds).isGreaterThan(0.99);
    assertThat(result.queries().count()).as("who writes asks too").isBetween(1L, 50L);
    assertThat(result.answers()).as("after the end, one for each symbol").isEqualTo(2);
    assertThat(result.candles()).isBetween(2_000L, 2L * LoadSettings.WINDOW);
  }
}
