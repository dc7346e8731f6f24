package dev.millrace.stress.proof;

import java.util.Set;

/**
 * What is to be proven.
 *
 * @param mode how much of it
 * @param types the types whose proofs are asked for, by simple name; all if empty
 * @param isDry whether only to say what would run
 */
record Request(Mode mode, Set<String> types, boolean isDry) {
  /** How much is proven. */
  enum Mode {
    /** What each build repeats. It changes no row. */
    BRIEF,
    /** In depth, what the ledger has no row of that tells of the code as it is. */
    STALE,
    /** In depth, everything. */
    ALL,
    /** Everything, deeper still; it trusts no row and changes none. */
    FULL
  }

  boolean isBrief() {
    return mode == Mode.BRIEF;
  }

  boolean isFull() {
    return mode == Mode.FULL;
  }

  /** Whether rows spare work. */
  boolean trustsRows() {
    return mode == Mode.BRIEF || mode == Mode.STALE;
  }

  /** Whether rows are written. */
  boolean writes() {
    return (mode == Mode.STALE || mode == Mode.ALL) && !isDry;
  }

  /** How many times the usual depth. */
  double scale() {
    return isFull() ? 50 : 1;
  }

  /** Whether a type is asked for; one that is nested in another is with that. */
  boolean includes(String type) {
    return types.isEmpty() || types.contains(type) || types.contains(type.replaceAll("\\..*", ""));
  }
}
