package dev.millrace.stress.lincheck;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.millrace.stress.report.Results;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Writes what the trials of a test class found to {@code lincheck.json}, in the place of what a
 * former run of the same class had found; what other classes found stays, so that each can be run
 * alone.
 */
final class LincheckResults implements AfterAllCallback {
  private static final String KIND = "lincheck";

  /** Of the test class that runs: classes run one after the other. */
  private static final List<Results.Lincheck> FOUND = new ArrayList<>();

  static void add(Results.Lincheck found) {
    FOUND.add(found);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    String prefix = context.getRequiredTestClass().getSimpleName() + ".";
    List<Results.Lincheck> all =
        new ArrayList<>(Results.read(KIND, new TypeReference<List<Results.Lincheck>>() {}));
    all.removeIf(former -> former.test().startsWith(prefix));
    all.addAll(FOUND);
    all.sort(Comparator.comparing(Results.Lincheck::test)); // methods run in no given order
    FOUND.clear();
    Results.write(KIND, all);
  }
}
