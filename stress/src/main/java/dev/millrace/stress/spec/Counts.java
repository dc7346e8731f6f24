package dev.millrace.stress.spec;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What was seen in a round, as counts by name, in the order of their first mention. */
public final class Counts {
  private final Map<String, Long> counts = new LinkedHashMap<>();

  /** Makes counts without any. */
  public Counts() {}

  /**
   * Adds to a count; of names that start with "most" the maximum is kept.
   *
   * @param name what is counted
   * @param count how many
   * @return this
   */
  public Counts add(String name, long count) {
    counts.merge(name, count, name.startsWith("most") ? Math::max : Long::sum);
    return this;
  }

  /**
   * Adds the counts of another round.
   *
   * @param other the counts to add
   * @return this
   */
  public Counts add(Counts other) {
    other.counts.forEach(this::add);
    return this;
  }

  /**
   * Reads a count.
   *
   * @param name what was counted
   * @return how many, 0 if nothing was
   */
  public long get(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /**
   * Lists what was counted.
   *
   * @return the names, in order
   */
  public Set<String> names() {
    return counts.keySet();
  }

  @Override
  public String toString() {
    return counts.toString();
  }

  /**
   * Checks a count.
   *
   * @param what its name
   * @param is the count
   * @param mustBe what it must be
   * @throws AssertionError if it is not
   */
  public static void check(String what, long is, long mustBe) {
    checkWithin(what, is, mustBe, mustBe);
  }

  /**
   * Checks that a count is within bounds.
   *
   * @param what its name
   * @param is the count
   * @param least the least that it may be
   * @param most the most that it may be
   * @throws AssertionError if it is not
   */
  public static void checkWithin(String what, long is, long least, long most) {
    if (is < least || is > most) {
      String bounds = least == most ? "" + least : "in " + least + ".." + most;
      throw new AssertionError(what + " must be " + bounds + ": is " + is);
    }
  }

  /**
   * Checks a rule that no count expresses.
   *
   * @param holds whether it holds
   * @param rule the rule
   * @param state what the message shows besides
   * @throws AssertionError if it does not hold
   */
  public static void check(boolean holds, String rule, Object state) {
    if (!holds) {
      throw new AssertionError(rule + ": " + state);
    }
  }
}
