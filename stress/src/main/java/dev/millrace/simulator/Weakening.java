package dev.millrace.simulator;

/** Called by planted bugs before an access whose mode its own name does not tell. */
public final class Weakening {
  private Weakening() {}

  /**
   * Lets the current thread's next atomic access be done with less than its mode.
   *
   * @param mode {@code acquire}, {@code release} or {@code opaque}: what is left of it
   */
  public static void next(String mode) {
    Simulation simulation = Simulation.running();
    if (simulation != null) {
      simulation.current().weakening =
          switch (mode) {
            case "acquire" -> MemoryModel.ATOMIC | MemoryModel.ACQUIRE;
            case "release" -> MemoryModel.ATOMIC | MemoryModel.RELEASE;
            case "opaque" -> MemoryModel.ATOMIC;
            default ->
                throw new IllegalArgumentException(
                    "mode must be acquire, release or opaque: mode=" + mode);
          };
    }
  }
}
