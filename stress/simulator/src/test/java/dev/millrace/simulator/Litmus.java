package dev.millrace.simulator;

import dev.millrace.simulator.litmus.Program;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * A litmus test: a program, and what may and what must not come out.
 *
 * @param name its name in the literature, with the modes
 * @param threads each thread's statements
 * @param outcomes what is known of some of its outcomes
 */
record Litmus(String name, List<String> threads, List<Outcome> outcomes) {
  /** What is known of an outcome. */
  enum Verdict {
    /** The model allows it, and the exhaustive mode shows it. */
    ALLOWED,
    /** The model forbids it, and no mode shows it. */
    FORBIDDEN,
    /** The model allows it, but the simulator is not made to show it. */
    UNEXPLORED
  }

  /**
   * One outcome, or some that have something in common.
   *
   * @param condition values of registers, and of variables in the end
   * @param verdict what is known
   * @param source who says so
   * @param reason why it is not shown, or null
   */
  record Outcome(String condition, Verdict verdict, String source, String reason) {
    /** Says whether an outcome, of all values, is one of these. */
    boolean matches(String outcome) {
      return List.of(outcome.split(" ")).containsAll(List.of(condition.split(" ")));
    }

    boolean isShown(Collection<String> outcomes) {
      return outcomes.stream().anyMatch(this::matches);
    }

    boolean isAllowed() {
      return verdict != Verdict.FORBIDDEN;
    }
  }

  /** All outcomes that a published model allows, in full. */
  Set<String> by(Axioms.Model model) {
    return Axioms.outcomes(Program.parse(threads), model);
  }
}
