package dev.millrace.stress.report;

import dev.millrace.report.Numbers;
import dev.millrace.report.Tone;
import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All that was found about one type under test.
 *
 * @param name the type
 * @param scenarios what the ordering simulator ran
 * @param mutants the planted bugs
 * @param lincheck the Lincheck tests
 * @param jcstress the jcstress tests
 */
public record TypeSection(
    String name,
    List<Judged<Scenario>> scenarios,
    List<Judged<Mutant>> mutants,
    List<Judged<Lincheck>> lincheck,
    List<Judged<Jcstress>> jcstress) {

  private static final Numbers NUMBERS = new Numbers();

  static String anchor(String type) {
    return "type-" + type.replaceAll("[^A-Za-z0-9]", "-");
  }

  /**
   * Where its section is on the page.
   *
   * @return the anchor
   */
  public String anchor() {
    return anchor(name);
  }

  /**
   * The planted bugs of one operator.
   *
   * @param operator what was done
   * @param ordering whether it weakens an ordering
   * @param planted how many were planted
   * @param caught how many of them were caught
   * @param exempt how many are exempt
   * @param survived how many are neither
   */
  public record Operator(
      String operator, boolean ordering, long planted, long caught, long exempt, long survived) {}

  /**
   * The planted bugs by operator, those that weaken an ordering first.
   *
   * @return a row for each
   */
  public List<Operator> operators() {
    Map<String, List<Judged<Mutant>>> groups = new TreeMap<>();
    for (Judged<Mutant> row : mutants) {
      String key = (row.of().ordering() ? "0 " : "1 ") + row.of().operator();
      groups.computeIfAbsent(key, _ -> new ArrayList<>()).add(row);
    }
    return groups.values().stream().map(TypeSection::operator).toList();
  }

  private static Operator operator(List<Judged<Mutant>> rows) {
    Mutant first = rows.getFirst().of();
    return new Operator(
        first.operator(),
        first.ordering(),
        rows.size(),
        Judged.count(rows, Tone.CLEAR),
        exempt(rows),
        Judged.count(rows, Tone.BAD));
  }

  /**
   * The planted bugs that are shown one by one: all that weaken an ordering, and of the others
   * those that were not caught.
   *
   * @return a row for each
   */
  public List<Judged<Mutant>> shownMutants() {
    return mutants.stream()
        .filter(row -> row.of().ordering() || row.verdict().tone() != Tone.CLEAR)
        .toList();
  }

  /** Each is there once for each mode. */
  private long scenarioCount() {
    return scenarios.stream().map(row -> row.of().name()).distinct().count();
  }

  /**
   * The simulator's cell in the summary.
   *
   * @return the verdict on its scenarios
   */
  public Verdict simulatorCell() {
    long executions =
        scenarios.stream()
            .mapToLong(row -> Math.max(row.of().executions(), row.of().deepExecutions()))
            .sum();
    return cell(
        scenarios,
        "scenario",
        "no failure",
        "in "
            + NUMBERS.count(executions, "execution")
            + " of "
            + NUMBERS.count(scenarioCount(), "scenario"));
  }

  /**
   * The mutants' cell in the summary.
   *
   * @return the verdict on them
   */
  public Verdict mutantCell() {
    if (mutants.isEmpty()) {
      return none("planted bug");
    }
    long survived = Judged.count(mutants, Tone.BAD);
    long caught = Judged.count(mutants, Tone.CLEAR);
    long exempt = exempt(mutants);
    String rest = exempt == 0 ? "" : ", " + NUMBERS.count(exempt) + " exempt";
    String counts =
        "of " + NUMBERS.count(mutants.size()) + ": " + NUMBERS.count(caught) + " caught" + rest;
    if (survived > 0) {
      return new Verdict(Tone.BAD, NUMBERS.count(survived) + " survived", counts);
    }
    if (caught == 0) {
      return new Verdict(Tone.GAP, "none caught", counts);
    }
    return Judged.count(mutants, Tone.GAP) > 0
        ? new Verdict(Tone.GAP, "exempt without a reason", counts)
        : new Verdict(Tone.CLEAR, "no survivor", counts);
  }

  /**
   * Lincheck's cell in the summary.
   *
   * @return the verdict on its tests
   */
  public Verdict lincheckCell() {
    long caught = lincheck.stream().filter(row -> "caught".equals(row.of().outcome())).count();
    long tests = lincheck.size() - caught;
    if (tests == 0 && caught > 0 && Judged.count(lincheck, Tone.BAD) == 0) {
      return new Verdict(
          Tone.GAP, "no test", "only " + NUMBERS.count(caught, "planted bug") + " caught");
    }
    return cell(
        lincheck,
        "test",
        "no failure",
        "in "
            + NUMBERS.count(tests, "test")
            + (caught == 0 ? "" : "; " + NUMBERS.count(caught, "planted bug") + " caught"));
  }

  /**
   * jcstress's cell in the summary.
   *
   * @return the verdict on its tests
   */
  public Verdict jcstressCell() {
    long samples = jcstress.stream().mapToLong(row -> row.of().samples()).sum();
    return cell(
        jcstress,
        "test",
        "no forbidden outcome",
        "in " + NUMBERS.count(samples, "sample") + " of " + NUMBERS.count(jcstress.size(), "test"));
  }

  private static <T> Verdict cell(List<Judged<T>> rows, String one, String clear, String counts) {
    if (rows.isEmpty()) {
      return none(one);
    }
    long bad = Judged.count(rows, Tone.BAD);
    if (bad > 0) {
      return new Verdict(
          Tone.BAD, "FAILED", NUMBERS.count(bad) + " of " + NUMBERS.count(rows.size(), one));
    }
    long gaps = Judged.count(rows, Tone.GAP);
    return gaps > 0
        ? new Verdict(
            Tone.GAP, "not shown", NUMBERS.count(gaps) + " of " + NUMBERS.count(rows.size(), one))
        : new Verdict(Tone.CLEAR, clear, counts);
  }

  private static Verdict none(String one) {
    return new Verdict(Tone.PLAIN, "no " + one, null);
  }

  private static long exempt(List<Judged<Mutant>> rows) {
    return rows.stream().filter(row -> "exempt".equals(row.of().verdict())).count();
  }
}
