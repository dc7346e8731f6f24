package dev.millrace.bench.compare;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Function;

/**
 * The best that can be written by hand on the same memory, in one thread: limits to compare with.
 * Nothing is checked but what memory segments check themselves.
 */
record Bare(NativeMemory memory, Function<MemorySegment, Ends> ends) implements Contender {
  private static final int CAPACITY = Work.USUAL_CAPACITY;
  private static final long MASK = CAPACITY - 1;
  private static final StructLayout RECORD =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("time"), JAVA_LONG.withName("price"), JAVA_LONG.withName("volume"));
  private static final long RECORD_BYTES = RECORD.byteSize();
  private static final long SLOT_BYTES = Long.BYTES + RECORD_BYTES;
  private static final VarHandle STAMP = JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final VarHandle TIME = field("time");
  private static final VarHandle PRICE = field("price");
  private static final VarHandle VOLUME = field("volume");

  private static VarHandle field(String name) {
    return RECORD.varHandle(groupElement(name)).withInvokeExactBehavior();
  }

  /** No queue: the same fields, written and read. */
  static Bare records() {
    return new Bare(NativeMemory.allocate(CAPACITY * RECORD_BYTES), Records::new);
  }

  /** The shortest claim, commit, poll and release. */
  static Bare claims() {
    return new Bare(NativeMemory.allocate(CAPACITY * SLOT_BYTES), Claims::new);
  }

  @Override
  public Ends ends(boolean sends, boolean receives) {
    return ends.apply(memory.segment());
  }

  @Override
  public void close() {
    memory.close();
  }

  private static void set(MemorySegment memory, long offset, long number) {
    TIME.set(memory, offset, number);
    PRICE.set(memory, offset, number + 1);
    VOLUME.set(memory, offset, number + 2);
  }

  private static long sum(MemorySegment memory, long offset) {
    return (long) TIME.get(memory, offset)
        + (long) PRICE.get(memory, offset)
        + (long) VOLUME.get(memory, offset);
  }

  /** Runs; the distance of records is a constant, and all fields of a record share one check. */
  private static final class Records extends Ends {
    private final MemorySegment memory;
    private long base;

    Records(MemorySegment memory) {
      this.memory = memory;
    }

    @Override
    int send(long first, int count) {
      base = (first & MASK) * RECORD_BYTES;
      for (int i = 0; i < count; i++) {
        set(memory, base + i * RECORD_BYTES, first + i);
      }
      VarHandle.storeStoreFence(); // two loops, as in a queue
      return count;
    }

    @Override
    int receiveRun(int limit) {
      long sum = 0;
      for (int i = 0; i < limit; i++) {
        sum += sum(memory, base + i * RECORD_BYTES);
      }
      runSum += sum;
      return limit;
    }
  }

  /** Singles. */
  private static final class Claims extends Ends {
    private final Sequence head = new Sequence();
    private final View in;
    private final View out;
    private long claimed;
    private long polled;
    private long limit = CAPACITY;

    Claims(MemorySegment memory) {
      in = new View(memory);
      out = new View(memory);
    }

    @Override
    boolean send(long number) {
      if (claimed >= limit) {
        limit = head.getAcquire() + CAPACITY;
        if (claimed >= limit) {
          return false;
        }
      }
      in.offset = (claimed & MASK) * SLOT_BYTES + Long.BYTES;
      in.set(number);
      claimed++;
      STAMP.setRelease(in.memory, in.offset - Long.BYTES, claimed);
      return true;
    }

    @Override
    long receive() {
      long slot = (polled & MASK) * SLOT_BYTES;
      if ((long) STAMP.getAcquire(out.memory, slot) != polled + 1) {
        return NONE;
      }
      out.offset = slot + Long.BYTES;
      long sum = out.sum();
      polled++;
      head.setRelease(polled);
      return sum;
    }
  }

  /** A flyweight whose segment is in a field. */
  private static final class View {
    private final MemorySegment memory;
    private long offset;

    View(MemorySegment memory) {
      this.memory = memory;
    }

    void set(long number) {
      Bare.set(memory, offset, number);
    }

    long sum() {
      return Bare.sum(memory, offset);
    }
  }
}
