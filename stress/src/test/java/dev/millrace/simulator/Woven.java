package dev.millrace.simulator;

import java.util.List;

/** Loads the programs of these tests woven. */
final class Woven {
  private static final WovenLoader LOADER = loader();

  private Woven() {}

  private static WovenLoader loader() {
    return new WovenLoader(Woven.class.getClassLoader(), List.of("dev.millrace.simulator.litmus."));
  }

  static Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name, true, LOADER);
  }

  /** The scenario that runs a litmus program. */
  static Scenario program(List<String> threads) {
    try {
      return (Scenario)
          load("dev.millrace.simulator.litmus.Interpreter")
              .getMethod("of", List.class)
              .invoke(null, threads);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("program must be readable: program=" + threads, e);
    }
  }

  /** The scenario that a static method of a class of programs sets up. */
  static Scenario scenario(Class<?> programs, String name) throws ReflectiveOperationException {
    return scenario(LOADER, programs, name);
  }

  /** The same, of classes that nobody else uses: it may be explored beside others. */
  static Scenario ownScenario(Class<?> programs, String name) throws ReflectiveOperationException {
    return scenario(loader(), programs, name);
  }

  private static Scenario scenario(WovenLoader loader, Class<?> programs, String name)
      throws ReflectiveOperationException {
    return Scenario.of(loader.loadClass(programs.getName()).getMethod(name, Simulation.class));
  }
}
