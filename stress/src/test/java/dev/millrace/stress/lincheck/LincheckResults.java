package dev.millrace.stress.lincheck;

import dev.millrace.stress.report.Results;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Writes what the trials of a test class found to {@code lincheck.json}. */
final class LincheckResults implements AfterAllCallback {
  /** Of the test class that runs: in a JVM they run one after the other. */
  private static final List<Results.Lincheck> FOUND = new ArrayList<>();

  static void add(Results.Lincheck found) {
    FOUND.add(found);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    FOUND.sort(Comparator.comparing(Results.Lincheck::test)); // methods run in any order
    Results.write("lincheck", FOUND);
    FOUND.clear();
  }
}
