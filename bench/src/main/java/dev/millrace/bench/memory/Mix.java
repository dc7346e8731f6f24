package dev.millrace.bench.memory;

/** What else the JVM has seen before it measures one kind of memory. */
public enum Mix {
  /** Nothing: no class of another kind is even loaded. */
  EXCLUSIVE,
  /** The same loops, over all kinds in turn, until they are compiled. */
  MIXED;

  /** Small, so that a loop is called often enough to be compiled for what it sees in all calls. */
  private static final int SIZE_BYTES = 4096;

  /** HotSpot compiles a method with loops for good some 600 calls after it began to profile it. */
  private static final int ROUNDS = 1000;

  /**
   * Uses the loops as this mix says.
   *
   * @return what was read
   */
  long prepare(Access access) {
    return switch (this) {
      case EXCLUSIVE -> 0;
      case MIXED -> useAllKinds(access);
    };
  }

  private static long useAllKinds(Access access) {
    Kind[] kinds = Kind.values();
    Memory[] memories = new Memory[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      memories[i] = kinds[i].allocate(SIZE_BYTES, access);
    }
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (Memory memory : memories) {
        OwnLoop.write(memory, access, round);
        sum += OwnLoop.read(memory, access);
        SharedLoop.write(memory, access, round);
        sum += SharedLoop.read(memory, access);
      }
    }
    for (Memory memory : memories) {
      memory.close();
    }
    return sum;
  }
}
