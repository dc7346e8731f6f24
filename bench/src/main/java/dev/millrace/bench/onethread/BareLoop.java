package dev.millrace.bench.onethread;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * No queue at all: the same fields of the same memory, written and read by the best loop by hand.
 * The distance of records is a constant, and all fields of a record share one check.
 */
final class BareLoop extends Loop {
  static final StructLayout RECORD =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("time"), JAVA_LONG.withName("price"), JAVA_LONG.withName("volume"));
  static final VarHandle TIME = field("time");
  static final VarHandle PRICE = field("price");
  static final VarHandle VOLUME = field("volume");

  private static final long RECORD_BYTES = RECORD.byteSize();
  private static final long MASK = CAPACITY - 1;

  private final NativeMemory owned = NativeMemory.allocate(CAPACITY * RECORD_BYTES);
  private final MemorySegment memory = owned.segment();

  private static VarHandle field(String name) {
    return RECORD.varHandle(groupElement(name)).withInvokeExactBehavior();
  }

  @Override
  long runs(int records) {
    long total = 0;
    for (int i = 0; i < records; i += RUN) {
      long base = (number & MASK) * RECORD_BYTES;
      write(base);
      VarHandle.storeStoreFence(); // two loops, as in a queue
      total += read(base);
    }
    return total;
  }

  private void write(long base) {
    long first = number;
    for (int i = 0; i < RUN; i++) {
      long offset = base + i * RECORD_BYTES;
      TIME.set(memory, offset, first + i);
      PRICE.set(memory, offset, first + i + 1);
      VOLUME.set(memory, offset, first + i + 2);
    }
    number = first + RUN;
  }

  private long read(long base) {
    long total = 0;
    for (int i = 0; i < RUN; i++) {
      long offset = base + i * RECORD_BYTES;
      total +=
          (long) TIME.get(memory, offset)
              + (long) PRICE.get(memory, offset)
              + (long) VOLUME.get(memory, offset);
    }
    return total;
  }

  @Override
  public void close() {
    owned.close();
  }
}
