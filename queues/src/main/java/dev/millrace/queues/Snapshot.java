package dev.millrace.queues;

import dev.millrace.core.Handler;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Copies of a queue's records, made while the queue is in use. The records are copied in batches.
 * After each batch, the copies are shown whose slots were not freed in the meantime.
 *
 * @param <T> the view of a record
 */
final class Snapshot<T> implements AutoCloseable {
  /*
   * Producers and consumers pay nothing for a snapshot, because its fences make all threads execute
   * a fence on their behalf. The first fence orders reading the consumer's limit before reading the
   * stamps of the runs below it, which the consumer has seen. The others order each copy before the
   * check whether its slot was freed. A producer writes to a slot only after it has acquired the
   * write that freed the slot. So if the copy has a new byte, the check finds that the slot was
   * freed.
   */
  private static final int MOST = 256; // records per batch

  private final OffHeapQueue<T> queue;
  private final long[] positions;
  private final long[] marks;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment copies;
  private final T view;
  private final long end;
  private final long seen;
  private long next;

  Snapshot(OffHeapQueue<T> queue) {
    int most = Math.min(MOST, queue.capacity());
    this.queue = queue;
    this.positions = new long[most];
    this.marks = new long[most];
    this.copies = arena.allocate(most * queue.ring.strideBytes(), NativeMemory.ALIGNMENT_BYTES);
    this.view = queue.type.newFlyweight(copies);
    this.seen = queue.seenEnd();
    Jvm.fenceAll(); // the limit before the stamps
    this.next = queue.firstPosition();
    this.end = queue.endPosition();
  }

  /** Shows the records. Returns how many were shown. */
  int showAll(Handler<? super T> viewer) {
    int shown = 0;
    while (next < end) {
      int count = copyNext();
      for (int i = 0; i < count; i++) {
        if (marks[i] != 0) {
          ((Flyweight) view).moveTo(i * queue.ring.strideBytes() + Ring.STAMP_BYTES);
          viewer.handle(view);
          shown++;
        }
      }
    }
    return shown;
  }

  /**
   * Copies the next batch. Returns how many records were copied. Those freed during the copy get
   * mark 0.
   */
  private int copyNext() {
    try {
      int count = 0;
      while (next < end && count < marks.length) {
        long records = queue.recordsAt(next, seen);
        next -= Math.min(records, 0);
        for (; records > 0 && next < end && count < marks.length; records--) {
          positions[count] = next;
          marks[count] = queue.markAt(next);
          copy(queue.slotOffset(marks[count]), count);
          count++;
          next++;
        }
      }
      Jvm.fenceAll(); // the copies before the check whether the records are still there
      for (int i = 0; i < count; i++) {
        marks[i] = queue.markAt(positions[i]) == marks[i] ? marks[i] : 0;
      }
      return count;
    } catch (IllegalStateException e) {
      next = end; // the memory is freed: the queue is closed
      return 0;
    }
  }

  /** Copies bytes that a producer may be writing. The caller validates the copy afterwards. */
  @Speculative
  private void copy(long slotOffset, int index) {
    long strideBytes = queue.ring.strideBytes();
    MemorySegment.copy(queue.ring.memory(), slotOffset, copies, index * strideBytes, strideBytes);
  }

  @Override
  public void close() {
    arena.close();
  }
}
