package dev.millrace.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Finds a published litmus test in which the simulator shows what is forbidden, or never shows what
 * is allowed. What it shows is written to {@code litmus.json} in a folder that the system property
 * {@code litmus.results} may name.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LitmusTest {
  /**
   * The exhaustive mode shows all up to its bound; these look beyond it. The proof asks for more.
   */
  private static final int RANDOM_EXECUTIONS = Integer.getInteger("litmus.executions", 1_000);

  private static final int BOUND = 4;
  private static final int BOUND_OF_FOUR_THREADS = 3;
  private static final int BOUND_OF_ELEMENTS = 2;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Path RESULTS =
      Path.of(System.getProperty("litmus.results", "target/litmus"));

  /**
   * One outcome of a litmus test.
   *
   * @param test the litmus test's name
   * @param about its program, a line a thread
   * @param outcome the values read
   * @param allowed whether it counts as allowed
   * @param jam21 whether the model of Java's access modes allows it
   * @param rc11 whether that of C and C++ does
   * @param source who says so
   * @param seen in how many executions it was seen
   * @param executions of how many
   * @param note why an allowed outcome is never shown, or null
   */
  private record Result(
      String test,
      String about,
      String outcome,
      boolean allowed,
      boolean jam21,
      boolean rc11,
      String source,
      long seen,
      long executions,
      String note) {}

  /** What a test showed, and what the models allow. */
  private record Shown(
      Exploration random, Exploration exhaustive, Set<String> java, Set<String> cpp) {
    static Shown of(Litmus litmus) {
      Explorer explorer = new Explorer(Woven.program(litmus.threads())).withoutSpuriousFailures();
      int bound = litmus.threads().size() < 4 ? BOUND : BOUND_OF_FOUR_THREADS;
      return new Shown(
          explorer.random(RANDOM_EXECUTIONS, LIMIT, 1),
          explorer.exhaustive(bound, bound, LIMIT),
          litmus.by(Axioms.Model.JAM21),
          litmus.by(Axioms.Model.RC11));
    }

    /** How often each outcome was seen. */
    Map<String, Long> outcomes() {
      Map<String, Long> all = new TreeMap<>(random.outcomes());
      exhaustive.outcomes().forEach((outcome, count) -> all.merge(outcome, count, Long::sum));
      return all;
    }

    Result result(Litmus litmus, Litmus.Outcome outcome) {
      return new Result(
          litmus.name(),
          String.join("\n", litmus.threads()),
          outcome.condition(),
          outcome.isAllowed(),
          outcome.isShown(java),
          outcome.isShown(cpp),
          outcome.source(),
          outcomes().entrySet().stream()
              .filter(entry -> outcome.matches(entry.getKey()))
              .mapToLong(Map.Entry::getValue)
              .sum(),
          random.executions() + exhaustive.executions(),
          outcome.reason());
    }
  }

  private final Map<String, Shown> shown = new TreeMap<>();

  @TestFactory
  Stream<DynamicTest> outcomes_ofLitmusTest_areThoseOfTheModels() {
    return LitmusTable.all().stream()
        .map(litmus -> DynamicTest.dynamicTest(litmus.name(), () -> check(litmus)));
  }

  private Shown run(Litmus litmus) {
    return shown.computeIfAbsent(litmus.name(), _ -> Shown.of(litmus));
  }

  private void check(Litmus litmus) {
    Shown result = run(litmus);
    assertThat(result.random().failure()).isNull();
    assertThat(result.exhaustive().failure()).isNull();
    assertThat(result.exhaustive().complete()).isTrue();
    Set<String> exhaustive = result.exhaustive().outcomes().keySet();
    Set<String> either = new TreeSet<>(result.java());
    either.addAll(result.cpp());
    Set<String> explored = new TreeSet<>(result.java());

    for (Litmus.Outcome outcome : litmus.outcomes()) {
      switch (outcome.verdict()) {
        case ALLOWED -> {
          assertThat(outcome.isShown(either)).as("axioms: %s", outcome).isTrue();
          assertThat(outcome.isShown(exhaustive)).as("shown: %s", outcome).isTrue();
        }
        case FORBIDDEN -> {
          assertThat(outcome.isShown(result.java())).as("axioms: %s", outcome).isFalse();
          assertThat(outcome.isShown(result.outcomes().keySet()))
              .as("shown: %s", outcome)
              .isFalse();
        }
        case UNEXPLORED -> {
          assertThat(outcome.isShown(result.outcomes().keySet()))
              .as("shown: %s", outcome)
              .isFalse();
          explored.removeIf(outcome::matches);
        }
      }
    }
    assertThat(either).as("allowed by a model").containsAll(result.outcomes().keySet());
    assertThat(exhaustive).as("shown by the exhaustive mode").containsAll(explored);
  }

  @Test
  void names_ofLitmusTests_areDistinct() {
    assertThat(LitmusTable.all()).extracting(Litmus::name).doesNotHaveDuplicates();
  }

  /** Elements of an array of references are variables like fields, in every mode. */
  @TestFactory
  Stream<DynamicTest> outcomes_ofLitmusTestOfElements_areThoseOfFields() {
    return LitmusTable.all().stream()
        .filter(litmus -> litmus.threads().stream().noneMatch(text -> text.contains("getAndAdd")))
        .map(litmus -> DynamicTest.dynamicTest(litmus.name(), () -> checkElements(litmus)));
  }

  private static void checkElements(Litmus litmus) {
    Exploration fields = ofElements(Woven.program(litmus.threads()));
    Exploration elements = ofElements(Woven.programOfElements(litmus.threads()));

    assertThat(elements.failure()).isNull();
    assertThat(elements.complete()).isTrue();
    assertThat(elements.outcomes()).isEqualTo(fields.outcomes());
  }

  private static Exploration ofElements(Scenario scenario) {
    return new Explorer(scenario)
        .withoutSpuriousFailures()
        .exhaustive(BOUND_OF_ELEMENTS, BOUND_OF_ELEMENTS, LIMIT);
  }

  @AfterAll
  void write() throws IOException {
    List<Result> results = new ArrayList<>();
    for (Litmus litmus : LitmusTable.all()) {
      Shown result = run(litmus);
      litmus.outcomes().forEach(outcome -> results.add(result.result(litmus, outcome)));
    }
    Files.createDirectories(RESULTS);
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(RESULTS.resolve("litmus.json").toFile(), results);
  }
}
