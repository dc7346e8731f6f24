package dev.millrace.stress.report;

import dev.millrace.report.Tone;
import dev.millrace.stress.report.Results.Result;
import java.util.List;
import java.util.stream.Stream;

/**
 * A kind of proof and its last run.
 *
 * @param <T> the type of its results
 * @param name the tool's, as a heading
 * @param kind the name of its file of results
 * @param rows the results
 * @param run when and on what, or null if that was not recorded
 * @param stale whether the results were found on other code than is now beside the report
 * @param seconds how long it took, or null if nobody measured it
 */
public record Tool<T extends Result>(
    String name, String kind, List<Judged<T>> rows, Run run, boolean stale, Double seconds) {

  /**
   * Whether there are results.
   *
   * @return whether it was run
   */
  public boolean present() {
    return !rows.isEmpty();
  }

  List<Judged<T>> ofType(String type) {
    return rows.stream().filter(row -> type.equals(row.of().type())).toList();
  }

  /** The results that should be noticed in some way, each as a line. */
  Stream<Finding> findings(Tone tone) {
    return rows.stream()
        .filter(row -> row.verdict().tone() == tone)
        .map(
            row -> {
              String type = row.of().type();
              String anchor = type == null ? "litmus" : TypeSection.anchor(type);
              return new Finding(name, type, row.of().what(), row.verdict(), anchor);
            });
  }

  /** The line that says that all of it is missing, or of other code. */
  Stream<Finding> gap() {
    Verdict verdict =
        !present()
            ? new Verdict(Tone.GAP, "not run", null)
            : new Verdict(Tone.GAP, "of other code", "the classes have changed since");
    String what = present() ? "all results" : "all tests";
    return present() && !stale
        ? Stream.empty()
        : Stream.of(new Finding(name, null, what, verdict, "runs"));
  }

  /**
   * The tool in a cell of a type's row.
   *
   * @param verdict what its results for the type amount to
   * @return that verdict, or what outweighs it
   */
  Verdict inSummary(Verdict verdict) {
    if (!present()) {
      return new Verdict(Tone.GAP, "not run", null);
    }
    return stale && verdict.tone() == Tone.CLEAR
        ? new Verdict(Tone.GAP, "of other code", verdict.word() + " " + verdict.why())
        : verdict;
  }
}
