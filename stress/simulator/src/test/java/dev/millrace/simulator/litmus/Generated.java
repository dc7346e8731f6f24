package dev.millrace.simulator.litmus;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Its bytes are defined anew when a program runs, as a hidden class. */
final class Generated {
  private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();

  private Generated() {}

  static Message message(MemorySegment memory) {
    return new Message(
        () -> LONGS.setOpaque(memory, 0L, 1L),
        () -> LONGS.setRelease(memory, 8L, 1L),
        () -> LONGS.setOpaque(memory, 8L, 1L),
        () -> (long) LONGS.getAcquire(memory, 8L),
        () -> (long) LONGS.getOpaque(memory, 8L),
        () -> (long) LONGS.getOpaque(memory, 0L));
  }
}
