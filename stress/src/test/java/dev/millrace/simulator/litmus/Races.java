package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;

/** Programs with a plain variable that a litmus program's text cannot express. */
public final class Races {
  private Races() {}

  /** Two lines of this file that nothing orders. */
  public static void twoLines(Simulation run) {
    Plain plain = new Plain();
    run.thread(
        "writer",
        () -> {
          plain.value = 1; // the write that races
        });
    run.thread("reader", () -> run.check(plain.value <= 1, "one value only")); // the read
  }

  /** What sets up and what checks in the end are ordered with all threads. */
  public static void startAndEnd(Simulation run) {
    Plain plain = new Plain();
    plain.value++;
    run.thread("thread", () -> plain.value++);
    run.atEnd(() -> plain.value++);
  }

  /** A variable of a Java field. */
  private static final class Plain {
    int value;
  }
}
