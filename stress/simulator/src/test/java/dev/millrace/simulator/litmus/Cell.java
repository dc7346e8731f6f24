package dev.millrace.simulator.litmus;

import java.lang.invoke.VarHandle;

/** A shared variable of a litmus program, zero at first, accessed in each mode that there is. */
interface Cell {
  /** Calls a method of the handle by its name, or a fence; the result is 0 if it has none. */
  int call(String method, int first, int second);

  static void fence(String method) {
    switch (method) {
      case "acquireFence" -> VarHandle.acquireFence();
      case "releaseFence" -> VarHandle.releaseFence();
      case "fullFence" -> VarHandle.fullFence();
      default -> throw new IllegalArgumentException("unknown method: " + method);
    }
  }

  static int number(boolean succeeded) {
    return succeeded ? 1 : 0;
  }
}
