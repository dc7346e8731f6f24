package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Programs with methods that others replace. */
public final class Replaced {
  private static final VarHandle ELEMENTS = MethodHandles.arrayElementVarHandle(Boolean[].class);

  private Replaced() {}

  /** A static one and one of an object. */
  public static void clocks(Simulation run) {
    run.check(System.currentTimeMillis() == 42, "static");
    run.check(Runtime.getRuntime().freeMemory() == 43, "of an object");
  }

  /** One thread fences for both: Dekker's algorithm, of elements of an array. */
  public static void fencesForBoth(Simulation run) {
    dekker(run, true);
  }

  /** Neither thread fences. */
  public static void fencesForNone(Simulation run) {
    dekker(run, false);
  }

  private static void dekker(Simulation run, boolean fences) {
    Boolean[] here = new Boolean[2];
    boolean[] alone = new boolean[2];
    run.thread(
        "often",
        () -> {
          ELEMENTS.setOpaque(here, 0, Boolean.TRUE);
          alone[0] = (Boolean) ELEMENTS.getOpaque(here, 1) == null;
        });
    run.thread(
        "seldom",
        () -> {
          ELEMENTS.setOpaque(here, 1, Boolean.TRUE);
          if (fences) {
            Runtime.Version _ = Runtime.version(); // which fences all threads
          }
          alone[1] = (Boolean) ELEMENTS.getOpaque(here, 0) == null;
        });
    run.atEnd(() -> run.check(!(alone[0] && alone[1]), "both are alone"));
  }
}
