package dev.millrace.simulator;

import dev.millrace.simulator.litmus.Speculative;
import java.util.List;

/** Loads the programs of these tests woven. */
final class Woven {
  private static final WovenLoader LOADER = loader();

  private Woven() {}

  private static WovenLoader loader() {
    Weaving weaving =
        Weaving.of("dev.millrace.simulator.litmus.")
            .speculative(Speculative.class)
            .replacing(Replacements.class);
    return new WovenLoader(Woven.class.getClassLoader(), weaving);
  }

  static Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name, true, LOADER);
  }

  /** The scenario that runs a litmus program, whose variables are fields. */
  static Scenario program(List<String> threads) {
    return program("of", threads);
  }

  /** The same, whose variables are elements of an array. */
  static Scenario programOfElements(List<String> threads) {
    return program("ofElements", threads);
  }

  private static Scenario program(String maker, List<String> threads) {
    try {
      return (Scenario)
          load("dev.millrace.simulator.litmus.Interpreter")
              .getMethod(maker, List.class)
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
