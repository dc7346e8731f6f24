package dev.millrace.stress.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.stress.spec.PipelineSpec.Kind;
import dev.millrace.stress.spec.PipelineSpec.Log;
import java.util.ArrayList;
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
  private static final Pattern CALL =
      Pattern.compile("all(\\d+)-(\\d+)|(\\d):(\\d+)@?(\\d*)(!*)(\\??)|refuse(\\d+)");

  private final List<Log> logs = new ArrayList<>(); // two of the first stage, one of the second
  private Kind kind = Kind.SHARED;
  private PipelineSpec spec;

  private void open(Kind its, boolean firstSkips) {
    kind = its;
    spec = new PipelineSpec(1, 100, firstSkips);
    PipelineSpec.Stage first = spec.addStage("first", its, 1, true);
    PipelineSpec.Stage second = spec.addStage("second", Kind.ALL, 0, true);
    logs.clear();
    logs.addAll(List.of(spec.new Log(first), spec.new Log(first), spec.new Log(second)));
    spec.sents().getFirst().committed(0, EVENTS, true);
  }

  /**
   * Makes calls: {@code all0-3} handles events 0 to 3 as they should be; {@code 1:7@9!?} gives
   * event 7 with sequence 9, which otherwise is the number, to worker 1, which throws once and does
   * not handle it; {@code refuse20} publishes event 20 too late.
   */
  private void call(String calls) {
    for (MatchResult call : CALL.matcher(calls).results().toList()) {
      if (call.group(1) != null) {
        for (int number = number(call, 1); number <= number(call, 2); number++) {
          handle(number);
        }
      } else if (call.group(3) != null) {
        give(call, logs.get(number(call, 3)), number(call, call.group(5).isEmpty() ? 4 : 5));
      } else {
        spec.sents().getFirst().committed(number(call, 8), 1, false);
      }
    }
  }

  private static int number(MatchResult call, int group) {
    return Integer.parseInt(call.group(group));
  }

  private static void give(MatchResult call, Log log, int sequence) {
    int number = number(call, 4);
    int thrown = log.given(sequence, number);
    for (int i = 0; i < call.group(6).length(); i++) {
      assertThat(thrown).isEqualTo(i);
      log.threw();
      thrown = call.group(7).isEmpty() ? log.given(sequence, number) : i + 1;
    }
    if (call.group(7).isEmpty()) {
      log.handled();
    }
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
        call(worker + ":" + number);
      }
    }
    call("2:" + number);
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
    "SHARED, false, false, all0-7 0:8, records=20",
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
    "ALL, false, true, all0-6 all8-19, records taken must be 20: is 19",
    "SHARED, false, true, all0-6 all8-19, records taken must be 20: is 19",
    "BY_KEY, false, true, all0-6 all8-19, records taken must be 20: is 19",
    "SHARED, false, true, all0-18 1:19, records taken must be 20: is 19",
    "SHARED, true, true, all0-4 0:9, records taken must be 6: is 5",
    "ALL, false, false, all0-5 1:7, records taken up to 7 must be 8: is 7",
    "SHARED, false, true, all0-18 0:19 1:19 2:19, records taken must be 20: is 21",
    "SHARED, false, true, all0-18 1:19 1:19@30, number must be above 19: number=19",
    "SHARED, false, true, all0-17 0:19 0:18, 'event must come in order, not sequence 18'",
    "SHARED, false, false, all0-18 0:19 1:20@19, different sequences must be 21: is 20",
    "SHARED, false, true, all0-18 0:19 2:19@20, event must have one sequence",
    "SHARED, false, true, refuse20 all0-20, records taken must be 20: is 21",
    "BY_KEY, false, false, 0:0 1:31, key must have one worker", // event 31 has the key of 0
    "SHARED, false, true, all0-17 1:18? 1:19, as often as the policy says",
    "SHARED, false, true, all0-17 1:18!? 1:19, as often as the policy says",
    "SHARED, false, true, all0-18 1:19!!, as often as the policy says"
  })
  void balance_whenPipelineBreaksItsWord_fails(
      Kind its, boolean firstSkips, boolean isDrained, String calls, String message) {
    open(its, firstSkips);
    assertThatThrownBy(
            () -> {
              call(calls);
              spec.balance(isDrained);
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(message);
  }

  // ---- metrics ----

  /** One event given up after two failures, another handled after one. */
  private Map<String, Long> metricsOfFailures() {
    call("all0-17 0:18!!? 1:19! 2:18 2:19");
    Map<String, Long> metrics = new HashMap<>();
    for (String stage : List.of("first.", "second.")) {
      metrics.putAll(Map.of(stage + "failed", 0L, stage + "retries", 0L, stage + "lag", 0L));
      metrics.put(stage + "processed", (long) EVENTS);
    }
    metrics.putAll(Map.of("first.failed", 1L, "first.retries", 2L, "first.skipped", 0L));
    metrics.putAll(Map.of("aborted", 0L, "dropped", 0L, "signalled", 0L, "refused", 0L));
    metrics.putAll(Map.of("published", (long) EVENTS, "claimed", (long) EVENTS));
    return metrics;
  }

  @Test
  void check_comparesEachCount() {
    Map<String, Long> right = metricsOfFailures();
    Counts balance = spec.balance(true);
    assertThat(balance.get("thrown")).isEqualTo(3);
    assertThat(balance.get("failed")).isEqualTo(1);
    spec.check(balance, right, true, true);
    for (String name : right.keySet()) {
      Map<String, Long> wrong = new HashMap<>(right);
      wrong.merge(name, 1L, Long::sum);
      assertThatThrownBy(() -> spec.check(balance, wrong, true, true))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(name + " must be");
    }
  }
}
