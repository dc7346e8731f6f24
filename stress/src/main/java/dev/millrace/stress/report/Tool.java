package dev.millrace.stress.report;

import dev.millrace.report.Tone;

/**
 * A kind of proof and its last run.
 *
 * @param name the tool's, as a heading
 * @param kind the name of its file of results
 * @param present whether there are results
 * @param run when and on what, or null if that was not recorded
 * @param stale whether the results were found on other code than is now beside the report
 * @param seconds how long it took, or null if nobody measured it
 */
public record Tool(
    String name, String kind, boolean present, Run run, boolean stale, Double seconds) {

  /**
   * The tool in a cell of a type's row.
   *
   * @param verdict what its results for the type amount to
   * @return that verdict, or what outweighs it
   */
  Verdict inSummary(Verdict verdict) {
    if (!present) {
      return new Verdict(Tone.GAP, "not run", null);
    }
    return stale && verdict.tone() == Tone.CLEAR
        ? new Verdict(Tone.GAP, "of other code", verdict.word() + " " + verdict.why())
        : verdict;
  }
}
