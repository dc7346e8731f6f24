package dev.millrace.stress.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.stress.ProofScale;
import dev.millrace.stress.proof.MutantGate.Verdict;
import dev.millrace.stress.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The proof by the ordering simulator: first every planted bug must be caught, then every scenario
 * must run without failure, at least a hundred times as long as its hardest planted bug took.
 *
 * <p>{@code mvn verify -pl stress -am -Dtest=ProofTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Djcstress.skip} runs it alone.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ProofTest {
  private static final long LEAST_EXECUTIONS = 20_000;
  private static final long TIMES_HARDEST = 100;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration EXHAUSTIVE_LIMIT = Duration.ofSeconds(2);
  private static final double MOST_EXHAUSTIVE = 3; // times the limit above, in the full form
  private static final int PREEMPTIONS = 2;
  private static final int STALE_READS = 2;
  private static final long FIRST_SEED = 1;

  private static final Map<String, Verdict> HARDEST = new HashMap<>();
  private static final List<Results.Scenario> RESULTS = new ArrayList<>();

  @Test
  @Order(1)
  void mutants_ofAllClassesWithOrderings_areCaught() throws IOException {
    long start = System.nanoTime();
    MutantGate gate = new MutantGate();
    Exemptions exemptions = Exemptions.read();
    List<Results.Mutant> results = new ArrayList<>();
    List<String> survivors = new ArrayList<>();
    for (Path classFile : gate.classesWithOrderings()) {
      exemptions.beginClass();
      for (Verdict verdict : gate.judge(classFile, exemptions::isExempt)) {
        Optional<String> reason = exemptions.reason(verdict.mutation());
        results.add(verdict.result(reason.orElse(null)));
        if (verdict.isCaught()) {
          exemptions.refute(verdict);
          HARDEST.merge(verdict.by(), verdict, ProofTest::harder);
        } else if (reason.isEmpty()) {
          survivors.add(exemptions.key(verdict.mutation()) + " (" + verdict.mutation().id() + ")");
        }
      }
    }
    Results.write("mutants", results, (System.nanoTime() - start) / 1e9);

    assertThat(results)
        .extracting(Results.Mutant::type)
        .contains(
            "Sequence",
            "Gate",
            "Role",
            "Waiters",
            "Stamps",
            "Claims",
            "StallWatch",
            "QueueLife",
            "QueueSampling",
            "SingleConsumerQueue",
            "SpscQueue",
            "MpscQueue",
            "MpmcQueue",
            "FreeCells",
            "KFifoQueue",
            "HistorySlots",
            "HistoryWriter.Many",
            "HistoryWriter.One",
            "HistoryReader",
            "GatedClaims",
            "Sequencer",
            "SingleProducerSequencer",
            "SoleBarrier",
            "SharedBarrier",
            "CounterTable",
            "TraceLog.Writer",
            "TraceStreams");
    assertThat(survivors).as("planted bugs that no scenario caught").isEmpty();
    assertThat(exemptions.refuted()).as("exempt, yet caught").isEmpty();
    assertThat(exemptions.unused()).as("exempt, yet not there").isEmpty();
  }

  private static Verdict harder(Verdict one, Verdict other) {
    return Comparator.comparingLong(Verdict::executions).compare(one, other) >= 0 ? one : other;
  }

  @TestFactory
  @Order(2)
  Stream<DynamicTest> scenarios_underSchedulesByChance_holdLongEnough() {
    return Scenarios.load(Scenarios.loader()).stream()
        .map(entry -> DynamicTest.dynamicTest(entry.id(), () -> explore(entry)));
  }

  private static void explore(Scenarios.Entry entry) {
    Verdict hardest = HARDEST.get(entry.id());
    long least = hardest == null ? 0 : TIMES_HARDEST * hardest.executions();
    long executions = (long) (ProofScale.scale() * Math.max(LEAST_EXECUTIONS, least));
    Explorer explorer = new Explorer(entry.scenario());
    Exploration found = explorer.random(executions, scaled(LIMIT, Double.MAX_VALUE), FIRST_SEED);
    check(entry, found, hardest);
    assertThat(found.executions()).as("executions within the limit").isGreaterThanOrEqualTo(least);
    Duration limit = scaled(EXHAUSTIVE_LIMIT, MOST_EXHAUSTIVE);
    check(entry, explorer.exhaustive(PREEMPTIONS, STALE_READS, limit), null);
  }

  private static Duration scaled(Duration limit, double mostTimes) {
    double times = Math.clamp(ProofScale.scale(), 1, mostTimes);
    return Duration.ofNanos((long) (limit.toNanos() * times));
  }

  private static void check(Scenarios.Entry entry, Exploration found, Verdict hardest) {
    RESULTS.add(
        new Results.Scenario(
            entry.type(),
            entry.name(),
            entry.about(),
            found.mode() + (found.complete() ? ", complete" : ""),
            found.executions(),
            found.seconds(),
            found.failure() == null ? null : found.failure().toString(),
            hardest == null ? null : hardest.mutation().id(),
            hardest == null ? 0 : hardest.executions()));
    if (found.failure() != null) {
      fail(found.failure().toString());
    }
  }

  @AfterAll
  static void writeResults() {
    Results.write("scenarios", RESULTS);
  }
}
