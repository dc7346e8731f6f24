package dev.millrace.simulator;

import java.util.Set;
import java.util.function.Predicate;

/** Writes the litmus tests down as {@code docs/LITMUS.md}. */
final class LitmusDocument {
  static final String HEAD =
      """
      # Litmus tests

      What the ordering simulator shows of small programs, beside what the published models say. The tests write this page
      (`-Dmillrace.update=true`) and fail when it is out of date. Variables are 0 at first. An outcome is a condition on
      registers and on the variables in the end; it is *shown* if any execution ends so, of all within bounds and of 20,000 at
      random.

      - **Lea**: Doug Lea, [Using JDK 9 Memory Order Modes](https://gee.cs.oswego.edu/dl/html/j9mm.html).
      - **JAM21**: the model of Java's access modes of Liu, Bender and Palsberg,
        [Compiling Volatile Correctly in Java](https://doi.org/10.4230/LIPIcs.ECOOP.2022.6), 2022, and its artifact's tests;
        it succeeds Bender and Palsberg,
        [A Formalization of Java's Concurrent Access Modes](https://doi.org/10.1145/3360568), 2019.
      - **RC11**: that of C and C++ of Lahav et al.,
        [Repairing Sequential Consistency in C/C++11](https://doi.org/10.1145/3062341.3062352), 2017, as herd7 has it, with
        the release sequences of C++20. Opaque is its relaxed, volatile its sequentially consistent mode.

      The tests evaluate the axioms of both models for each program. The simulator shows every outcome that JAM21 allows and
      none that both models forbid. Where JAM21 forbids what RC11 allows, it may be shown: processors reorder an opaque read
      with a write behind it, which JAM21 excludes, so here a proof had better rest on the weaker model.

      """;

  private static final String COLUMNS =
      """
      ```

      | outcome | verdict | JAM21 | RC11 | shown | source |
      |---|---|---|---|---|---|
      """;

  private LitmusDocument() {}

  static void append(StringBuilder text, Litmus litmus, Predicate<Litmus.Outcome> isShown) {
    text.append("## ").append(litmus.name).append("\n\n```java\n");
    for (String thread : litmus.threads) {
      text.append(thread).append(";\n");
    }
    text.append(COLUMNS);
    Set<String> java = litmus.by(Axioms.Model.JAM21);
    Set<String> cpp = litmus.by(Axioms.Model.RC11);
    for (Litmus.Outcome outcome : litmus.outcomes) {
      text.append("| `")
          .append(outcome.condition())
          .append("` | ")
          .append(verdict(outcome.isAllowed()))
          .append(" | ")
          .append(verdict(outcome.isShown(java)))
          .append(" | ")
          .append(verdict(outcome.isShown(cpp)))
          .append(" | ")
          .append(isShown.test(outcome) ? "yes" : "no")
          .append(outcome.reason() == null ? "" : ": " + outcome.reason())
          .append(" | ")
          .append(outcome.source())
          .append(" |\n");
    }
    text.append('\n');
  }

  private static String verdict(boolean allowed) {
    return allowed ? "allowed" : "forbidden";
  }
}
