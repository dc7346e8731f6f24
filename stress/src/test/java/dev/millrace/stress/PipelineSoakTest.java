package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.stress.PipelineLedger.Kind;
import dev.millrace.stress.PipelineLedger.Shape;
import dev.millrace.stress.PipelinePlan.Life;
import dev.millrace.stress.PipelinePlan.StagePlan;
import dev.millrace.stress.PipelineSoak.PerLife;
import dev.millrace.stress.PipelineWorker.Fault;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The soak of pipelines in short; the long one is a command, see {@link Soak}. */
@Timeout(120)
class PipelineSoakTest {
  @Test
  void pipelines_ofRandomGraphs_keepTheirWord() throws Exception {
    Map<Life, PerLife> seen = new PipelineSoak(4_000_000_000L, 1).call();
    PerLife all = PipelineSoak.all(seen);
    assertThat(all.drained()).isPositive();
    assertThat(all.totals().events()).isPositive();
    assertThat(all.totals().thrown()).as("handlers threw").isPositive();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void pipeline_withFailingHandlers_accountsForAllEvents(Kind kind) throws Exception {
    PipelineRound.Result result = PipelineRound.run(plan(kind), Fault.NONE);
    assertThat(result.isDrained()).isTrue();
    assertThat(result.totals().events()).isPositive();
    assertThat(result.totals().failed()).as("events were passed over").isPositive();
    assertThat(result.totals().thrown())
        .as("and some tried again")
        .isGreaterThan(result.totals().failed());
  }

  @ParameterizedTest
  @CsvSource({
    "ALL, LOSE, must not be lost",
    "ALL, REPEAT, must come once",
    "ALL, REORDER, must come in order",
    "ALL, LAG, must come after the stages before",
    "ALL, MISCOUNT, must be",
    "SHARED, LOSE, must not be lost",
    "SHARED, REPEAT, must come once",
    "SHARED, REORDER, must come in order",
    "SHARED, LAG, must come after the stages before",
    "SHARED, MISCOUNT, must be",
    "BY_KEY, LOSE, must not be lost",
    "BY_KEY, REPEAT, must come once",
    "BY_KEY, REORDER, must come in order",
    "BY_KEY, LAG, must come after the stages before",
    "BY_KEY, MISCOUNT, must be"
  })
  void pipeline_whenAHandlerDoesWrong_fails(Kind kind, Fault fault, String message) {
    assertThatThrownBy(() -> PipelineRound.run(plan(kind), fault))
        .isInstanceOf(AssertionError.class)
        .hasStackTraceContaining(message);
  }

  /**
   * Two stages with a failing handler here and there, at a rate at which every worker gets some.
   */
  private static PipelinePlan plan(Kind kind) {
    return new PipelinePlan(
        1,
        List.of(
            new StagePlan(
                new Shape("first", kind, 2, List.of(), 1, true), true, 2, WAITS, null, 20, 50, -1),
            new StagePlan(
                new Shape("second", Kind.SHARED, 2, List.of(0), 0, true),
                false,
                0,
                WAITS,
                null,
                0,
                0,
                -1)),
        RingOptions.multiProducer(16),
        16,
        2,
        4,
        5_000,
        0,
        10,
        false,
        Life.DRAIN,
        0);
  }

  private static final WaitStrategy WAITS = WaitStrategy.parking();
}
