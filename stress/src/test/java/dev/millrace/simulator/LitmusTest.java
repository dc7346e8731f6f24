package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.stress.report.Results;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Runs the litmus tests and compares what the simulator shows with what the published models say.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LitmusTest {
  private static final int RANDOM_EXECUTIONS = 20_000;
  private static final int BOUND = 4;
  private static final int BOUND_OF_FOUR_THREADS = 3;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** What a test showed. */
  private record Shown(Litmus litmus, Exploration random, Exploration exhaustive) {
    Set<String> outcomes() {
      Set<String> all = new TreeSet<>(random.outcomes().keySet());
      all.addAll(exhaustive.outcomes().keySet());
      return all;
    }

    long executions() {
      return random.executions() + exhaustive.executions();
    }

    long count(Litmus.Outcome outcome) {
      return Stream.of(random, exhaustive)
          .flatMap(exploration -> exploration.outcomes().entrySet().stream())
          .filter(entry -> outcome.matches(entry.getKey()))
          .mapToLong(Map.Entry::getValue)
          .sum();
    }
  }

  private final Map<String, Shown> shown = new TreeMap<>();
  private Method scenarioOf;

  @BeforeAll
  void load() throws ReflectiveOperationException {
    scenarioOf =
        Woven.load("dev.millrace.simulator.litmus.Interpreter").getMethod("of", List.class);
  }

  @TestFactory
  Stream<DynamicTest> outcomes_ofLitmusTest_areThoseOfTheModels() {
    return LitmusTable.all().stream()
        .map(litmus -> DynamicTest.dynamicTest(litmus.name, () -> check(litmus)));
  }

  private Shown run(Litmus litmus) {
    return shown.computeIfAbsent(
        litmus.name,
        name -> {
          Explorer explorer = new Explorer(scenario(litmus.threads)).withoutSpuriousFailures();
          int bound = litmus.threads.size() < 4 ? BOUND : BOUND_OF_FOUR_THREADS;
          return new Shown(
              litmus,
              explorer.random(RANDOM_EXECUTIONS, LIMIT, 1),
              explorer.exhaustive(bound, bound, LIMIT));
        });
  }

  private Scenario scenario(List<String> threads) {
    try {
      return (Scenario) scenarioOf.invoke(null, threads);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("program must be readable: program=" + threads, e);
    }
  }

  private void check(Litmus litmus) {
    Shown result = run(litmus);
    assertThat(result.random().failure()).isNull();
    assertThat(result.exhaustive().failure()).isNull();
    assertThat(result.exhaustive().complete()).isTrue();
    Set<String> java = litmus.by(Axioms.Model.JAM21);
    Set<String> cpp = litmus.by(Axioms.Model.RC11);

    for (Litmus.Outcome outcome : litmus.outcomes) {
      boolean isShown = outcome.isShown(result.exhaustive().outcomes().keySet());
      boolean isByChance = outcome.isShown(result.random().outcomes().keySet());
      switch (outcome.verdict()) {
        case ALLOWED -> {
          assertThat(outcome.isShown(java) || outcome.isShown(cpp))
              .as("axioms: %s", outcome)
              .isTrue();
          assertThat(isShown).as("shown: %s", outcome).isTrue();
        }
        case FORBIDDEN -> {
          assertThat(outcome.isShown(java)).as("axioms: %s", outcome).isFalse();
          assertThat(isShown || isByChance).as("shown: %s", outcome).isFalse();
        }
        case UNEXPLORED -> assertThat(isShown || isByChance).as("shown: %s", outcome).isFalse();
      }
    }

    Set<String> either = new TreeSet<>(java);
    either.addAll(cpp);
    assertThat(either).as("allowed by a model").containsAll(result.outcomes());
    assertThat(result.exhaustive().outcomes().keySet())
        .as("shown by the exhaustive mode")
        .containsAll(explored(litmus, java));
  }

  private static Collection<String> explored(Litmus litmus, Set<String> outcomes) {
    List<String> explored = new ArrayList<>(outcomes);
    for (Litmus.Outcome outcome : litmus.outcomes) {
      if (outcome.verdict() == Litmus.Verdict.UNEXPLORED) {
        explored.removeIf(outcome::matches);
      }
    }
    return explored;
  }

  @Test
  void names_ofLitmusTests_areDistinct() {
    assertThat(LitmusTable.all()).extracting(litmus -> litmus.name).doesNotHaveDuplicates();
  }

  @AfterAll
  void write() {
    List<Results.Litmus> results = new ArrayList<>();
    for (Litmus litmus : LitmusTable.all()) {
      Shown result = run(litmus);
      Set<String> java = litmus.by(Axioms.Model.JAM21);
      Set<String> cpp = litmus.by(Axioms.Model.RC11);
      for (Litmus.Outcome outcome : litmus.outcomes) {
        results.add(
            new Results.Litmus(
                litmus.name,
                String.join("\n", litmus.threads),
                outcome.condition(),
                outcome.isAllowed(),
                outcome.isShown(java),
                outcome.isShown(cpp),
                outcome.source(),
                result.count(outcome),
                result.executions(),
                outcome.reason()));
      }
    }
    Results.write("litmus", results);
  }
}
