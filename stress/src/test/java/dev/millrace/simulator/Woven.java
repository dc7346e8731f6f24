package dev.millrace.simulator;

import java.util.List;

/** Loads the programs of these tests woven. */
final class Woven {
  private static final WovenLoader LOADER =
      new WovenLoader(Woven.class.getClassLoader(), List.of("dev.millrace.simulator.litmus."));

  private Woven() {}

  static Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name, true, LOADER);
  }

  /** The scenario that a static method of a class of programs sets up. */
  static Scenario scenario(Class<?> programs, String name) throws ReflectiveOperationException {
    return Scenario.of(load(programs.getName()).getMethod(name, Simulation.class));
  }
}
