package dev.millrace.stress;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** How to claim or to poll. */
enum Form {
  /** One record. */
  TRY,
  /** A run of records. */
  TRY_RUN,
  /** One record, where full and empty are exact if the structure can. */
  STRICT,
  /** Records that are handed to a handler, or a record that is copied from elsewhere. */
  HAND,
  /** One record; waits briefly. */
  BRIEF,
  /** One record; waits. */
  WAIT,
  /** A run of records; waits. */
  WAIT_RUN;

  /** How long a brief wait is. */
  static final Duration BRIEFLY = Duration.ofNanos(500_000);

  private static final List<Form> ALL = List.of(values());

  /** Draws one of the forms up to another one. */
  static Form draw(SplittableRandom random, Form most) {
    return ALL.get(random.nextInt(ALL.indexOf(most) + 1));
  }

  boolean isOfRun() {
    return this == TRY_RUN || this == WAIT_RUN;
  }

  boolean waits() {
    return this == WAIT || this == WAIT_RUN;
  }
}
