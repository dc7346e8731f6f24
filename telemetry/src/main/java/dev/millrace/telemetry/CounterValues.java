package dev.millrace.telemetry;

import dev.millrace.core.internal.Templates;
import dev.millrace.telemetry.internal.CounterTable;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Writes the values of counters in one memory; {@link CounterTable} defines the layout. */
abstract class CounterValues {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  /**
   * Makes one for a memory, with a class of its own in which the memory is a constant. All checks
   * of an access then fold, except whether the memory is open.
   */
  static CounterValues of(MemorySegment memory) {
    byte[] template = Templates.bytes(Template.class);
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClassWithClassData(template, memory, true);
      return (CounterValues)
          made.findConstructor(made.lookupClass(), MethodType.methodType(void.class)).invoke();
    } catch (Throwable e) {
      throw new LinkageError("the template must have its constructor", e);
    }
  }

  /** Adds, for any number of threads. */
  abstract void add(long at, long delta);

  /** Adds, for one thread at a time. */
  abstract void addAlone(long at, long delta);

  /** Sets a value. */
  abstract void set(long at, long value);

  /** Not used itself: it is defined again, as a hidden class, for each memory. */
  private static final class Template extends CounterValues {
    private static final MemorySegment MEMORY = memory();

    private static MemorySegment memory() {
      try {
        return MethodHandles.classData(MethodHandles.lookup(), "_", MemorySegment.class);
      } catch (IllegalAccessException e) {
        throw new LinkageError("the template must be defined with class data", e);
      }
    }

    @Override
    void add(long at, long delta) {
      CounterTable.add(MEMORY, at, delta);
    }

    @Override
    void addAlone(long at, long delta) {
      CounterTable.addAlone(MEMORY, at, delta);
    }

    @Override
    void set(long at, long value) {
      CounterTable.set(MEMORY, at, value);
    }
  }
}
