package dev.millrace.simulator;

/**
 * For tools that plant bugs: called by the code under test before an access that is to be weaker
 * than its name says, where no method has the weaker name. Outside of a simulation it does nothing.
 */
public final class Weakening {
  private Weakening() {}

  /**
   * Lets the current thread's next atomic access be done with less than its mode, or its next
   * update as a volatile read and a volatile write.
   *
   * @param mode {@code acquire}, {@code release} or {@code opaque}: what is left of it; or {@code
   *     split}
   */
  public static void next(String mode) {
    Simulation simulation = Simulation.running();
    if (simulation != null) {
      SimulatedThread thread = simulation.current();
      switch (mode) {
        case "acquire" -> thread.weakening = MemoryModel.ATOMIC | MemoryModel.ACQUIRE;
        case "release" -> thread.weakening = MemoryModel.ATOMIC | MemoryModel.RELEASE;
        case "opaque" -> thread.weakening = MemoryModel.ATOMIC;
        case "split" -> thread.splitsUpdate = true;
        default ->
            throw new IllegalArgumentException(
                "mode must be acquire, release, opaque or split: mode=" + mode);
      }
    }
  }
}
