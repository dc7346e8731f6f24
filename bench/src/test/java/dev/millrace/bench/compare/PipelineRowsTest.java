package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every contender does every work with stages, and each handler comes to the right result. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD) // a spinning one heeds no interrupt
class PipelineRowsTest {
  private static final long MILLI = 1_000_000;

  static List<Trials.Trial> trials() {
    return Suite.PIPELINES.rows().stream()
        .flatMap(row -> row.contenders().map(one -> new Trials.Trial(row.work(), one)))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void run_comesToTheRightResults(Trials.Trial trial) throws Exception {
    trial.run();
  }

  @Test
  void rows_spinOnlyWhereThereAreProcessorsEnough() {
    assertThat(spinningOn(2))
        .containsExactly(
            "stages-1-1-spin",
            "stages-1-1-batch-10-spin",
            "stages-1-1-batch-100-spin",
            "stages-ping-pong-spin");
    assertThat(spinningOn(4)).hasSize(9);
  }

  private static Stream<String> spinningOn(int processors) {
    return Suite.PIPELINES.rows().stream()
        .filter(row -> row.isFor(processors))
        .map(row -> row.work().id())
        .filter(id -> id.endsWith("-spin"));
  }

  @Test
  void rows_haveTheirTargetsAgainstTheDisruptorAlone() {
    Row steps = Row.of("stages-steps");
    assertThat(steps.targetAgainst(Contenders.DISRUPTOR_STAGES)).isEqualTo(1.8);
    assertThat(steps.targetAgainst(Contenders.MILLRACE_STAGES_OBJECTS)).isZero();
    assertThat(Row.of("stages-steps-spin").targetAgainst(Contenders.DISRUPTOR_STAGES_SPINNING))
        .isEqualTo(1.8);
  }

  @Test
  void run_whenAHandlerMisses_fails() {
    assertThatThrownBy(() -> run(new Wrong(false)))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("result of wrong must be");
  }

  @Test
  void run_whenEventsAreNotHandled_fails() {
    assertThatThrownBy(() -> run(new Wrong(true)))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("events that wrong has handled must be");
  }

  private static void run(Task<ValueEvent> task) throws Exception {
    Work work = Row.of("stages-1-1").work();
    try (Stages<?> stages =
        Stages.objects(
            work,
            new Stages.Plan<>(
                ValueEvent.class, ValueEvent.OnHeap::new, ValueEvent::value, List.of(task)),
            Stages.Handlers.OF_BATCHES)) {
      new StagesTraffic(work, stages, 200 * MILLI).run(MILLI, 20 * MILLI);
    }
  }

  /** Adds one number too little, or leaves off in the middle. */
  private static final class Wrong extends Task<ValueEvent> {
    // producers are counted by the thousand: this far, not yet by this many
    private static final long LEAVES_OFF = 10_000;

    private final boolean leavesOff;

    private long handled;

    Wrong(boolean leavesOff) {
      super("wrong", List.of());
      this.leavesOff = leavesOff;
    }

    @Override
    long next(ValueEvent event, long before) {
      if (leavesOff && handled++ == LEAVES_OFF) {
        throw new IllegalStateException("planted");
      }
      return event.value() == 7 ? before : before + event.value();
    }

    @Override
    long expected(long count, long sum) {
      return sum;
    }
  }
}
