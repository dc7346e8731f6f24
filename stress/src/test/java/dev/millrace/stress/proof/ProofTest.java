package dev.millrace.stress.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.millrace.simulator.Exploration;
import dev.millrace.simulator.Explorer;
import dev.millrace.simulator.WovenLoader;
import dev.millrace.stress.ProofScale;
import dev.millrace.stress.proof.MutantGate.Verdict;
import dev.millrace.stress.report.Results;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
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
 * must run without failure, at least a hundred times as long as its hardest planted bug took. Class
 * files, then scenarios, are taken side by side, as many as there are processors.
 *
 * <p>{@code mvn verify -pl stress -am -Dtest=ProofTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Djcstress.skip} runs it alone.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ProofTest {
  private static final long LEAST_EXECUTIONS = 20_000;
  private static final long TIMES_HARDEST = 100;
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration EXHAUSTIVE_LIMIT = Duration.ofSeconds(2);
  private static final double MOST_EXHAUSTIVE = 3; // times the limit above, in the full form
  private static final int PREEMPTIONS = 2;
  private static final int STALE_READS = 2;
  private static final long FIRST_SEED = 1;

  /** Explorations side by side must not share classes; those one after the other do, once warm. */
  private static final ThreadLocal<WovenLoader> LOADER = ThreadLocal.withInitial(Scenarios::loader);

  private static final Map<String, Verdict> HARDEST = new HashMap<>();
  private static final List<Results.Scenario> RESULTS = new ArrayList<>();

  @Test
  @Order(1)
  void mutants_ofAllClassesWithOrderings_areCaught() throws Exception {
    long start = System.nanoTime();
    MutantGate gate = new MutantGate();
    Exemptions exemptions = Exemptions.read();
    List<Results.Mutant> results = new ArrayList<>();
    List<String> survivors = new ArrayList<>();
    List<MutantGate.Target> targets = gate.targets();
    targets.forEach(target -> exemptions.name(target.bugs()));
    for (Verdict verdict : gate.judge(targets, exemptions.exempt())) {
      Optional<String> reason = exemptions.reason(verdict.mutation());
      results.add(verdict.result(reason.orElse(null)));
      if (verdict.isCaught()) {
        exemptions.refute(verdict);
        HARDEST.merge(verdict.by(), verdict, ProofTest::harder);
      } else if (reason.isEmpty()) {
        survivors.add(exemptions.key(verdict.mutation()) + " (" + verdict.mutation().id() + ")");
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
    List<Scenarios.Entry> entries = Scenarios.load(Scenarios.loader());
    List<Future<Found>> found =
        Workers.start(
            entries.stream().<Callable<Found>>map(entry -> () -> explore(entry)).toList());
    return IntStream.range(0, entries.size())
        .mapToObj(
            i ->
                DynamicTest.dynamicTest(
                    entries.get(i).id(), () -> check(entries.get(i), Workers.await(found.get(i)))));
  }

  /**
   * What exploring a scenario has found.
   *
   * @param byChance first
   * @param exhaustive then; null unless the first found no failure, in executions enough
   */
  private record Found(Exploration byChance, Exploration exhaustive) {}

  private static Found explore(Scenarios.Entry entry) {
    Explorer explorer = new Explorer(Scenarios.load(LOADER.get(), entry).scenario());
    long least = leastExecutions(entry);
    long executions = (long) (ProofScale.scale() * Math.max(LEAST_EXECUTIONS, least));
    Exploration byChance = explorer.random(executions, scaled(LIMIT, Double.MAX_VALUE), FIRST_SEED);
    if (byChance.failure() != null || byChance.executions() < least) {
      return new Found(byChance, null);
    }
    Duration limit = scaled(EXHAUSTIVE_LIMIT, MOST_EXHAUSTIVE);
    return new Found(byChance, explorer.exhaustive(PREEMPTIONS, STALE_READS, limit));
  }

  private static long leastExecutions(Scenarios.Entry entry) {
    Verdict hardest = HARDEST.get(entry.id());
    return hardest == null ? 0 : TIMES_HARDEST * hardest.executions();
  }

  private static void check(Scenarios.Entry entry, Found found) {
    check(entry, found.byChance(), HARDEST.get(entry.id()));
    assertThat(found.byChance().executions())
        .as("executions within the limit")
        .isGreaterThanOrEqualTo(leastExecutions(entry));
    check(entry, found.exhaustive(), null);
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
