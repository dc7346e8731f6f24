package dev.millrace.simulator;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The JDK's one-shot delimited continuations, which virtual threads are made of: all threads of a
 * simulation run on one, and switching takes no more than copying a few frames. The package must be
 * exported to the simulator: {@code --add-exports java.base/jdk.internal.vm=ALL-UNNAMED}.
 */
final class Coroutine {
  private static final MethodHandle NEW;
  private static final MethodHandle RUN;
  private static final MethodHandle YIELD;
  private static final Object SCOPE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      Class<?> scope = Class.forName("jdk.internal.vm.ContinuationScope");
      Class<?> continuation = Class.forName("jdk.internal.vm.Continuation");
      SCOPE =
          lookup
              .findConstructor(scope, MethodType.methodType(void.class, String.class))
              .invoke("simulation");
      NEW =
          lookup
              .findConstructor(
                  continuation, MethodType.methodType(void.class, scope, Runnable.class))
              .bindTo(SCOPE)
              .asType(MethodType.methodType(Object.class, Runnable.class));
      RUN =
          lookup
              .findVirtual(continuation, "run", MethodType.methodType(void.class))
              .asType(MethodType.methodType(void.class, Object.class));
      YIELD =
          lookup
              .findStatic(continuation, "yield", MethodType.methodType(boolean.class, scope))
              .bindTo(SCOPE);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(
          "the JVM must be started with --add-exports java.base/jdk.internal.vm=ALL-UNNAMED", e);
    } catch (Throwable e) {
      throw new LinkageError("the JDK must have jdk.internal.vm.Continuation", e);
    }
  }

  private Coroutine() {}

  static Object of(Runnable body) {
    try {
      return (Object) NEW.invokeExact(body);
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Runs it until it suspends itself, or to its end. */
  static void resume(Object coroutine) {
    try {
      RUN.invokeExact(coroutine);
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  /** Suspends the one that calls. */
  static void suspend() {
    try {
      boolean _ = (boolean) YIELD.invokeExact();
    } catch (Throwable e) {
      throw propagate(e);
    }
  }

  private static RuntimeException propagate(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
  }
}
