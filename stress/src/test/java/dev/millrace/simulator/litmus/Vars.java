package dev.millrace.simulator.litmus;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Shared variables of litmus tests, all zero at first. */
final class Vars {
  static final VarHandle X = handle("x");
  static final VarHandle Y = handle("y");
  static final VarHandle Z = handle("z");

  int x;
  int y;
  int z;

  private static VarHandle handle(String name) {
    try {
      return MethodHandles.lookup().findVarHandle(Vars.class, name, int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
