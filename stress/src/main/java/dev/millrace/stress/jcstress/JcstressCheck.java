package dev.millrace.stress.jcstress;

import dev.millrace.stress.report.Results;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.grading.ReportUtils;
import org.openjdk.jcstress.infra.runners.TestList;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Decides over a run of jcstress, which by itself passes over tests that it could not run: each
 * test listed must have results, enough of them, and none forbidden.
 */
@Command(
    name = "jcstress-check",
    mixinStandardHelpOptions = true,
    description = "Decides over a run of jcstress, by its results.")
public final class JcstressCheck implements Callable<Integer> {
  @Option(names = "--directory", required = true, description = "where jcstress has run")
  private Path directory;

  @Option(names = "--tests", required = true, description = "regular expression of their names")
  private Pattern tests;

  @Option(
      names = "--least-samples",
      defaultValue = "10000",
      description = "how many each test must have; default: ${DEFAULT-VALUE}")
  private long leastSamples;

  @Option(
      names = "--expect-forbidden",
      description = "each test must be caught, instead of none; no results are kept")
  private boolean expectForbidden;

  private final List<String> faults = new ArrayList<>();

  private JcstressCheck() {}

  /**
   * Checks; exits with 0 if all is well, 1 if not, 2 on wrong usage.
   *
   * @param args the options
   */
  public static void main(String[] args) {
    System.exit(new CommandLine(new JcstressCheck()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    List<String> names = TestList.tests().stream().filter(tests.asPredicate()).sorted().toList();
    if (names.isEmpty()) {
      faults.add("no test is named like " + tests);
    }
    Map<String, TestResult> results = resultsByName();
    List<Results.Jcstress> kept = new ArrayList<>();
    for (String name : names) {
      TestResult result = results.get(name);
      if (result == null) {
        faults.add(shortName(name) + " did not run; more actors than processors?");
      } else {
        check(result);
        kept.add(toKeep(result));
      }
    }
    if (!expectForbidden) {
      Results.write("jcstress", kept);
    }
    faults.forEach(fault -> System.err.println("jcstress: " + fault));
    if (!faults.isEmpty()) {
      System.err.println("jcstress: see " + directory.resolve("index.html"));
    }
    return faults.isEmpty() ? 0 : 1;
  }

  private Map<String, TestResult> resultsByName() throws IOException, ClassNotFoundException {
    InProcessCollector collector = new InProcessCollector();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(JcstressCheck::holdsResults).toList()) {
        readResults(file, collector);
      }
    }
    Map<String, TestResult> results = new TreeMap<>();
    for (TestResult result : ReportUtils.mergedByName(collector.getTestResults())) {
      results.put(result.getName(), result);
    }
    return results;
  }

  private void readResults(Path file, InProcessCollector collector)
      throws IOException, ClassNotFoundException {
    try {
      DiskReadCollector reader = new DiskReadCollector(file.toString(), collector);
      reader.dump();
      reader.close();
    } catch (EOFException e) {
      faults.add("jcstress was stopped before its end: " + file);
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
    System.out.printf(
        "jcstress: %-36s %,12d samples, %,d of them forbidden%n",
        name, result.getTotalCount(), forbidden.stream().mapToLong(seen -> seen.count).sum());
    if (result.status() != Status.NORMAL) {
      faults.add(name + " ended with " + result.status() + ": " + result.getMessages());
    }
    if (result.getTotalCount() < leastSamples) {
      faults.add(name + " has only " + result.getTotalCount() + " samples of " + leastSamples);
    }
    if (expectForbidden) {
      if (forbidden.isEmpty()) {
        faults.add(name + " is broken on purpose, but was not caught");
      }
      return;
    }
    for (GradingResult outcome : forbidden) {
      faults.add(
          name
              + " saw the forbidden "
              + outcome.id
              + " in "
              + outcome.count
              + " samples: "
              + outcome.description);
    }
  }

  /** Whether an outcome must not be; one that the test does not mention must not either. */
  private static boolean isForbidden(GradingResult outcome) {
    return outcome.expect == Expect.FORBIDDEN || outcome.expect == Expect.UNKNOWN;
  }

  private static Results.Jcstress toKeep(TestResult result) {
    String test = shortName(result.getName());
    return new Results.Jcstress(
        test.substring(0, test.indexOf('_')),
        test,
        TestList.getInfo(result.getName()).description(),
        result.getName() + ".html",
        result.getTotalCount(),
        result.grading().gradingResults.values().stream()
            .map(
                outcome ->
                    new Results.Jcstress.Outcome(
                        outcome.id, outcome.expect.name(), outcome.count, outcome.description))
            .toList());
  }

  private static String shortName(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
