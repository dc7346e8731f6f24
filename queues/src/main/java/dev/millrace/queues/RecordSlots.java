package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;

/**
 * The off-heap slots of a {@link RecordQueue}. A put claims a sequence, writes the record and
 * commits the sequence; a take polls a sequence, reads the record and releases the sequence. The
 * sequence stays in a local variable of the caller, so any thread may put and take.
 *
 * <p>The kinds differ in how many producers and consumers they admit. Here is what they share: the
 * memory, the end, and looking at records without taking them.
 */
abstract sealed class RecordSlots permits SpscSlots, StampedSlots {
  /*
   * The ring has the next power of two above the capacity, and the kinds see to it that head and
   * end are never further apart than the capacity.
   *
   * To look at a record, copy it and then read the head: if that has not passed the record, nobody
   * has taken it, so nobody has written to its slot.
   *
   * A  life.complete in complete     ->  life.isCompleted in isDrained,    no claim succeeds any
   *                                        isEndKnown                        more
   * B  head.setRelease in            ->  VarHandle.acquireFence in         a count of claims that
   *    MpscSlots.free and                  copyOldest, isEmpty, size         is not behind the head
   *    SpscSlots.release,
   *    head.weakCompareAndSetRelease
   *    in MpmcSlots.tryPoll
   * C  VarHandle.releaseFence in     ->  VarHandle.acquireFence in         that the head has
   *    StampedSlots.tryClaim and           copyRecord                        passed, before new bytes
   *    SpscSlots.tryClaim
   */

  /** Returned instead of a sequence: the queue is full, or empty. */
  static final long NONE = GatedClaims.FULL;

  /** Returned instead of a sequence: the queue is closed to producers. */
  static final long CLOSED = GatedClaims.CLOSED;

  private static final int SIZE_TRIES = 16;

  final Ring ring;
  final int capacity;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;
  final boolean signalsProducers;
  final boolean signalsConsumers;

  /** Up to which sequence records are taken. */
  final Sequence head = new Sequence();

  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory;

  RecordSlots(
      RecordLayout layout,
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      long consumerRestNanos) {
    this.capacity = options.capacity();
    long slots = ringSize(capacity);
    long strideBytes = Ring.strideBytes(layout.sizeBytes());
    this.memory = NativeMemory.allocate(slots * strideBytes);
    this.ring = new Ring(memory.segment(), strideBytes, slots - 1);
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, WaitStrategy.FOREVER);
    this.consumerWaiters = new Waiters(options.consumerWaits(), oneConsumer, consumerRestNanos);
    this.signalsProducers = producerWaiters.needSignals();
    this.signalsConsumers = consumerWaiters.needSignals();
  }

  /** The next power of two, at least 2. */
  private static long ringSize(int capacity) {
    return Math.max(2, Long.highestOneBit(2L * capacity - 1));
  }

  // ---- what the kinds do ----

  /** Claims a slot; returns its sequence, or {@link #NONE} or {@link #CLOSED}. */
  abstract long tryClaim();

  /** Publishes a claimed slot; returns false if the claim was given up because it stalled. */
  abstract boolean commit(long sequence);

  /** Takes the next record; returns its sequence, or {@link #NONE}. */
  abstract long tryPoll();

  /** Frees a slot once its record is read. */
  abstract void release(long sequence);

  /** Up to which sequence slots are claimed, or in an SPSC queue records put; opaque at least. */
  abstract long end();

  /** Lets no claim succeed from now on. */
  abstract void closeToProducers();

  /** Whether no record is left, nor a claim that may become one; asked after the completion. */
  abstract boolean isConsumed();

  /** Whether consumers will find nothing more, though another may still be reading its record. */
  boolean isExhausted() {
    return isDrained();
  }

  /** What {@link #stateAt} finds. */
  enum State {
    RECORD,
    /** None, and none will come. */
    GAP,
    /** It is being put, or was taken meanwhile. */
    UNKNOWN
  }

  /** What a sequence's slot holds. */
  abstract State stateAt(long sequence);

  /** How many claims were given up because their producer stalled. */
  abstract long stalledCount();

  /** How many records were put, those that are being put included. */
  abstract long putCount();

  /** How many sequences below the head never held a record. */
  abstract long gapCount();

  // ---- full and empty ----

  /** Whether at some moment of the call the queue was full. */
  final boolean isFull() {
    long end = end(); // and with it how far the head was when the end got there
    return end - head.getOpaque() >= capacity; // opaque: at least as far
  }

  /** Whether at some moment of the call the queue was empty. */
  final boolean isEmpty() {
    long first = head.getOpaque(); // opaque: the fence orders it
    VarHandle.acquireFence(); // acquire B: hence an end that is not behind it
    return end() <= first || isDrained();
  }

  /**
   * How many records there were at some moment of the call, or fewer if consumers keep on taking
   * records during it; never more.
   */
  final int size() {
    if (isDrained()) {
      return 0;
    }
    long first = head.getOpaque(); // opaque: the fence orders it
    long size = 0;
    for (int tries = 0; tries < SIZE_TRIES; tries++) {
      VarHandle.acquireFence(); // acquire B: the head before the end
      long end = end();
      VarHandle.acquireFence(); // acquire B: the end before the head
      long again = head.getOpaque(); // opaque: the fence orders it
      if (again == first) {
        size = end - first; // when the end was read
        break;
      }
      size = Math.max(size, end - again); // at least as many were there then
      first = again;
    }
    return (int) Math.clamp(size, 0L, capacity);
  }

  /** How many records were taken. */
  final long takenCount() {
    return Math.max(0, head.getOpaque() - gapCount()); // opaque: a count
  }

  // ---- looking at records ----

  /** Makes room for the copy of a slot's record. */
  final long copyBytes() {
    return ring.strideBytes() - Ring.STAMP_BYTES;
  }

  /**
   * Copies the oldest record; spins while that is being put.
   *
   * @return false if at some moment of the call there was none
   */
  final boolean copyOldest(MemorySegment copy) {
    while (!isDrained()) {
      long sequence = head.getOpaque(); // opaque: the fence orders it
      VarHandle.acquireFence(); // acquire B: hence an end that is not behind it
      State state = State.GAP;
      while (state == State.GAP) {
        if (sequence >= end()) {
          return false;
        }
        state = safeStateAt(sequence);
        sequence += state == State.GAP ? 1 : 0;
      }
      if (state == State.RECORD && copyRecord(copy, sequence)) {
        return true;
      }
      Thread.onSpinWait();
    }
    return false;
  }

  /**
   * Copies the records, oldest first. None is left out that was put before the call and that nobody
   * takes during it, though an older one is still being put.
   *
   * @param viewer called when a record is in the copy; returns whether it wants the next
   */
  final void copyEach(MemorySegment copy, BooleanSupplier viewer) {
    long sequence = head.getOpaque(); // opaque: records before it are taken
    long end = end();
    while (sequence < end && !isDrained()) {
      if (safeStateAt(sequence) == State.RECORD && copyRecord(copy, sequence)) {
        if (!viewer.getAsBoolean()) {
          return;
        }
        sequence++;
      } else {
        sequence = Math.max(sequence + 1, head.getOpaque()); // opaque: as above
      }
    }
  }

  private State safeStateAt(long sequence) {
    try {
      return stateAt(sequence);
    } catch (IllegalStateException e) {
      return State.UNKNOWN; // the memory is freed: the queue is drained
    }
  }

  private boolean copyRecord(MemorySegment copy, long sequence) {
    try {
      copySlot(copy, ring.recordOffset(sequence));
    } catch (IllegalStateException e) {
      return false; // the memory is freed: the queue is drained
    }
    VarHandle.acquireFence(); // acquire C: the copy before the head
    return head.getOpaque() <= sequence; // opaque: the fence orders it
  }

  /** Copies bytes that a producer may be writing; the caller finds out afterwards. */
  @Speculative
  private void copySlot(MemorySegment copy, long offset) {
    MemorySegment.copy(ring.memory(), offset, copy, 0, copyBytes());
  }

  // ---- the end ----

  /** Completes the queue, once: no claim succeeds any more, and everybody who waits wakes up. */
  final void complete() {
    if (isEndKnown()) {
      return;
    }
    closeToProducers();
    life.complete(); // release A: no claim succeeds any more
    producerWaiters.signal();
    consumerWaiters.signal();
  }

  /** Whether no claim succeeds any more, and all that did are known. */
  final boolean isEndKnown() {
    return life.isCompleted(); // acquire A: hence what is claimed is final
  }

  /** Whether the queue is completed, and every record is taken and read. */
  final boolean isDrained() {
    if (life.isDrained()) {
      return true;
    }
    if (!isEndKnown() || !isConsumed()) {
      return false;
    }
    life.drain(); // noted, because a claim that is refused may show for a moment
    return true;
  }

  /** Frees the memory, once. */
  final void free() {
    if (life.close()) {
      memory.close();
    }
  }
}
