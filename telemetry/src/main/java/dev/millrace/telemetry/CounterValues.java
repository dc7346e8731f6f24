package dev.millrace.telemetry;

import dev.millrace.core.internal.Templates;
import dev.millrace.flyweight.internal.ClassGeneration;
import dev.millrace.telemetry.internal.CounterTable;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Writes the values of the counters in one memory. {@link CounterTable} defines the layout. */
abstract class CounterValues {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  /**
   * Makes an instance for {@code memory}, with a class of its own in which the memory is a
   * constant. The JIT then removes all checks of an access, except whether the memory is open.
   * Where no class can be made at run time, the memory is a field.
   */
  static CounterValues of(MemorySegment memory) {
    if (!ClassGeneration.isOn()) {
      return new InField(memory);
    }
    byte[] template = Templates.bytes(Template.class);
    try {
      MethodHandles.Lookup made = LOOKUP.defineHiddenClassWithClassData(template, memory, true);
      return (CounterValues)
          made.findConstructor(made.lookupClass(), MethodType.methodType(void.class)).invoke();
    } catch (Throwable e) {
      throw new LinkageError("the template must have its constructor", e);
    }
  }

  /** Adds to the value at {@code at}. Any number of threads may call it. */
  abstract void add(long at, long delta);

  /** Adds to the value at {@code at}. Only one thread at a time may call it. */
  abstract void addAlone(long at, long delta);

  /** Sets the value at {@code at}. */
  abstract void set(long at, long value);

  /** Never used itself. A copy of this class is defined as a hidden class for each memory. */
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

  /** Has its memory in a field. */
  private static final class InField extends CounterValues {
    private final MemorySegment memory;

    InField(MemorySegment memory) {
      this.memory = memory;
    }

    @Override
    void add(long at, long delta) {
      CounterTable.add(memory, at, delta);
    }

    @Override
    void addAlone(long at, long delta) {
      CounterTable.addAlone(memory, at, delta);
    }

    @Override
    void set(long at, long value) {
      CounterTable.set(memory, at, value);
    }
  }
}
