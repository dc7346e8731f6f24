package dev.millrace.stress.report;

import dev.millrace.report.Tone;
import dev.millrace.stress.report.Results.Jcstress;
import dev.millrace.stress.report.Results.Lincheck;
import dev.millrace.stress.report.Results.Litmus;
import dev.millrace.stress.report.Results.Mutant;
import dev.millrace.stress.report.Results.Scenario;
import java.util.List;

/**
 * What a result amounts to. All judging is here, and it fails closed: a word that is not known is a
 * failure, and what was not run is never clear.
 *
 * @param tone how much it should be noticed
 * @param word the verdict, in a word or two
 * @param why the reason, or null where the word says it all
 */
public record Verdict(Tone tone, String word, String why) {

  /**
   * Judges a scenario.
   *
   * @param scenario what the simulator ran
   * @return the verdict
   */
  public static Verdict of(Scenario scenario) {
    if (scenario.failure() != null) {
      return new Verdict(Tone.BAD, "failed", scenario.failure());
    }
    if (scenario.executions() <= 0 && scenario.deepExecutions() <= 0) {
      return new Verdict(Tone.GAP, "not run", "no execution");
    }
    if (scenario.depth() == null) {
      return new Verdict(Tone.GAP, "not run in depth", "only as far as each build runs it");
    }
    if (scenario.hardestMutant() != null
        && scenario.deepExecutions() < scenario.hardestExecutions()) {
      return new Verdict(
          Tone.GAP, "run too short", "the hardest planted bug took more executions than this run");
    }
    return clear("no failure", scenario.depth());
  }

  /**
   * Judges a planted bug.
   *
   * @param mutant the planted bug
   * @return the verdict
   */
  public static Verdict of(Mutant mutant) {
    return switch (text(mutant.verdict())) {
      case "caught" -> new Verdict(Tone.CLEAR, "caught", mutant.by());
      case "exempt" ->
          text(mutant.by()).isBlank()
              ? new Verdict(Tone.GAP, "exempt", "no reason is given")
              : new Verdict(Tone.PLAIN, "exempt", mutant.by());
      case "survived" -> new Verdict(Tone.BAD, "survived", "no proof noticed it");
      default -> unknown(mutant.verdict());
    };
  }

  /**
   * Judges a Lincheck test.
   *
   * @param test the test
   * @return the verdict
   */
  public static Verdict of(Lincheck test) {
    return switch (text(test.outcome())) {
      case "passed" ->
          test.iterations() <= 0 || test.invocations() <= 0
              ? new Verdict(Tone.GAP, "not run", "no scenario or no invocation")
              : clear("no failure", test.depth());
      case "caught" -> clear("planted bug caught", test.depth());
      default -> unknown(test.outcome());
    };
  }

  /**
   * Judges a jcstress test.
   *
   * @param test the test
   * @return the verdict
   */
  public static Verdict of(Jcstress test) {
    for (Jcstress.Outcome outcome : outcomes(test)) {
      Verdict verdict = of(outcome);
      if (verdict.tone() == Tone.BAD) {
        return new Verdict(Tone.BAD, verdict.word(), "outcome " + outcome.id());
      }
    }
    // jcstress skips a test silently if it has more actors than there are processors.
    return test.samples() <= 0 || (outcomes(test).isEmpty() && test.depth() == null)
        ? new Verdict(Tone.GAP, "not run", "no sample was taken")
        : clear("no forbidden outcome", test.depth());
  }

  /**
   * Judges an outcome of a jcstress test.
   *
   * @param outcome the outcome
   * @return the verdict
   */
  public static Verdict of(Jcstress.Outcome outcome) {
    return switch (text(outcome.expectation())) {
      case "ACCEPTABLE" -> new Verdict(Tone.PLAIN, "acceptable", null);
      case "ACCEPTABLE_INTERESTING" -> new Verdict(Tone.PLAIN, "acceptable, interesting", null);
      case "FORBIDDEN" ->
          outcome.count() > 0
              ? new Verdict(Tone.BAD, "FORBIDDEN, seen", null)
              : new Verdict(Tone.CLEAR, "forbidden, not seen", null);
      default -> unknown(outcome.expectation());
    };
  }

  /**
   * Judges an outcome of a litmus test.
   *
   * @param litmus the outcome
   * @return the verdict
   */
  public static Verdict of(Litmus litmus) {
    if (!litmus.allowed() && litmus.seen() > 0) {
      return new Verdict(Tone.BAD, "FORBIDDEN, seen", "the memory model forbids it");
    }
    if (litmus.executions() <= 0) {
      return new Verdict(Tone.GAP, "not run", "no execution");
    }
    if (!litmus.allowed()) {
      return new Verdict(Tone.CLEAR, "forbidden, not seen", null);
    }
    if (litmus.seen() > 0) {
      return new Verdict(Tone.CLEAR, "allowed, seen", null);
    }
    return text(litmus.note()).isBlank()
        ? new Verdict(
            Tone.GAP, "allowed, not seen", "the simulator misses it, and no note says why")
        : new Verdict(Tone.PLAIN, "allowed, not seen", null);
  }

  /**
   * A test's outcomes.
   *
   * @param test the test
   * @return its outcomes, empty if there are none
   */
  public static List<Jcstress.Outcome> outcomes(Jcstress test) {
    return test.outcomes() == null ? List.of() : test.outcomes();
  }

  /** What a run in depth has shown is shown of the code only while that is the same. */
  private static Verdict clear(String word, Results.Depth depth) {
    return depth == null || depth.isCurrent()
        ? new Verdict(Tone.CLEAR, word, null)
        : new Verdict(Tone.GAP, "of other code", "the code has changed since " + depth.date());
  }

  private static Verdict unknown(String word) {
    return new Verdict(Tone.BAD, text(word).isBlank() ? "no verdict" : word, null);
  }

  private static String text(String text) {
    return text == null ? "" : text;
  }
}
