package dev.millrace.simulator.litmus;

import dev.millrace.simulator.Simulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** A writer of two words and a reader that validates what it read. */
public final class Seqlocks {
  private static final VarHandle STAMP = ValueLayout.JAVA_INT.varHandle();
  private static final long ONE = 8;
  private static final long OTHER = 16;

  private final MemorySegment memory = Arena.ofShared().allocate(32, 8);

  private Seqlocks() {}

  @Speculative
  private long readBoth() {
    long one = memory.get(ValueLayout.JAVA_LONG, ONE);
    return 10 * one + memory.get(ValueLayout.JAVA_LONG, OTHER);
  }

  @Speculative
  private long copyBoth() {
    MemorySegment copy = Arena.ofShared().allocate(32, 8);
    MemorySegment.copy(memory, ONE, copy, ONE, 16);
    return 10 * copy.get(ValueLayout.JAVA_LONG, ONE) + copy.get(ValueLayout.JAVA_LONG, OTHER);
  }

  /** Finds out by comparisons which of the words are still 0. */
  @Speculative
  private long compareBoth() {
    MemorySegment zeros = Arena.ofShared().allocate(32, 8);
    long one = MemorySegment.mismatch(memory, ONE, OTHER, zeros, ONE, OTHER);
    long other = MemorySegment.mismatch(memory, OTHER, OTHER + 8, zeros, OTHER, OTHER + 8);
    return 10 * (one + 1) + other + 1;
  }

  private long readBothPlain() {
    return 10 * memory.get(ValueLayout.JAVA_LONG, ONE) + memory.get(ValueLayout.JAVA_LONG, OTHER);
  }

  private void write() {
    memory.set(ValueLayout.JAVA_LONG, ONE, 1);
    memory.set(ValueLayout.JAVA_LONG, OTHER, 1);
  }

  /** Speculative reads without any validation. */
  public static void torn(Simulation run) {
    Seqlocks lock = new Seqlocks();
    run.thread("writer", lock::write);
    run.thread("reader", () -> run.outcome("read " + lock.readBoth()));
  }

  /** A speculative copy, likewise. */
  public static void tornCopy(Simulation run) {
    Seqlocks lock = new Seqlocks();
    run.thread("writer", lock::write);
    run.thread("reader", () -> run.outcome("read " + lock.copyBoth()));
  }

  /** Speculative comparisons, likewise. */
  public static void tornComparison(Simulation run) {
    Seqlocks lock = new Seqlocks();
    lock.memory.set(ValueLayout.JAVA_LONG, ONE, 0);
    lock.memory.set(ValueLayout.JAVA_LONG, OTHER, 0);
    run.thread("writer", lock::write);
    run.thread("reader", () -> run.outcome("read " + lock.compareBoth()));
  }

  /** The same reads in a method that is not marked. */
  public static void notSpeculative(Simulation run) {
    Seqlocks lock = new Seqlocks();
    run.thread("writer", lock::write);
    run.thread("reader", () -> run.outcome("read " + lock.readBothPlain()));
  }

  /** As it should be. */
  public static void right(Simulation run) {
    seqlock(run, true, true);
  }

  /** The words may be written before the stamp says so. */
  public static void withoutReleaseFence(Simulation run) {
    seqlock(run, false, true);
  }

  /** The stamp may be read again before the words. */
  public static void withoutAcquireFence(Simulation run) {
    seqlock(run, true, false);
  }

  private static void seqlock(Simulation run, boolean releaseFence, boolean acquireFence) {
    Seqlocks lock = new Seqlocks();
    MemorySegment memory = lock.memory;
    run.thread(
        "writer",
        () -> {
          STAMP.setOpaque(memory, 0L, 1);
          if (releaseFence) {
            VarHandle.releaseFence();
          }
          lock.write();
          STAMP.setRelease(memory, 0L, 2);
        });
    run.thread(
        "reader",
        () -> {
          int stamp = (int) STAMP.getAcquire(memory, 0L);
          long both = lock.readBoth();
          if (acquireFence) {
            VarHandle.acquireFence();
          }
          if ((stamp & 1) == 0 && stamp == (int) STAMP.getOpaque(memory, 0L)) {
            run.outcome("read " + both);
            run.check(both == 0 || both == 11, "torn: " + both);
          }
        });
  }
}
