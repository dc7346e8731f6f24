package dev.millrace.bench.memory;

import dev.millrace.core.internal.Templates;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * What the JVM has seen before it measures one kind of memory. Either way the loops are compiled by
 * then as methods: a pass over a large memory takes so long that otherwise what is measured would
 * be the code that HotSpot makes to replace a loop in mid-run.
 */
public enum Mix {
  /** That kind alone: no class of another is even loaded. */
  EXCLUSIVE,
  /**
   * That kind, and {@link Kind#other} through loops of its own: a second class is loaded, but the
   * profile of the measured loops knows one. What differs from {@link #EXCLUSIVE} is the price of
   * the class; what differs from {@link #TWO} that of the profile.
   */
  LOADED,
  /** That kind and {@link Kind#other} in turn, through the same loops, as in Flink's post. */
  TWO,
  /** All kinds in turn, through the same loops. */
  MIXED;

  /** Small, so that a loop is called often enough to be compiled for what it sees in all calls. */
  private static final int SIZE_BYTES = 4096;

  /** HotSpot compiles a method with loops for good some 600 calls after it began to profile it. */
  private static final int ROUNDS = 1000;

  /**
   * Uses the loops as this mix says.
   *
   * @param measured the kind to be measured
   * @return what was read
   */
  long prepare(Kind measured, Access access) {
    return switch (this) {
      case EXCLUSIVE -> use(access, measured);
      case LOADED -> use(access, measured) + LoopCopy.use(access, measured.other());
      case TWO -> use(access, measured, measured.other());
      case MIXED -> use(access, Kind.values());
    };
  }

  private static long use(Access access, Kind... kinds) {
    Memory[] memories = new Memory[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      memories[i] = kinds[i].allocate(SIZE_BYTES, access);
    }
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (Memory memory : memories) {
        Loop.write(memory, access, round);
        sum += Loop.read(memory, access);
      }
    }
    for (Memory memory : memories) {
      memory.close();
    }
    return sum;
  }

  /** A copy of the loops, as a class whose methods have profiles of their own. */
  private static final class LoopCopy {
    private static final MethodHandle WRITE;
    private static final MethodHandle READ;

    static {
      try {
        MethodHandles.Lookup lookup =
            MethodHandles.lookup().defineHiddenClass(Templates.bytes(Loop.class), true);
        Class<?> copy = lookup.lookupClass();
        WRITE =
            lookup.findStatic(
                copy,
                "write",
                MethodType.methodType(void.class, Memory.class, Access.class, int.class));
        READ =
            lookup.findStatic(
                copy, "read", MethodType.methodType(long.class, Memory.class, Access.class));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("cannot copy the loops", e);
      }
    }

    static long use(Access access, Kind kind) {
      try (Memory memory = kind.allocate(SIZE_BYTES, access)) {
        long sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
          WRITE.invokeExact(memory, access, round);
          sum += (long) READ.invokeExact(memory, access);
        }
        return sum;
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }
}
