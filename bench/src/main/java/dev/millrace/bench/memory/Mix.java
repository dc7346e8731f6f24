package dev.millrace.bench.memory;

/**
 * What the JVM has seen before it measures one kind of memory. Either way the loops are compiled by
 * then as methods: a pass over a large memory takes so long that otherwise what is measured would
 * be the code that HotSpot makes to replace a loop in mid-run.
 */
public enum Mix {
  /** That kind alone: no class of another is even loaded. */
  EXCLUSIVE,
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
}
