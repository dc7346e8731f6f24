package dev.millrace.stress.report;

import static dev.millrace.stress.report.Row.BUGS;
import static dev.millrace.stress.report.Row.CAUGHT;
import static dev.millrace.stress.report.Row.EXEMPT;
import static dev.millrace.stress.report.Row.JCSTRESS;
import static dev.millrace.stress.report.Row.LINCHECK;
import static dev.millrace.stress.report.Row.MISTAKE_FOUND;
import static dev.millrace.stress.report.Row.SIMULATOR;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Litmus;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the proofs found, as a page of Markdown. The first ten lines say what was proven, how far,
 * and what was not; then come a table of the types and a section with the tests of each.
 *
 * @param origin which code was proven, when and on what
 * @param mutants the planted bugs
 * @param scenarios what the ordering simulator ran
 * @param lincheck the Lincheck tests
 * @param jcstress the jcstress tests
 * @param litmus the outcomes of the simulator's litmus tests
 * @param errors what is wrong: a line each, which more lines may follow
 * @param stale the names of the ledger's rows that are not of this code, by kind and reason
 */
public record Report(
    String origin,
    List<Mutant> mutants,
    List<Scenario> scenarios,
    List<Lincheck> lincheck,
    List<Jcstress> jcstress,
    List<Litmus> litmus,
    List<String> errors,
    Map<String, Set<String>> stale) {

  private static final String NONE = "–";
  private static final List<String> TYPES =
      List.of("Type", BUGS, SIMULATOR, LINCHECK, JCSTRESS, "Verdict");
  private static final List<String> TESTS =
      List.of("Tool", "Test", "What it checks", "How far", "When", "Result");
  private static final List<String> PROGRAMS =
      List.of("Test", "Threads", "Outcome", "JAM21", "RC11", "Seen", "Verdict", "Source");

  private static final String LIMITS =
      """

      ## Limits

      "Passed" means that no failure was found in the executions counted here. Each tool looks for one kind of mistake.

      - **Simulator.** It runs the compiled classes on a simulated memory. No read sees a write that comes later in the execution (load
        buffering), although opaque accesses allow it. A scenario has at most five threads and 64 KiB of native memory. Random executions are
        a sample, and the depth-first search is complete only where this page says "all", within its bounds on preemptions and stale reads.
        Objects of the JDK and arrays of primitives are not simulated. `Object.wait`, locks other than `ReentrantLock`, and files are refused. `Jvm.fenceAll` is replaced by a
        perfect fence.
      - **Planted bugs** show that the scenarios can fail, for one mistake at a time and for the mistakes that the mutator makes. An exempt
        bug rests on its reason, which is an argument and not a test.
      - **Lincheck** lets threads access memory in one order that all agree on, and has no notion of time. It finds broken protocols, but no
        ordering that is too weak and no timeout that is wrong.
      - **jcstress** tests the compiler and the processor that it runs on. x86-64 reorders nothing but a store with a later load, so there it
        misses most orderings that are too weak, and only the simulator looks for them.
      - **Litmus tests** compare the simulator with two models: JAM21 (Liu, Bender and Palsberg, [Compiling Volatile Correctly in
        Java](https://doi.org/10.4230/LIPIcs.ECOOP.2022.6), 2022) and RC11 (Lahav et al., [Repairing Sequential Consistency in
        C/C++11](https://doi.org/10.1145/3062341.3062352), 2017). The simulator may show what RC11 alone allows, because processors do.

      In the repository, `docs/PROOF.md` describes the tools and how to run them, and the documentation of each class has its contract and
      its table of orderings.
      """;

  /**
   * Writes the page.
   *
   * @param page the file
   * @throws IOException if it cannot be written
   */
  public void write(Path page) throws IOException {
    Files.createDirectories(page.toAbsolutePath().getParent());
    Files.writeString(page, text());
  }

  String text() {
    List<Row> rows =
        Stream.of(
                mutants.stream().map(Row::of),
                scenarios.stream().map(Row::of),
                lincheck.stream().map(Row::of),
                jcstress.stream().map(Row::of))
            .flatMap(each -> each)
            .toList();
    Map<String, List<Row>> types =
        rows.stream().collect(groupingBy(Row::type, TreeMap::new, toList()));
    StringBuilder page = new StringBuilder(head(rows, types));
    if (!errors.isEmpty()) {
      page.append("\n## Failures\n\n");
      errors.forEach(error -> page.append(failure(error)));
    }
    page.append("\n## Types\n\n")
        .append(
            table(
                TYPES,
                types.entrySet().stream().map(type -> typeCells(type.getKey(), type.getValue()))));
    types.forEach((type, its) -> page.append(section(type, its)));
    page.append("\n## Litmus tests\n\n")
        .append(
            "What the simulator shows of small programs, and what two models of memory say.\n\n")
        .append(table(PROGRAMS, litmus.stream().map(Report::litmusCells)));
    if (!stale.isEmpty()) {
      page.append("\n## Stale rows of the ledger\n\n`stress/prove` renews them.\n\n");
      stale.forEach(
          (kind, names) -> page.append(say("- %s: `%s`\n", kind, String.join("`, `", names))));
    }
    return page.append(LIMITS).toString();
  }

  private static boolean isFailed(Litmus outcome) {
    return outcome.seen() > 0 && !outcome.allowed();
  }

  private static String verdict(Litmus outcome) {
    if (outcome.executions() == 0) {
      return "not run";
    }
    if (outcome.seen() > 0) {
      return outcome.allowed() ? "allowed, seen" : "**FORBIDDEN, seen**";
    }
    return !outcome.allowed()
        ? "forbidden, not seen"
        : outcome.note() == null
            ? "**allowed, not seen**"
            : "allowed, not seen: " + text(outcome.note());
  }

  // ---- the first ten lines ----

  private String head(List<Row> rows, Map<String, List<Row>> types) {
    List<Row> runs = of(SIMULATOR, rows);
    return say(
        """
        # What the proofs of Millrace found

        %s %s

        - **Planted bugs:** %s.
        - **Scenarios** of the ordering simulator: %s.
        - **Lincheck:** %s.
        - **jcstress:** %s.
        - **Litmus tests** of the simulator: %s.
        - **Not proven, stale or not run:** %s.
        - **Not proven, exempt bugs:** %s.
        - **Not proven, no tool:** %s.
        - **Not proven, out of reach:** load buffering, more than five threads and files in the simulator; other processors \
        and JIT compilers than those that jcstress ran on. See [limits](#limits).
        """,
        verdict(rows),
        origin,
        bugs(of(BUGS, rows)),
        passed(
            runs,
            "%,d random executions in depth, %,d in this build; %,d also searched depth first to"
                + " the end, within bounds",
            sum(runs),
            scenarios.stream().mapToLong(Scenario::executions).sum(),
            scenarios.stream().filter(run -> run.complete() && Row.of(run).hasPassed()).count()),
        passed(
            of(LINCHECK, rows),
            "%,d of them contain a mistake that Lincheck must find",
            came(MISTAKE_FOUND, of(LINCHECK, rows))),
        passed(of(JCSTRESS, rows), "%,d samples", sum(of(JCSTRESS, rows))),
        litmusTests(),
        stale(rows),
        exemptions(),
        say(
            "of %s, %,d have no scenario of their own, %,d no Lincheck test and %,d no"
                + " jcstress test; the table shows which",
            count(types.size(), "type"),
            lacking(SIMULATOR, types),
            lacking(LINCHECK, types),
            lacking(JCSTRESS, types)));
  }

  private String verdict(List<Row> rows) {
    if (!errors.isEmpty()
        || rows.stream().anyMatch(Row::isFailed)
        || litmus.stream().anyMatch(Report::isFailed)) {
      return "**FAILED.**";
    }
    long open = rows.stream().filter(row -> !row.hasPassed()).count();
    return rows.isEmpty()
        ? "**Nothing was run.**"
        : open == 0
            ? "**No failure.**"
            : say(
                "**No failure, but %,d of %,d results are not of this code and JDK, or not in"
                    + " depth.**",
                open, rows.size());
  }

  private static String bugs(List<Row> bugs) {
    return bugs.isEmpty()
        ? "not run"
        : say(
            "%,d of %,d caught, %,d exempt%s",
            came(CAUGHT, bugs), bugs.size(), came(EXEMPT, bugs), troubles(bugs));
  }

  /** How many tests have passed, and more if there are any. */
  private static String passed(List<Row> tests, String more, Object... values) {
    long passed = tests.stream().filter(Row::hasPassed).count();
    return tests.isEmpty()
        ? "not run"
        : say("%,d of %,d passed%s; ", passed, tests.size(), troubles(tests)) + say(more, values);
  }

  private String litmusTests() {
    long allowed = litmus.stream().filter(Litmus::allowed).count();
    long shown = litmus.stream().filter(it -> it.allowed() && it.seen() > 0).count();
    return litmus.isEmpty()
        ? "not run"
        : say(
            "%s; %,d of %,d forbidden outcomes seen, %,d of %,d allowed ones",
            count(litmus.stream().map(Litmus::test).distinct().count(), "program"),
            litmus.stream().filter(Report::isFailed).count(),
            litmus.size() - allowed,
            shown,
            allowed);
  }

  /** What does not count as passed, and the ledger's rows to renew. */
  private String stale(List<Row> rows) {
    String results = troubles(rows.stream().filter(row -> !row.isFailed()).toList());
    String names =
        stale.entrySet().stream()
            .map(entry -> say(", %,d %s", entry.getValue().size(), entry.getKey()))
            .collect(joining());
    return (results.isEmpty() ? "no result" : "results: " + results.substring(2))
        + (names.isEmpty() ? "" : "; rows of the ledger: " + names.substring(2));
  }

  /** How many bugs are exempt, with the reasons of those that weaken an ordering. */
  private String exemptions() {
    List<Mutant> exempt = mutants.stream().filter(bug -> bug.verdict().equals(EXEMPT)).toList();
    String why =
        tally(exempt.stream().filter(Mutant::ordering).map(Mutant::by)).entrySet().stream()
            .map(entry -> say("; %s (%,d)", text(entry.getKey()), entry.getValue()))
            .collect(joining());
    return exempt.isEmpty()
        ? "none"
        : say("%,d, whose reasons are below", exempt.size())
            + (why.isEmpty() ? "" : ". Those of weakened orderings: " + why.substring(2));
  }

  private static long lacking(String tool, Map<String, List<Row>> types) {
    return types.values().stream().filter(rows -> of(tool, rows).isEmpty()).count();
  }

  // ---- what follows ----

  private static String failure(String error) {
    String[] lines = error.strip().split("\\R", 2);
    String more = lines.length == 1 ? "" : say("\n  ```\n%s  ```\n", lines[1].indent(2));
    return say("- %s\n%s", text(lines[0]), more);
  }

  private static List<String> typeCells(String type, List<Row> rows) {
    List<Row> bugs = of(BUGS, rows);
    List<Row> runs = of(SIMULATOR, rows);
    List<Row> trials = of(LINCHECK, rows);
    List<Row> stressed = of(JCSTRESS, rows);
    long exempt = bugs.stream().filter(bug -> bug.outcome().equals(EXEMPT)).count();
    boolean isShown = rows.stream().anyMatch(row -> !row.outcome().equals(EXEMPT));
    String troubles = troubles(rows);
    return List.of(
        say("[%s](#%s)", type, type.toLowerCase(Locale.ROOT)),
        bugs.isEmpty() ? NONE : say(exempt > 0 ? "%,d, %,d exempt" : "%,d", bugs.size(), exempt),
        runs.isEmpty() ? NONE : count(runs.size(), "scenario") + say(", %,d executions", sum(runs)),
        trials.isEmpty() ? NONE : count(trials.size(), "test"),
        stressed.isEmpty()
            ? NONE
            : count(stressed.size(), "test") + say(", %,d samples", sum(stressed)),
        !troubles.isEmpty() ? troubles.substring(2) : isShown ? "no failure" : "nothing shown");
  }

  private static String section(String type, List<Row> rows) {
    List<Row> bugs = of(BUGS, rows);
    Map<String, Long> catchers =
        tally(
            bugs.stream()
                .filter(bug -> bug.outcome().equals(CAUGHT))
                .map(bug -> bug.extent().replaceFirst("\\..*", "")));
    String caught =
        catchers.entrySet().stream()
            .map(by -> say("%s (%,d)", by.getKey(), by.getValue()))
            .reduce((a, b) -> a + ", " + b)
            .map(by -> say("\nPlanted bugs were caught by scenarios of %s.\n", by))
            .orElse("");
    String others =
        bugs.stream()
            .filter(bug -> !bug.outcome().equals(CAUGHT))
            .map(
                bug ->
                    say(
                        "- %s, %s: %s\n",
                        bug.name(),
                        bug.about(),
                        bug.isFailed() ? bug.trouble() : "exempt, " + text(bug.extent())))
            .collect(joining());
    List<List<String>> tests =
        rows.stream()
            .filter(row -> !row.tool().equals(BUGS))
            .sorted(Comparator.comparing(row -> !row.isFailed()))
            .map(Row::cells)
            .toList();
    return say("\n### %s\n%s", type, caught)
        + (others.isEmpty() ? "" : "\n" + others)
        + (tests.isEmpty() ? "" : "\n" + table(TESTS, tests.stream()));
  }

  private static List<String> litmusCells(Litmus outcome) {
    return List.of(
        code(outcome.test()),
        outcome.about().lines().map(Report::code).collect(joining(" ‖ ")),
        code(outcome.outcome()),
        outcome.jam21() ? "allowed" : "forbidden",
        outcome.rc11() ? "allowed" : "forbidden",
        say("%,d of %,d", outcome.seen(), outcome.executions()),
        verdict(outcome),
        text(outcome.source()));
  }

  // ---- counting ----

  private static List<Row> of(String tool, List<Row> rows) {
    return rows.stream().filter(row -> row.tool().equals(tool)).toList();
  }

  /** The executions or samples of what has passed. */
  private static long sum(List<Row> rows) {
    return rows.stream().filter(Row::hasPassed).mapToLong(Row::amount).sum();
  }

  private static long came(String outcome, List<Row> rows) {
    return rows.stream().filter(row -> row.hasPassed() && row.outcome().equals(outcome)).count();
  }

  private static Map<String, Long> tally(Stream<String> texts) {
    return texts.collect(groupingBy(text -> text, TreeMap::new, counting()));
  }

  /** How many rows have failed, or have not passed for another reason; empty if all have passed. */
  private static String troubles(List<Row> rows) {
    Stream<String> troubles = rows.stream().filter(row -> !row.hasPassed()).map(Row::trouble);
    return tally(troubles).entrySet().stream()
        .map(entry -> say(", %,d %s", entry.getValue(), entry.getKey()))
        .collect(joining());
  }

  // ---- Markdown ----

  /** Formats numbers in the same way everywhere. */
  @SuppressWarnings("AnnotateFormatMethod") // an annotation of a library that is not used
  static String say(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private static String count(long count, String one) {
    return say("%,d %s%s", count, one, count == 1 ? "" : "s");
  }

  private static String table(List<String> heads, Stream<List<String>> lines) {
    List<String> rule = heads.stream().map(_ -> "---").toList();
    return Stream.concat(Stream.of(heads, rule), lines).map(Report::line).collect(joining());
  }

  private static String line(List<String> cells) {
    return cells.stream()
        .map(cell -> cell.strip().replaceAll("\\s+", " ").replace("|", "\\|"))
        .collect(joining(" | ", "| ", " |\n"));
  }

  static String code(String text) {
    return "`" + text + "`";
  }

  /** Text that Markdown shows as it is. */
  static String text(String text) {
    return text.replaceAll("[\\\\*<\\[]", "\\\\$0");
  }
}
