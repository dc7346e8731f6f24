package dev.millrace.stress.lincheck;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.millrace.stress.report.Results;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Writes what the trials of a test class found to {@code lincheck.json}, in the place of what the
 * same tests had found before; what others found stays, so that each can be run alone, and two at a
 * time in JVMs of their own.
 */
final class LincheckResults implements AfterAllCallback {
  private static final String KIND = "lincheck";

  /** Of the test class that runs: in a JVM they run one after the other. */
  private static final List<Results.Lincheck> FOUND = new ArrayList<>();

  static void add(Results.Lincheck found) {
    FOUND.add(found);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Set<String> tests = FOUND.stream().map(Results.Lincheck::test).collect(Collectors.toSet());
    Results.update(
        KIND,
        new TypeReference<List<Results.Lincheck>>() {},
        former ->
            Stream.concat(
                    former.stream().filter(result -> !tests.contains(result.test())),
                    FOUND.stream())
                .sorted(Comparator.comparing(Results.Lincheck::test)) // methods run in any order
                .toList());
    FOUND.clear();
  }
}
