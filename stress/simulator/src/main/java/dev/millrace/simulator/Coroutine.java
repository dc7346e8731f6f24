package dev.millrace.simulator;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The JDK's one-shot delimited continuations, which virtual threads are made of: all threads of a
 * simulation run on one, and switching takes no more than copying a few frames. The JVM must be
 * started with an export of their package: {@link Explorer} checks it.
 */
final class Coroutine {
  private static final String PACKAGE = "jdk.internal.vm";
  private static final MethodHandle NEW;
  private static final MethodHandle RUN;
  private static final MethodHandle YIELD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      Class<?> scope = Class.forName(PACKAGE + ".ContinuationScope");
      Class<?> continuation = Class.forName(PACKAGE + ".Continuation");
      Object own =
          lookup
              .findConstructor(scope, MethodType.methodType(void.class, String.class))
              .invoke("simulation");
      NEW =
          lookup
              .findConstructor(
                  continuation, MethodType.methodType(void.class, scope, Runnable.class))
              .bindTo(own)
              .asType(MethodType.methodType(Object.class, Runnable.class));
      RUN =
          lookup
              .findVirtual(continuation, "run", MethodType.methodType(void.class))
              .asType(MethodType.methodType(void.class, Object.class));
      YIELD =
          lookup
              .findStatic(continuation, "yield", MethodType.methodType(boolean.class, scope))
              .bindTo(own);
    } catch (Throwable e) {
      throw new LinkageError("the JDK must have " + PACKAGE + ".Continuation", e);
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
