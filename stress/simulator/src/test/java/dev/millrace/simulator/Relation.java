package dev.millrace.simulator;

import java.util.Arrays;

/** A binary relation of at most 64 events, for axioms; none of its methods changes it. */
final class Relation {
  private final long[] rows;

  private Relation(long[] rows) {
    this.rows = rows;
  }

  /** Says whether two events are related. */
  @FunctionalInterface
  interface Test {
    boolean holds(int from, int to);
  }

  static Relation of(int events, Test test) {
    long[] rows = new long[events];
    for (int i = 0; i < events; i++) {
      for (int j = 0; j < events; j++) {
        rows[i] |= test.holds(i, j) ? 1L << j : 0;
      }
    }
    return new Relation(rows);
  }

  boolean has(int from, int to) {
    return (rows[from] >>> to & 1) != 0;
  }

  boolean isEmpty() {
    long all = 0;
    for (long row : rows) {
      all |= row;
    }
    return all == 0;
  }

  Relation or(Relation other) {
    long[] result = rows.clone();
    for (int i = 0; i < rows.length; i++) {
      result[i] |= other.rows[i];
    }
    return new Relation(result);
  }

  /** First this one, then the other. */
  Relation then(Relation other) {
    long[] result = new long[rows.length];
    for (int i = 0; i < rows.length; i++) {
      for (long left = rows[i]; left != 0; left &= left - 1) {
        result[i] |= other.rows[Long.numberOfTrailingZeros(left)];
      }
    }
    return new Relation(result);
  }

  Relation inverse() {
    return of(rows.length, (i, j) -> has(j, i));
  }

  /** This one, or staying where one is. */
  Relation orSame() {
    long[] result = rows.clone();
    for (int i = 0; i < rows.length; i++) {
      result[i] |= 1L << i;
    }
    return new Relation(result);
  }

  Relation where(Test test) {
    return of(rows.length, (i, j) -> has(i, j) && test.holds(i, j));
  }

  /** One or more steps of it. */
  Relation closure() {
    long[] result = rows.clone();
    for (int k = 0; k < rows.length; k++) {
      for (int i = 0; i < rows.length; i++) {
        result[i] |= (result[i] >>> k & 1) == 0 ? 0 : result[k];
      }
    }
    return new Relation(result);
  }

  boolean isSame(Relation other) {
    return Arrays.equals(rows, other.rows);
  }

  boolean isIrreflexive() {
    for (int i = 0; i < rows.length; i++) {
      if (has(i, i)) {
        return false;
      }
    }
    return true;
  }

  boolean isAcyclic() {
    return closure().isIrreflexive();
  }
}
