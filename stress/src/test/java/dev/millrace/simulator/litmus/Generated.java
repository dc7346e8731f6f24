package dev.millrace.simulator.litmus;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Its bytes are defined anew when a program runs, as a hidden class. */
final class Generated implements Message {
  private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();

  private final MemorySegment memory = Arena.ofShared().allocate(16, 8);

  static Object make() {
    return new Generated();
  }

  @Override
  public void put(boolean release) {
    LONGS.setOpaque(memory, 0L, 1L);
    if (release) {
      LONGS.setRelease(memory, 8L, 1L);
    } else {
      LONGS.setOpaque(memory, 8L, 1L);
    }
  }

  @Override
  public long flag(boolean acquire) {
    return acquire ? (long) LONGS.getAcquire(memory, 8L) : (long) LONGS.getOpaque(memory, 8L);
  }

  @Override
  public long value() {
    return (long) LONGS.getOpaque(memory, 0L);
  }
}
