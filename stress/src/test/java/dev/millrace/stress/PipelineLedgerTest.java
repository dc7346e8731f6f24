package dev.millrace.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.PipelineLedger.Kind;
import dev.millrace.stress.PipelineLedger.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether the soak of pipelines notices what is wrong. */
class PipelineLedgerTest {
  private static final int EVENTS = 20;
  private static final int CAPACITY = 8;

  private PipelineLedger ledger = ledger(Kind.SHARED, false);

  /** A stage of two workers, and one behind it. */
  private static PipelineLedger ledger(Kind kind, boolean firstSkips) {
    PipelineLedger made =
        new PipelineLedger(
            List.of(
                new Shape("first", kind, 2, List.of(), 1, true),
                new Shape("second", Kind.ALL, 1, List.of(0), 0, true)),
            1,
            firstSkips);
    PipelinePut put = made.puts().getFirst();
    put.published(put.nextNumbers(EVENTS), EVENTS, true);
    return made;
  }

  /** Which worker of the first stage handles an event; -1 for all. */
  private static int workerOf(Kind kind, int number) {
    return switch (kind) {
      case ALL -> -1;
      case SHARED -> number / 2 % 2;
      case BY_KEY -> PipelineEvent.keyOf(number) % 2;
    };
  }

  private void handle(int stage, int worker, int number) {
    PipelineLog log = ledger.log(stage, worker);
    log.given(number, number);
    log.handled();
  }

  /** Handles some events as it should be. */
  private void handle(Kind kind, int from, int to) {
    for (int number = from; number < to; number++) {
      int worker = workerOf(kind, number);
      for (int one = 0; one < 2; one++) {
        if (worker < 0 || worker == one) {
          handle(0, one, number);
        }
      }
      handle(1, 0, number);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void balance_whenAllIsHandled_tellsSo(Kind kind) {
    ledger = ledger(kind, false);
    handle(kind, 0, EVENTS);
    assertThat(ledger.balance(true)).isEqualTo(new PipelineLedger.Totals(EVENTS, 0, 0, 0, 0, 0));
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void balance_whenEventIsLost_fails(Kind kind) {
    ledger = ledger(kind, false);
    handle(kind, 0, 7);
    handle(kind, 8, EVENTS);
    assertFails(true, "event must not be lost: number=7");
  }

  @Test
  void balance_whenLastStageLosesAnEvent_fails() {
    handle(Kind.SHARED, 0, EVENTS - 1);
    handle(0, workerOf(Kind.SHARED, EVENTS - 1), EVENTS - 1);
    assertFails(true, "event must not be lost: number=19");
  }

  @Test
  void balance_whenStoppedAmid_allowsTheFirst() {
    handle(Kind.SHARED, 0, 8);
    handle(0, workerOf(Kind.SHARED, 8), 8);
    assertThat(ledger.balance(false).events()).isEqualTo(EVENTS);
  }

  @Test
  void balance_whenStoppedAndOneBeforeIsLost_fails() {
    handle(Kind.SHARED, 0, 6);
    handle(0, 1, 7);
    handle(0, 0, 8);
    handle(1, 0, 8);
    assertFails(false, "events before one that comes must not be lost: number=8");
  }

  @Test
  void balance_whenEventComesTwice_fails() {
    handle(Kind.SHARED, 0, EVENTS);
    ledger.log(0, 1).given(30, 19);
    ledger.log(0, 1).handled();
    assertFails(true, "event must come once: number=19");
  }

  @Test
  void balance_whenEventComesToTwoWorkers_fails() {
    handle(Kind.SHARED, 0, 19);
    handle(0, 0, 19);
    handle(0, 1, 19);
    handle(1, 0, 19);
    assertFails(true, "event must come to one worker: number=19");
  }

  @Test
  void balance_whenEventsComeInAnotherOrder_fails() {
    handle(Kind.SHARED, 0, 18);
    handle(0, 0, 19);
    handle(0, 0, 18);
    handle(1, 0, 18);
    handle(1, 0, 19);
    assertFails(true, "event must come in order, after 19: number=18");
  }

  @Test
  void balance_whenSequencesAreNotInTheProducersOrder_fails() {
    handle(Kind.SHARED, 0, 18);
    ledger.log(0, 0).given(18, 19);
    ledger.log(0, 0).handled();
    ledger.log(0, 1).given(19, 18);
    ledger.log(0, 1).handled();
    ledger.log(1, 0).given(18, 19);
    ledger.log(1, 0).handled();
    ledger.log(1, 0).given(19, 18);
    ledger.log(1, 0).handled();
    assertFails(true, "events of a producer must keep its order: number=19");
  }

  @Test
  void balance_whenEventsHaveTheSameSequence_fails() {
    handle(Kind.SHARED, 0, EVENTS);
    ledger.puts().getFirst().published(20, 1, true);
    ledger.log(0, 0).given(19, 20);
    ledger.log(0, 0).handled();
    assertFails(false, "events must have different sequences: sequence=19");
  }

  @Test
  void balance_whenEventHasAnotherSequenceBehind_fails() {
    handle(Kind.SHARED, 0, 19);
    handle(0, 0, 19);
    ledger.log(1, 0).given(20, 19);
    ledger.log(1, 0).handled();
    assertFails(true, "event must have one sequence, 19: number=19");
  }

  @Test
  void balance_whenEventWasNotPublished_fails() {
    handle(Kind.SHARED, 0, EVENTS);
    handle(0, 0, 20);
    assertFails(true, "event must be published to be handled: number=20");
  }

  @Test
  void balance_whenRefusedEventComes_fails() {
    PipelinePut put = ledger.puts().getFirst();
    put.published(put.nextNumbers(1), 1, false);
    handle(Kind.SHARED, 0, EVENTS + 1);
    assertFails(true, "event must be published to be handled: number=20");
  }

  @Test
  void balance_whenEventComesBeforeTheStageBefore_fails() {
    handle(Kind.SHARED, 0, 19);
    handle(1, 0, 19);
    assertFails(false, "event must come after stage first: number=19");
  }

  @Test
  void balance_whenKeyHasTwoWorkers_fails() {
    ledger = ledger(Kind.BY_KEY, false);
    int other = 0; // a later event of the same key as the first
    do {
      other++;
    } while (PipelineEvent.keyOf(other) != PipelineEvent.keyOf(0));
    ledger.puts().getFirst().published(EVENTS, other + 1, true);
    handle(0, 0, 0);
    handle(0, 1, other);
    assertFails(false, "key must have one worker");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void balance_whenEventIsGivenUpTooEarly_fails(int failures) {
    handle(Kind.SHARED, 0, 18);
    ledger.log(0, 1).given(18, 18); // behind it 19, so that it is over
    for (int i = 0; i < failures; i++) {
      ledger.log(0, 1).threw();
    }
    handle(0, 1, 19);
    assertFails(true, "tried as often as the policy says, failures=" + failures);
  }

  @Test
  void balance_whenEventIsTriedTooOften_fails() {
    handle(Kind.SHARED, 0, 19);
    ledger.log(0, 1).given(19, 19);
    ledger.log(0, 1).threw();
    ledger.log(0, 1).threw();
    ledger.log(0, 1).handled();
    assertFails(true, "tried as often as the policy says, failures=2");
  }

  @Test
  void balance_whenFirstStageSkips_countsThem() {
    ledger = ledger(Kind.SHARED, true);
    handle(Kind.SHARED, 0, 5);
    handle(Kind.SHARED, 9, EVENTS);
    assertThat(ledger.balance(true).skipped()).isEqualTo(4);
  }

  @Test
  void balance_whenOneThatWasNotSkippedIsLostBehind_fails() {
    ledger = ledger(Kind.SHARED, true);
    handle(Kind.SHARED, 0, 5);
    handle(0, 0, 9);
    assertFails(true, "event must not be lost: number=9");
  }

  private void assertFails(boolean isDrained, String message) {
    assertThatThrownBy(() -> ledger.balance(isDrained))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message);
  }

  // ---- what the pipeline says ----

  private final Map<String, Long> metrics = new HashMap<>();

  /** One event given up after two failures, another handled after one. */
  private void balanceWithFailures() {
    handle(Kind.SHARED, 0, 18);
    ledger.log(0, 0).given(18, 18);
    ledger.log(0, 0).threw();
    ledger.log(0, 0).threw();
    ledger.log(0, 1).given(19, 19);
    ledger.log(0, 1).threw();
    ledger.log(0, 1).given(19, 19);
    ledger.log(0, 1).handled();
    handle(1, 0, 18);
    handle(1, 0, 19);
    PipelineLedger.Totals totals = ledger.balance(true);
    assertThat(totals.thrown()).isEqualTo(3);
    assertThat(totals.failed()).isEqualTo(1);
  }

  private void check() {
    ledger.check(metrics, CAPACITY, true, true);
  }

  /** What the pipeline should say. */
  private void sayAll() {
    metrics.clear();
    for (String none : List.of("aborted", "dropped", "signalled", "refused", "stalled")) {
      metrics.put(none, 0L);
    }
    metrics.put("published", (long) EVENTS);
    metrics.put("claimed", (long) EVENTS);
    metrics.put("freeSlots", (long) CAPACITY);
    for (String stage : List.of("first.", "second.")) {
      metrics.put(stage + "processed", (long) EVENTS);
      for (String none : List.of("failed", "retries", "skipped", "lag")) {
        metrics.put(stage + none, 0L);
      }
    }
    metrics.put("first.failed", 1L);
    metrics.put("first.retries", 2L);
  }

  @Test
  void check_whenCountsAgree_passes() {
    balanceWithFailures();
    sayAll();
    check();
  }

  @Test
  void check_whenACountIsWrong_fails() {
    balanceWithFailures();
    sayAll();
    for (String name : List.copyOf(metrics.keySet())) {
      sayAll();
      metrics.merge(name, name.equals("published") ? -1L : 1L, Long::sum);
      assertThatThrownBy(this::check)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(name)
          .hasMessageContaining("must be");
    }
  }
}
