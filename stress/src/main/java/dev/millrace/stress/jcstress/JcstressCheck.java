package dev.millrace.stress.jcstress;

import static java.util.stream.Collectors.toMap;

import dev.millrace.stress.report.Results;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.grading.ReportUtils;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Decides over a run of jcstress, which by itself passes over tests that it could not run: each
 * test listed must have results, enough of them, and none forbidden.
 */
public final class JcstressCheck {
  private final Path directory;
  private final long leastSamples;
  private final boolean expectForbidden;
  private final List<String> faults = new ArrayList<>();
  private final List<Results.Jcstress> found = new ArrayList<>();

  /**
   * Checks the tests that should have run.
   *
   * @param directory where jcstress has run
   * @param names the tests' classes
   * @param leastSamples of each
   * @param expectForbidden whether each must be caught, instead of none
   * @throws IOException if results cannot be read
   */
  public JcstressCheck(
      Path directory, List<String> names, long leastSamples, boolean expectForbidden)
      throws IOException {
    this.directory = directory;
    this.leastSamples = leastSamples;
    this.expectForbidden = expectForbidden;
    Map<String, TestResult> results = resultsByName();
    for (String name : names) {
      TestResult result = results.get(name);
      if (result == null) {
        faults.add(shortName(name) + " did not run; more actors than processors?");
      } else {
        check(result);
        found.add(toKeep(result));
      }
    }
  }

  /**
   * The tests that there are.
   *
   * @return their classes' names, in order
   */
  public static List<String> tests() {
    return TestList.tests().stream().sorted().toList();
  }

  /**
   * Says what a test is about.
   *
   * @param name its class's name
   * @return its description
   */
  public static String about(String name) {
    return TestList.getInfo(name).description();
  }

  /**
   * Names the class file of a test.
   *
   * @param name its class's name
   * @return the binary name
   */
  public static String binaryName(String name) {
    return TestList.getInfo(name).binaryName();
  }

  /**
   * What is wrong.
   *
   * @return a line for each fault
   */
  public List<String> faults() {
    return faults;
  }

  /**
   * What came out.
   *
   * @return a result for each test that has run
   */
  public List<Results.Jcstress> found() {
    return found;
  }

  private Map<String, TestResult> resultsByName() throws IOException {
    InProcessCollector collector = new InProcessCollector();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(JcstressCheck::holdsResults).toList()) {
        readResults(file, collector);
      }
    }
    return ReportUtils.mergedByName(collector.getTestResults()).stream()
        .collect(toMap(TestResult::getName, result -> result));
  }

  private void readResults(Path file, InProcessCollector collector) throws IOException {
    try {
      DiskReadCollector reader = new DiskReadCollector(file.toString(), collector);
      reader.dump();
      reader.close();
    } catch (EOFException e) {
      faults.add("jcstress was stopped before its end: " + file);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean holdsResults(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith("jcstress-results-") && name.endsWith(".bin.gz");
  }

  private void check(TestResult result) {
    String name = shortName(result.getName());
    List<GradingResult> forbidden =
        result.grading().gradingResults.values().stream()
            .filter(outcome -> isForbidden(outcome) && outcome.count > 0)
            .toList();
    if (result.status() != Status.NORMAL) {
      faults.add(name + " ended with " + result.status() + ": " + result.getMessages());
    }
    if (expectForbidden) {
      if (forbidden.isEmpty()) {
        faults.add(name + " is broken on purpose, but was not caught");
      }
      return;
    }
    if (result.getTotalCount() < leastSamples) {
      faults.add(name + " has only " + result.getTotalCount() + " samples of " + leastSamples);
    }
    for (GradingResult outcome : forbidden) {
      faults.add(
          "%s saw the forbidden %s in %d samples: %s"
              .formatted(name, outcome.id, outcome.count, outcome.description));
    }
  }

  /** Whether an outcome must not be; one that the test does not mention must not either. */
  private static boolean isForbidden(GradingResult outcome) {
    return outcome.expect == Expect.FORBIDDEN || outcome.expect == Expect.UNKNOWN;
  }

  private Results.Jcstress toKeep(TestResult result) {
    String test = shortName(result.getName());
    return new Results.Jcstress(
        test.substring(0, test.indexOf('_')),
        test,
        about(result.getName()),
        result.getTotalCount(),
        result.grading().gradingResults.values().stream()
            .map(
                outcome ->
                    new Results.Jcstress.Outcome(
                        outcome.id, outcome.expect.name(), outcome.count, outcome.description))
            .toList(),
        null);
  }

  /**
   * The name of a test for readers.
   *
   * @param name its class's name
   * @return without the package
   */
  public static String shortName(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
