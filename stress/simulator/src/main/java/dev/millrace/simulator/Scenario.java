package dev.millrace.simulator;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/**
 * A small concurrent program and what must hold of it: a few threads, a check at the end.
 *
 * <pre>{@code
 * run -> {
 *   Counter counter = new Counter();
 *   run.thread("one", counter::increment);
 *   run.thread("other", counter::increment);
 *   run.atEnd(() -> run.check(counter.value() == 2, "an update is lost"));
 * }
 * }</pre>
 *
 * <p>It is set up once for each execution, creates all objects that its threads share, and must do
 * the same each time, but for what the simulated memory and scheduler decide. It must be loaded by
 * the {@link WovenLoader} that loads the code under test.
 *
 * <p>A thread may lose its turn in the middle of a statement. Do not write {@code count[0] +=
 * call()} if the call has an atomic access, because the array is read first.
 */
@FunctionalInterface
public interface Scenario {
  /**
   * Makes the objects of one execution and its threads.
   *
   * @param run the execution
   * @throws Exception to fail it
   */
  void setUp(Simulation run) throws Exception;

  /**
   * The scenario that a static method sets up.
   *
   * @param method public, with a {@link Simulation} as its only parameter
   * @return the scenario
   * @throws IllegalAccessException if it is not public
   */
  static Scenario of(Method method) throws IllegalAccessException {
    return of(MethodHandles.publicLookup().unreflect(method));
  }

  /**
   * The scenario that a method of an object sets up, which is made for each execution.
   *
   * @param constructor public, without parameters
   * @param method public, of that class, with a {@link Simulation} as its only parameter
   * @return the scenario
   * @throws IllegalAccessException if they are not public
   */
  static Scenario of(Constructor<?> constructor, Method method) throws IllegalAccessException {
    MethodHandle made = MethodHandles.publicLookup().unreflectConstructor(constructor);
    MethodHandle handle = MethodHandles.publicLookup().unreflect(method);
    MethodType type = handle.type().changeParameterType(0, constructor.getDeclaringClass());
    return of(MethodHandles.foldArguments(handle.asType(type), made));
  }

  private static Scenario of(MethodHandle handle) {
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
