package dev.millrace.stress.report;

import dev.millrace.stress.report.Results.Depth;
import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Scenario;
import java.util.List;
import java.util.Set;

/**
 * A test or a planted bug, and what it came to.
 *
 * <p>It fails closed: an outcome that is not known is a failure, and what was not run in depth, or
 * only on other code or another JDK, has not passed.
 *
 * @param tool the heading of its column
 * @param type the type under test
 * @param name the test, or where the bug is
 * @param about what it checks, or what the bug is
 * @param amount how many executions or samples were run in depth
 * @param extent the same for readers; of a bug, what caught it or why it is exempt
 * @param depth the earlier run that this is known from, or null
 * @param outcome what came of it, if it has not failed
 * @param failure what is wrong, or null
 */
record Row(
    String tool,
    String type,
    String name,
    String about,
    long amount,
    String extent,
    Depth depth,
    String outcome,
    String failure) {
  static final String BUGS = "Planted bugs";
  static final String SIMULATOR = "Simulator";
  static final String LINCHECK = "Lincheck";
  static final String JCSTRESS = "jcstress";

  static final String CAUGHT = "caught";
  static final String EXEMPT = "exempt";
  static final String MISTAKE_FOUND = "mistake found";

  static Row of(Mutant bug) {
    boolean isKnown = Set.of(CAUGHT, EXEMPT).contains(bug.verdict());
    return new Row(
        BUGS,
        bug.type().replaceFirst("\\..*", ""), // a nested class is shown with the outer one
        Report.say("`%s` in `%s.%s`, line %d", bug.access(), bug.type(), bug.method(), bug.line()),
        bug.operator(),
        bug.executions(),
        bug.by(),
        bug.depth(),
        bug.verdict(),
        isKnown ? null : bug.verdict());
  }

  static Row of(Scenario run) {
    String all = run.complete() ? " (all)" : "";
    return new Row(
        SIMULATOR,
        run.type(),
        Report.code(run.name()),
        run.about(),
        run.deepExecutions(),
        Report.say("%,d random, %,d depth first%s", run.deepExecutions(), run.depthFirst(), all),
        run.depth(),
        "passed",
        run.failure());
  }

  static Row of(Lincheck test) {
    boolean isCaught = test.outcome().equals(CAUGHT); // it is broken on purpose
    return new Row(
        LINCHECK,
        test.type(),
        Report.code(test.test()),
        test.about(),
        test.iterations() * test.invocations(),
        Report.say("%s, %,d × %,d", test.mode(), test.iterations(), test.invocations()),
        test.depth(),
        isCaught ? MISTAKE_FOUND : "passed",
        isCaught || test.outcome().equals("passed") ? null : test.outcome());
  }

  static Row of(Jcstress test) {
    return new Row(
        JCSTRESS,
        test.type(),
        Report.code(test.test()),
        test.about(),
        test.samples(),
        Report.say("%,d samples", test.samples()),
        test.depth(),
        "passed",
        test.outcomes().stream()
            .filter(seen -> seen.count() > 0 && !seen.expectation().startsWith("ACCEPTABLE"))
            .map(seen -> Report.say("%s was seen, %s", seen.id(), seen.expectation()))
            .findFirst()
            .orElse(null));
  }

  boolean isFailed() {
    return failure != null;
  }

  /** Why it has not passed; null if it has. */
  String trouble() {
    if (isFailed()) {
      return tool.equals(BUGS) ? "**SURVIVED**" : "**FAILED**";
    }
    return amount == 0 ? "not run in depth" : depth == null ? null : depth.doubt();
  }

  boolean hasPassed() {
    return trouble() == null;
  }

  /** Its cells in the table of a type's tests. */
  List<String> cells() {
    String when = depth == null ? "this build" : depth.date() + ", JDK " + depth.jdk();
    String why = isFailed() ? ": " + Report.text(failure.lines().findFirst().orElse("")) : "";
    String result = hasPassed() ? outcome : trouble() + why;
    return List.of(tool, name, Report.text(about), extent, amount == 0 ? "never" : when, result);
  }
}
