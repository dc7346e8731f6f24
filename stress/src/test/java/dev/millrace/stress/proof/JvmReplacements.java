package dev.millrace.stress.proof;

import dev.millrace.core.internal.Jvm;
import dev.millrace.simulator.Replaces;
import dev.millrace.simulator.Simulation;

/** What scenarios call instead of {@link Jvm}, whose means no simulation sees. */
public final class JvmReplacements {
  private JvmReplacements() {}

  /** A full fence in each thread of the scenario. */
  @Replaces(Jvm.class)
  public static void fenceAll() {
    Simulation.fenceAll();
  }

  /**
   * Whether {@link #fenceAll} does what it says.
   *
   * @return true
   */
  @Replaces(Jvm.class)
  public static boolean canFenceAll() {
    return true;
  }

  /** Nothing: {@link #fenceAll} does what it says. */
  @Replaces(Jvm.class)
  public static void fenceSelf() {}

  /**
   * Nothing: as if the execution were over before.
   *
   * @param unusedAction what would be run
   */
  @Replaces(Jvm.class)
  public static void runLater(Runnable unusedAction) {}

  /**
   * Nothing: the count is the process's, which is not simulated.
   *
   * @param unusedBytes what would be counted
   */
  @Replaces(Jvm.class)
  public static void addNativeBytes(long unusedBytes) {}
}
