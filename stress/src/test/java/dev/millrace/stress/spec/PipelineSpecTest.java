package dev.millrace.stress.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.spec.PipelineSpec.Kind;
import dev.millrace.stress.spec.PipelineSpec.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whether what is wrong with a pipeline is noticed: one with a stage of two workers, which tries
 * twice, and one behind it.
 */
class PipelineSpecTest {
  private static final int EVENTS = 20;
  private static final int CAPACITY = 8;
  private static final Pattern CALL =
      Pattern.compile("all(\\d+)-(\\d+)|(\\d)\\.(\\d):(\\d+)@?(\\d*)(!*)(\\??)|(put|refuse)(\\d+)");

  private Kind kind = Kind.SHARED;
  private PipelineSpec spec;

  private void open(Kind its, boolean firstSkips) {
    kind = its;
    spec =
        new PipelineSpec(
            List.of(
                new Shape("first", its, 2, List.of(), 1, true),
                new Shape("second", Kind.ALL, 1, List.of(0), 0, true)),
            1,
            firstSkips);
    spec.sents().getFirst().committed(0, EVENTS, true);
  }

  /**
   * Makes calls: {@code all0-3} handles events 0 to 3 as they should be; {@code 0.1:7@9!?} gives
   * event 7 with sequence 9, which otherwise is the number, to worker 1 of stage 0, who throws once
   * and does not handle it; {@code put20} and {@code refuse20} publish event 20.
   */
  private void call(String calls) {
    for (MatchResult call : CALL.matcher(calls).results().toList()) {
      if (call.group(1) != null) {
        for (int number = number(call, 1); number <= number(call, 2); number++) {
          handle(number);
        }
      } else if (call.group(3) != null) {
        PipelineSpec.Log log = spec.log(number(call, 3), number(call, 4));
        int sequence = number(call, call.group(6).isEmpty() ? 5 : 6);
        log.given(sequence, number(call, 5));
        for (int i = 0; i < call.group(7).length(); i++) {
          log.threw();
          log.given(sequence, number(call, 5));
        }
        if (call.group(8).isEmpty()) {
          log.handled();
        }
      } else {
        spec.sents().getFirst().committed(number(call, 10), 1, call.group(9).equals("put"));
      }
    }
  }

  private static int number(MatchResult call, int group) {
    return Integer.parseInt(call.group(group));
  }

  private void handle(int number) {
    for (int worker = 0; worker < 2; worker++) {
      boolean isIts =
          switch (kind) {
            case ALL -> true;
            case SHARED -> worker == number / 2 % 2;
            case BY_KEY -> worker == PipelineSpec.keyOf(number) % 2;
          };
      if (isIts) {
        call("0." + worker + ":" + number);
      }
    }
    call("1.0:" + number);
  }

  @BeforeEach
  void open() {
    open(Kind.SHARED, false);
  }

  @ParameterizedTest
  @CsvSource({
    "ALL, false, true, all0-19, 'skipped=0, thrown=0, failed=0'",
    "SHARED, false, true, all0-19, 'skipped=0, thrown=0, failed=0'",
    "BY_KEY, false, true, all0-19, 'skipped=0, thrown=0, failed=0'",
    "SHARED, false, false, all0-7 0.0:8, records=20",
    "SHARED, true, true, all0-4 all9-19, skipped=4"
  })
  void balance_whenPipelineKeepsItsWord_passes(
      Kind its, boolean firstSkips, boolean isDrained, String calls, String counts) {
    open(its, firstSkips);
    call(calls);
    assertThat(spec.balance(isDrained).toString()).contains("records=20").contains(counts);
  }

  @ParameterizedTest
  @CsvSource({
    "ALL, false, true, all0-6 all8-19, event must not be lost: number=7",
    "SHARED, false, true, all0-6 all8-19, event must not be lost: number=7",
    "BY_KEY, false, true, all0-6 all8-19, event must not be lost: number=7",
    "SHARED, false, true, all0-18 0.1:19, event must not be lost: number=19",
    "SHARED, true, true, all0-4 0.0:9, event must not be lost: number=9",
    "SHARED, false, false, all0-5 0.1:7 0.0:8 1.0:8,"
        + " events before one that comes must not be lost: number=8",
    "SHARED, false, true, all0-19 0.1:19@30, event must come once: number=19",
    "SHARED, false, true, all0-18 0.0:19 0.1:19 1.0:19, event must come to one worker: number=19",
    "SHARED, false, true, all0-17 0.0:19 0.0:18 1.0:18 1.0:19,"
        + " 'event must come in order, after 19: number=18'",
    "SHARED, false, true, all0-17 0.0:19@18 0.1:18@19 1.0:19@18 1.0:18@19,"
        + " events of a producer must keep its order: number=19",
    "SHARED, false, false, all0-19 put20 0.0:20@19,"
        + " events must have different sequences: sequence=19",
    "SHARED, false, true, all0-18 0.0:19 1.0:19@20,"
        + " 'event must have one sequence, 19: number=19'",
    "SHARED, false, true, all0-19 0.0:20, event must be published to be handled: number=20",
    "SHARED, false, true, refuse20 all0-20, event must be published to be handled: number=20",
    "SHARED, false, false, all0-18 1.0:19, event must come after stage first: number=19",
    "BY_KEY, false, false, put31 0.0:0 0.1:31, key must have one worker", // event 31 has the key of
    // 0
    "SHARED, false, true, all0-17 0.1:18? 0.1:19, as often as the policy says, failures 0",
    "SHARED, false, true, all0-17 0.1:18!? 0.1:19, as often as the policy says, failures 1",
    "SHARED, false, true, all0-18 0.1:19!!, as often as the policy says, failures 2"
  })
  void balance_whenPipelineBreaksItsWord_fails(
      Kind its, boolean firstSkips, boolean isDrained, String calls, String message) {
    open(its, firstSkips);
    call(calls);
    assertThatThrownBy(() -> spec.balance(isDrained))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message);
  }

  // ---- metrics ----

  /** One event given up after two failures, another handled after one. */
  private Map<String, Long> balanceWithFailures() {
    call("all0-17 0.0:18!!? 0.1:19! 1.0:18 1.0:19");
    Counts counts = spec.balance(true);
    assertThat(counts.get("thrown")).isEqualTo(3);
    assertThat(counts.get("failed")).isEqualTo(1);
    Map<String, Long> metrics = new HashMap<>();
    metrics.putAll(Map.of("aborted", 0L, "dropped", 0L, "signalled", 0L, "refused", 0L));
    for (String stage : List.of("first.", "second.")) {
      metrics.putAll(Map.of(stage + "failed", 0L, stage + "retries", 0L));
      metrics.putAll(Map.of(stage + "skipped", 0L, stage + "lag", 0L));
      metrics.put(stage + "processed", (long) EVENTS);
    }
    metrics.putAll(Map.of("stalled", 0L, "published", (long) EVENTS, "claimed", (long) EVENTS));
    metrics.put("freeSlots", (long) CAPACITY);
    metrics.put("first.failed", 1L);
    metrics.put("first.retries", 2L);
    return metrics;
  }

  @Test
  void check_whenCountsAgree_passes() {
    spec.check(balanceWithFailures(), CAPACITY, true, true);
  }

  @Test
  void check_whenACountIsWrong_fails() {
    Map<String, Long> right = balanceWithFailures();
    for (String name : right.keySet()) {
      Map<String, Long> wrong = new HashMap<>(right);
      wrong.merge(name, name.equals("published") ? -1L : 1L, Long::sum);
      assertThatThrownBy(() -> spec.check(wrong, CAPACITY, true, true))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(name)
          .hasMessageContaining("must be");
    }
  }
}
