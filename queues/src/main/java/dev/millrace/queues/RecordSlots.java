package dev.millrace.queues;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.GatedClaims;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The off-heap slots of a {@link RecordQueue}. A put claims a sequence, writes the record and
 * commits the sequence; a take polls a sequence, reads the record and releases the sequence. The
 * sequence stays in a local variable of the caller, so any thread may put and take.
 *
 * <p>The subclasses differ in how many producers and consumers they admit. This class has what they
 * share: the memory, the end, and reading records without taking them.
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
   *    SpscSlots.free,
   *    head.weakCompareAndSetRelease
   *    in MpmcSlots.pollNext
   * C  VarHandle.releaseFence in     ->  VarHandle.acquireFence in         that the head has
   *    tryClaim                            copyRecord                        passed, before new bytes
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

  /** Up to which sequence records are taken. */
  final Sequence head = new Sequence();

  private final Role producer; // null where there may be many
  private final Role consumer; // null where there may be many
  private final boolean signalsProducers;
  private final boolean signalsConsumers;
  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory;

  RecordSlots(
      RecordLayout layout,
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      long consumerRestNanos) {
    this.capacity = (int) Checks.inRange("capacity", options.capacity(), 1, Checks.MAX_CAPACITY);
    long slots = ringSize(capacity);
    long strideBytes = Ring.strideBytes(layout.sizeBytes());
    this.memory = NativeMemory.allocate(slots * strideBytes);
    this.ring = new Ring(memory.segment(), strideBytes, slots - 1);
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, WaitStrategy.FOREVER);
    this.consumerWaiters = new Waiters(options.consumerWaits(), oneConsumer, consumerRestNanos);
    this.signalsProducers = producerWaiters.needSignals();
    this.signalsConsumers = consumerWaiters.needSignals();
    String kind = oneProducer ? "RecordQueue.spsc" : "RecordQueue.mpsc";
    this.producer = oneProducer ? new Role(kind + " allows one producer at a time") : null;
    this.consumer = oneConsumer ? new Role(kind + " allows one consumer at a time") : null;
  }

  /** The next power of two, at least 2. */
  private static long ringSize(int capacity) {
    return Math.max(2, Long.highestOneBit(2L * capacity - 1));
  }

  // ---- putting and taking ----

  /**
   * Claims a slot.
   *
   * @return its sequence, or {@link #NONE} or {@link #CLOSED}
   * @throws IllegalStateException if producers that stalled hold all slots
   */
  final long tryClaim() {
    long call = 0;
    assert producer == null || (call = producer.begin()) >= 0;
    long sequence = claimNext();
    assert producer == null || producer.end(call);
    VarHandle.releaseFence(); // release C: that the head has passed, before new bytes
    return sequence;
  }

  /** Publishes a claimed slot; returns false if the claim was given up because it stalled. */
  final boolean commit(long sequence) {
    long call = 0;
    assert producer == null || (call = producer.begin()) >= 0;
    boolean isPublished = publish(sequence);
    assert producer == null || producer.end(call);
    if (signalsConsumers) {
      consumerWaiters.signal();
    }
    return isPublished;
  }

  /** Takes the next record; returns its sequence, or {@link #NONE}. */
  final long tryPoll() {
    long call = 0;
    assert consumer == null || (call = consumer.begin()) >= 0;
    long sequence = NONE;
    try {
      sequence = pollNext();
    } catch (IllegalStateException e) {
      // the memory is freed: the queue is drained
    }
    assert consumer == null || consumer.end(call);
    return sequence;
  }

  /** Frees a slot once its record is read. */
  final void release(long sequence) {
    long call = 0;
    assert consumer == null || (call = consumer.begin()) >= 0;
    free(sequence);
    assert consumer == null || consumer.end(call);
    signalProducers();
  }

  /** Wakes a producer that waits for a slot. */
  final void signalProducers() {
    if (signalsProducers) {
      producerWaiters.signal();
    }
  }

  // ---- what subclasses do ----

  /** Claims a slot, as {@link #tryClaim} says. */
  abstract long claimNext();

  /** Publishes a slot, as {@link #commit} says. */
  abstract boolean publish(long sequence);

  /** Takes a record, as {@link #tryPoll} says; may throw if the memory is freed. */
  abstract long pollNext();

  /** Frees a slot, as {@link #release} says. */
  abstract void free(long sequence);

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

  /** What a sequence's slot holds. */
  enum State {
    RECORD,
    /** None, and none will come. */
    GAP,
    /** It is being put, or was taken meanwhile. */
    UNKNOWN
  }

  /** What a sequence's slot holds; may throw if the memory is freed. */
  abstract State stateAt(long sequence);

  /** How many claims were given up because their producer stalled. */
  long stalledCount() {
    return 0;
  }

  /** How many sequences below the end never held a record. */
  long gapCount() {
    return 0;
  }

  // ---- full and empty ----

  /** Whether at some moment of the call the queue was full. */
  final boolean isFull() {
    long end = end(); // and with it how far the head was when the end got there
    return end - head.getOpaque() >= capacity; // opaque: at least as far
  }

  /** Whether at some moment of the call the queue was empty. */
  final boolean isEmpty() {
    if (isDrained()) {
      return true;
    }
    long first = head.getOpaque(); // opaque: the fence orders it
    VarHandle.acquireFence(); // acquire B: hence an end that is not behind it
    return end() <= first;
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

  /** How many records were put, those that are being put included. */
  final long putCount() {
    return end() - gapCount();
  }

  /** How many records were taken. */
  final long takenCount() {
    return Math.max(0, head.getOpaque() - gapCount()); // opaque: a count
  }

  // ---- reading without taking ----

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
      for (; state == State.GAP && sequence < end(); sequence++) {
        state = copyRecord(copy, sequence);
      }
      if (state != State.UNKNOWN) {
        return state == State.RECORD; // or there are gaps up to the end
      }
      Thread.onSpinWait();
    }
    return false;
  }

  /**
   * Copies the records, oldest first. No record is left out that was put before the call and is not
   * taken during it, even if an older one is still being put.
   *
   * @param viewer called when a record is in the copy
   */
  final void copyEach(MemorySegment copy, Runnable viewer) {
    long sequence = head.getOpaque(); // opaque: records before it are taken
    long end = end();
    while (sequence < end && !isDrained()) {
      if (copyRecord(copy, sequence) == State.RECORD) {
        viewer.run();
      }
      sequence = Math.max(sequence + 1, head.getOpaque()); // opaque: as above
    }
  }

  /** Copies a record if there is one, and checks afterwards whether it is still there. */
  private State copyRecord(MemorySegment copy, long sequence) {
    try {
      State state = stateAt(sequence);
      if (state != State.RECORD) {
        return state;
      }
      copySlot(copy, ring.recordOffset(sequence));
    } catch (IllegalStateException e) {
      return State.UNKNOWN; // the memory is freed: the queue is drained
    }
    VarHandle.acquireFence(); // acquire C: the copy before the head
    return head.getOpaque() <= sequence ? State.RECORD : State.UNKNOWN; // opaque: as above
  }

  /** Copies bytes that a producer may be writing; the caller validates them afterwards. */
  @Speculative
  private void copySlot(MemorySegment copy, long offset) {
    MemorySegment.copy(ring.memory(), offset, copy, 0, copyBytes());
  }

  // ---- the end ----

  /** Completes the queue, once: no claim succeeds any more, and all waiting threads wake up. */
  final void complete() {
    if (!isEndKnown()) {
      closeToProducers();
      life.complete(); // release A: no claim succeeds any more
      producerWaiters.signal();
      consumerWaiters.signal();
    }
    isDrained(); // then the memory is freed, though nobody takes anything any more
  }

  /** Whether no claim succeeds any more, and all that did are known. */
  final boolean isEndKnown() {
    return life.isCompleted(); // acquire A: hence what is claimed is final
  }

  /**
   * Whether the queue is completed, and every record is taken and read. The first thread that finds
   * this has the memory freed, but not at once: other threads may still be reading it, and the JDK
   * would throw in their access and interrupt them.
   */
  final boolean isDrained() {
    if (life.isDrained()) {
      return true;
    }
    if (!isEndKnown() || !isConsumed()) {
      return false;
    }
    life.drain(); // noted, because a claim that is refused may show for a moment
    Jvm.runLater(this::freeMemory);
    return true;
  }

  /** Frees the memory, once. */
  final void freeMemory() {
    if (life.close()) {
      memory.close();
    }
  }
}
