package dev.millrace.bench.onethread;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The shortest claim, commit, poll and release that can be written on flyweights whose segment is
 * in a field: nothing is checked but what memory segments check themselves, nothing can be closed.
 */
final class BareClaimLoop extends Loop {
  private static final VarHandle STAMP = JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final long SLOT_BYTES = Long.BYTES + BareLoop.RECORD.byteSize();
  private static final long MASK = CAPACITY - 1;

  private final NativeMemory owned = NativeMemory.allocate(CAPACITY * SLOT_BYTES);
  private final Sequence head = new Sequence();
  private final View in = new View(owned.segment());
  private final View out = new View(owned.segment());
  private long claimed;
  private long polled;
  private long limit = CAPACITY;

  /** A record. */
  private static final class View {
    private final MemorySegment memory;
    private long offset;

    View(MemorySegment memory) {
      this.memory = memory;
    }

    void set(long number) {
      BareLoop.TIME.set(memory, offset, number);
      BareLoop.PRICE.set(memory, offset, number + 1);
      BareLoop.VOLUME.set(memory, offset, number + 2);
    }

    long sum() {
      return (long) BareLoop.TIME.get(memory, offset)
          + (long) BareLoop.PRICE.get(memory, offset)
          + (long) BareLoop.VOLUME.get(memory, offset);
    }
  }

  private boolean tryClaim() {
    if (claimed >= limit) {
      limit = head.getAcquire() + CAPACITY;
      if (claimed >= limit) {
        return false;
      }
    }
    in.offset = (claimed & MASK) * SLOT_BYTES + Long.BYTES;
    return true;
  }

  private void commit() {
    claimed++;
    STAMP.setRelease(in.memory, in.offset - Long.BYTES, claimed);
  }

  private boolean tryPoll() {
    long slot = (polled & MASK) * SLOT_BYTES;
    if ((long) STAMP.getAcquire(out.memory, slot) != polled + 1) {
      return false;
    }
    out.offset = slot + Long.BYTES;
    return true;
  }

  private void release() {
    polled++;
    head.setRelease(polled);
  }

  @Override
  long singles(int records) {
    long total = 0;
    long next = number;
    for (int i = 0; i < records; i++) {
      if (tryClaim()) {
        in.set(next++);
        commit();
      }
      if (tryPoll()) {
        total += out.sum();
        release();
      }
    }
    number = next;
    return total;
  }

  @Override
  public void close() {
    owned.close();
  }
}
