package dev.millrace.simulator;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
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
    Method method = load(programs.getName()).getMethod(name, Simulation.class);
    MethodHandle handle = MethodHandles.publicLookup().unreflect(method);
    return run -> {
      try {
        handle.invokeExact(run);
      } catch (Exception | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }
}
