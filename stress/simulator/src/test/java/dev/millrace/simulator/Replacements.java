package dev.millrace.simulator;

/** What the programs of these tests call instead of methods that the simulator does not know. */
public final class Replacements {
  private Replacements() {}

  /** A moment that is the same in each execution. */
  @Replaces(System.class)
  public static long currentTimeMillis() {
    return 42;
  }

  /** The same, of an object. */
  @Replaces(value = Runtime.class, isStatic = false)
  public static long freeMemory(Runtime unused) {
    return 43;
  }

  /** Stands for something by which the JVM fences all threads. */
  @Replaces(Runtime.class)
  public static Runtime.Version version() {
    Simulation.fenceAll();
    return Runtime.version();
  }
}
