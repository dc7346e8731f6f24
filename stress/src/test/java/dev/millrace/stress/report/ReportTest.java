package dev.millrace.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.stress.report.Results.Depth;
import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Litmus;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The only test that would notice a report that says "no failure", or counts as passed, what
 * failed, was not run, or was shown of other code or on another JDK; or whose tables are broken by
 * what is in them.
 */
class ReportTest {
  private static final Depth DEEP = new Depth("2026-11-23", "25.0.1", null);
  private static final Depth OTHER_CODE = new Depth("2026-11-01", "25.0.1", "of other code");
  private static final Depth OTHER_JDK = new Depth("2026-11-01", "24.0.2", "of another JDK");
  private static final Mutant MUTANT = mutant("caught", "SpscQueue.singles");
  private static final Scenario SCENARIO = scenario(null, 1_234_567);
  private static final Lincheck LINCHECK = lincheck("passed", DEEP);
  private static final Jcstress JCSTRESS = jcstress("FORBIDDEN", 0);
  private static final Litmus LITMUS = litmus(false, 0, null);
  private static final Report CLEAR = report(MUTANT, SCENARIO, LINCHECK, JCSTRESS, LITMUS);

  @Test
  void head_whenAllIsClear_saysWhatWasShownInTenLines() {
    assertThat(headOf(CLEAR).lines().filter(line -> !line.isBlank()).skip(1)).hasSize(10);
    assertThat(headOf(CLEAR))
        .contains("**No failure.** Commit 789e2e78.")
        .contains("1 of 1 caught, 0 exempt.")
        .contains("1 of 1 passed; 1,234,567 random executions in depth, 2,000 in this build;")
        .contains("1 of 1 passed; 0 of them contain a mistake")
        .contains("1 of 1 passed; 9,000 samples")
        .contains("1 program; 0 of 1 forbidden outcomes seen")
        .contains("stale or not run:** no result.")
        .contains("exempt bugs:** none");
    assertThat(tableOf(CLEAR, "Type").getLast())
        .containsExactly(
            "SpscQueue",
            "1",
            "1 scenario, 1,234,567 executions",
            "1 test",
            "1 test, 9,000 samples",
            "no failure");
  }

  @Test
  void head_whenABugSurvived_saysSo() {
    Report report = report(mutant("survived", null), SCENARIO, LINCHECK, JCSTRESS, LITMUS);

    assertThat(headOf(report)).contains("**FAILED.**", "0 of 1 caught, 0 exempt, 1 **SURVIVED**");
    assertThat(report.text())
        .contains("in `SpscQueue.Producer.commit`, line 42, weaken to opaque: **SURVIVED**");
    assertThat(tableOf(report, "Type").getLast()).last().isEqualTo("1 SURVIVED");
  }

  @Test
  void head_ofAnExemptOrdering_givesTheReason() {
    Report report =
        report(mutant("exempt", "only the step is needed"), SCENARIO, LINCHECK, JCSTRESS, LITMUS);

    assertThat(headOf(report))
        .contains("**No failure.**", "0 of 1 caught, 1 exempt.")
        .contains("Those of weakened orderings: only the step is needed (1)");
    assertThat(report.text()).contains("weaken to opaque: exempt, only the step is needed");
    assertThat(tableOf(alone(mutant("exempt", "x")), "Type").getLast())
        .last()
        .isEqualTo("nothing shown");
  }

  @Test
  void head_ofRowsThatAreNotOfThisCodeAndJdk_doesNotCountThemAsPassed() {
    Report report =
        new Report(
            "Commit 789e2e78.",
            List.of(MUTANT),
            List.of(),
            List.of(lincheck("passed", OTHER_CODE), lincheck("caught", OTHER_JDK), LINCHECK),
            List.of(),
            List.of(),
            List.of(),
            Map.of("Lincheck tests of other code", Set.of("Test.fifo")));

    assertThat(headOf(report))
        .contains("1 of 3 passed, 1 of another JDK, 1 of other code; 0 of them contain a mistake")
        .contains("ordering simulator: not run.", "**jcstress:** not run.")
        .contains(
            "**No failure, but 2 of 4 results are not of this code and JDK, or not in depth.**")
        .contains(
            "results: 1 of another JDK, 1 of other code; rows of the ledger: 1 Lincheck tests of");
    assertThat(tableOf(report, "Type").getLast())
        .last()
        .isEqualTo("1 of another JDK, 1 of other code");
    assertThat(tableOf(report, "Tool"))
        .extracting(List::getLast)
        .containsExactly("Result", "of other code", "of another JDK", "passed");
  }

  @Test
  void head_ofWhatIsNotKnownToBeGood_isAFailure() {
    List<Report> failures =
        List.of(
            report(mutant("guessed", "x"), SCENARIO, LINCHECK, JCSTRESS, LITMUS),
            report(MUTANT, scenario("data race\n at line 7", 9), LINCHECK, JCSTRESS, LITMUS),
            report(MUTANT, SCENARIO, lincheck("guessed", DEEP), JCSTRESS, LITMUS),
            report(MUTANT, SCENARIO, LINCHECK, jcstress("FORBIDDEN", 1), LITMUS),
            report(MUTANT, SCENARIO, LINCHECK, jcstress("UNKNOWN", 1), LITMUS),
            report(MUTANT, SCENARIO, LINCHECK, JCSTRESS, litmus(false, 1, null)),
            withError("a wrong checksum"));

    assertThat(failures).allMatch(report -> headOf(report).contains("**FAILED.**"));
    assertThat(headOf(report(MUTANT, scenario(null, 0), LINCHECK, JCSTRESS, LITMUS)))
        .contains("0 of 1 passed, 1 not run in depth");
    assertThat(litmusOf(litmus(true, 0, null))).isEqualTo("allowed, not seen");
    assertThat(litmusOf(litmus(true, 0, "later"))).isEqualTo("allowed, not seen: later");
  }

  @Test
  void failures_ofMoreLines_keepThem() {
    assertThat(withError("SpscQueue.singles: race\n at line 7").text())
        .contains("- SpscQueue.singles: race\n\n  ```\n   at line 7\n  ```");
  }

  @Test
  void tables_whenACellHasWhatMarkdownReads_keepTheirColumns() {
    Litmus litmus =
        new Litmus("a|b", "x = 1\ny = 2", "r|s", true, true, true, "<b>|*c*\n[d]", 1, 9, null);

    List<List<String>> rows =
        tableOf(report(MUTANT, SCENARIO, LINCHECK, JCSTRESS, litmus), "Threads");

    assertThat(rows).allMatch(row -> row.size() == 8);
    assertThat(rows.getLast())
        .containsExactly(
            "a|b",
            "x = 1 ‖ y = 2",
            "r|s",
            "allowed",
            "allowed",
            "1 of 9",
            "allowed, seen",
            "<b>|*c* [d]");
  }

  @Test
  void write_makesTheFolder(@TempDir Path folder) throws Exception {
    Path page = folder.resolve("report").resolve("proof.md");
    CLEAR.write(page);

    assertThat(Files.readString(page)).isEqualTo(CLEAR.text());
  }

  private static Report report(
      Mutant mutant, Scenario scenario, Lincheck lincheck, Jcstress jcstress, Litmus litmus) {
    return new Report(
        "Commit 789e2e78.",
        List.of(mutant),
        List.of(scenario),
        List.of(lincheck),
        List.of(jcstress),
        List.of(litmus),
        List.of(),
        Map.of());
  }

  private static Report alone(Mutant mutant) {
    return new Report(
        "", List.of(mutant), List.of(), List.of(), List.of(), List.of(), List.of(), Map.of());
  }

  private static Report withError(String error) {
    return new Report(
        "", List.of(), List.of(), List.of(), List.of(), List.of(), List.of(error), Map.of());
  }

  private static Mutant mutant(String verdict, String by) {
    return new Mutant(
        "SpscQueue.Producer",
        "commit",
        42,
        "STAMP.setRelease",
        "weaken to opaque",
        true,
        verdict,
        by,
        7,
        null);
  }

  private static Scenario scenario(String failure, long executions) {
    return new Scenario("SpscQueue", "singles", "", 2_000, failure, executions, 47, true, DEEP);
  }

  private static Lincheck lincheck(String outcome, Depth depth) {
    return new Lincheck("SpscQueue", "Test.fifo", "", "stress", 30, 1_000, 1, outcome, depth);
  }

  private static Jcstress jcstress(String expectation, long seen) {
    Jcstress.Outcome outcome = new Jcstress.Outcome("1, 0", expectation, seen, "");
    return new Jcstress("SpscQueue", "Single", "", 9_000, List.of(outcome), null);
  }

  private static Litmus litmus(boolean allowed, long seen, String note) {
    return new Litmus("SB", "x = 1", "r0=0", allowed, allowed, allowed, "Lea", seen, 100, note);
  }

  /** What is before the first heading below the title. */
  private static String headOf(Report report) {
    return report.text().substring(0, report.text().indexOf("\n## "));
  }

  private static String litmusOf(Litmus outcome) {
    return tableOf(report(MUTANT, SCENARIO, LINCHECK, JCSTRESS, outcome), "Threads")
        .getLast()
        .get(6);
  }

  /** The texts of the first table that has a column of that name, its heads included. */
  private static List<List<String>> tableOf(Report report, String head) {
    Parser parser = Parser.builder().extensions(List.of(TablesExtension.create())).build();
    for (Node node = parser.parse(report.text()).getFirstChild();
        node != null;
        node = node.getNext()) {
      if (node instanceof TableBlock table && rowsOf(table).getFirst().contains(head)) {
        return rowsOf(table);
      }
    }
    throw new AssertionError("no table with a column " + head);
  }

  private static List<List<String>> rowsOf(TableBlock table) {
    List<List<String>> rows = new ArrayList<>();
    table.accept(
        new AbstractVisitor() {
          @Override
          public void visit(CustomNode node) {
            if (node instanceof TableRow) {
              rows.add(new ArrayList<>());
            } else if (node instanceof TableCell) {
              rows.getLast().add("");
            }
            visitChildren(node);
          }

          @Override
          public void visit(Text text) {
            append(text.getLiteral());
          }

          @Override
          public void visit(Code code) {
            append(code.getLiteral());
          }

          private void append(String text) {
            rows.getLast().add(rows.getLast().removeLast() + text);
          }
        });
    return rows;
  }
}
