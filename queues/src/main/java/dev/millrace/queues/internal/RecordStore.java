package dev.millrace.queues.internal;

import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Jvm;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Role;
import dev.millrace.core.internal.SharedSecret;
import dev.millrace.core.internal.Speculative;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.MpmcRing;
import dev.millrace.core.internal.ring.MpscRing;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.core.internal.ring.RingProtocol;
import dev.millrace.core.internal.ring.SharedClaims;
import dev.millrace.core.internal.ring.SpscRing;
import dev.millrace.core.internal.ring.StallWatch;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.QueueOptions;
import dev.millrace.queues.RecordQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.Function;

/**
 * What a {@link RecordQueue} keeps off the heap: the memory, the ring through which records go, and
 * the end. A put claims a sequence, writes the record and commits the sequence; a take polls a
 * sequence, reads the record and releases the sequence. The sequence stays in a local variable of
 * the caller, so any thread may put and take.
 */
public final class RecordStore {
  /*
   * The ring has as many slots as the capacity, rounded up to a power of two, and keeps head and
   * end at most the capacity apart.
   *
   * To peek, copy the record, then read the head. If the head has not passed the record, no
   * consumer took it, so no producer can have overwritten it.
   *
   * A  life.complete in complete     ->  life.isCompleted in isDrained,    no claim succeeds any
   *                                        isEndKnown                        more
   * B  head.setRelease in            ->  VarHandle.acquireFence in         a count of claims that
   *    MpscRing.release and                copyOldest, isEmpty, size         is not behind the head
   *    SpscRing.release,
   *    head.weakCompareAndSetRelease
   *    in MpmcRing.tryPoll
   * C  VarHandle.releaseFence in     ->  VarHandle.acquireFence in         the head has passed
   *    tryClaim                            copyRecord                        before new bytes
   *
   * The same fence completes pair A of Spills.
   */

  /** How many threads may be on each side, and so which protocol. */
  public enum Kind {
    /** One on each side. */
    SPSC(SpscRing.class),
    /** Any number to one. */
    MPSC(MpscRing.class),
    /** Any number on each side. */
    MPMC(MpmcRing.class);

    /** The class of the ring. */
    public final Class<? extends RingProtocol> protocol;

    Kind(Class<? extends RingProtocol> protocol) {
      this.protocol = protocol;
    }
  }

  /** Shared by {@link RecordQueue}: what a queue has. */
  public static final SharedSecret<Function<RecordQueue<?>, RecordStore>> SECRET =
      new SharedSecret<>(RecordQueue.class);

  private static final int SIZE_TRIES = 16;

  /** How many threads may be on each side. */
  public final Kind kind;

  /** How records go from one side to the other. */
  public final RingProtocol protocol;

  /** Where they are. */
  public final Ring ring;

  /** How many may be in the queue, at most as many as the ring has slots. */
  public final int capacity;

  /** The records that do not fit into their slots. */
  public final Spills spills;

  /** Those that wait for room. */
  public final Waiters producerWaiters;

  /** Those that wait for a record. */
  public final Waiters consumerWaiters;

  private final Sequence head; // up to which records are taken
  private final SharedClaims claims; // null with one producer
  private final Role producer; // null where there may be many
  private final Role consumer; // null where there may be many
  private final boolean signalsProducers;
  private final boolean signalsConsumers;
  private final Lifecycle life = new Lifecycle();
  private final Freeing freeing;

  /** Makes the store of an open queue. */
  public RecordStore(Kind kind, RecordLayout layout, QueueOptions options) {
    this.kind = kind;
    this.capacity = (int) Checks.inRange("capacity", options.capacity(), 1, Checks.MAX_CAPACITY);
    long count = slotCount(capacity);
    long strideBytes = Ring.strideBytes(layout.sizeBytes());
    NativeMemory memory = NativeMemory.allocate(count * strideBytes);
    this.freeing = new Freeing(life, memory);
    this.ring = new Ring(memory.segment(), strideBytes, count - 1);
    this.spills = new Spills((int) count);
    boolean oneProducer = kind == Kind.SPSC;
    boolean oneConsumer = kind != Kind.MPMC;
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, WaitStrategy.FOREVER);
    // a consumer that checks for stalled claims must wake up often enough to find them in time
    this.consumerWaiters =
        new Waiters(
            options.consumerWaits(), oneConsumer, StallWatch.lookNanos(options.stallNanos()));
    this.signalsProducers = producerWaiters.needSignals();
    this.signalsConsumers = consumerWaiters.needSignals();
    String name = oneProducer ? "RecordQueue.spsc" : "RecordQueue.mpsc";
    this.producer = oneProducer ? new Role(name + " allows one producer at a time") : null;
    this.consumer = oneConsumer ? new Role(name + " allows one consumer at a time") : null;
    this.protocol = newRing(options.stallNanos());
    this.head = protocol.head();
    this.claims = protocol.sharedClaims();
  }

  /** The next power of two, at least 2. */
  private static long slotCount(int capacity) {
    return Math.max(2, Long.highestOneBit(2L * capacity - 1));
  }

  private RingProtocol newRing(long stallNanos) {
    return switch (kind) {
      case SPSC -> new SpscRing(ring, capacity);
      case MPSC -> new MpscRing(ring, capacity, stallNanos, producerWaiters);
      case MPMC -> new MpmcRing(ring, capacity, stallNanos, producerWaiters);
    };
  }

  // ---- putting and taking ----

  // The caller passes protocol and ring from fields that the JIT does not reload: see RingProtocol.

  /**
   * Claims a slot; returns its sequence, or {@link Ring#NONE} or {@link Ring#CLOSED}. Throws {@link
   * IllegalStateException} if producers that stalled hold all slots.
   */
  public long tryClaim(RingProtocol protocol, Ring ring) {
    long call = 0;
    assert producer == null || (call = producer.begin()) >= 0;
    long sequence = protocol.tryClaim(ring);
    if (sequence == Ring.CLOSED) {
      consumerWaiters.signal(); // one may have waited for this claim to be taken back
    }
    assert producer == null || producer.end(call);
    VarHandle.releaseFence(); // release C: the head has passed before new bytes
    return sequence;
  }

  /** Publishes a claimed slot; returns false if the claim was given up because it stalled. */
  public boolean commit(RingProtocol protocol, Ring ring, long sequence) {
    long call = 0;
    assert producer == null || (call = producer.begin()) >= 0;
    boolean isPublished = protocol.commit(ring, sequence);
    assert producer == null || producer.end(call);
    if (signalsConsumers) {
      consumerWaiters.signal();
    }
    return isPublished;
  }

  /** Takes the next record; returns its sequence, or {@link Ring#NONE}. */
  public long tryPoll(RingProtocol protocol, Ring ring) {
    long call = 0;
    assert consumer == null || (call = consumer.begin()) >= 0;
    long sequence = protocol.tryPoll(ring);
    assert consumer == null || consumer.end(call);
    return sequence;
  }

  /** Frees a slot once its record is read. */
  public void release(RingProtocol protocol, Ring ring, long sequence) {
    long call = 0;
    assert consumer == null || (call = consumer.begin()) >= 0;
    protocol.release(ring, sequence);
    assert consumer == null || consumer.end(call);
    if (signalsProducers) {
      producerWaiters.signal();
    }
  }

  // ---- full and empty ----

  /** Whether at some moment of the call the queue was full. */
  public boolean isFull() {
    long end = protocol.recordsEnd(); // acquires the head that let the end get there
    return end - head.getOpaque() >= capacity; // opaque: that head or a later one
  }

  /** Whether at some moment of the call the queue was empty. */
  public boolean isEmpty() {
    if (isDrained()) {
      return true;
    }
    long first = head.getOpaque(); // opaque: the fence orders it
    VarHandle.acquireFence(); // acquire B: the end read next is not behind the head
    return protocol.recordsEnd() <= first;
  }

  /**
   * How many records there were at some moment of the call, or fewer if consumers keep on taking
   * records during it; never more.
   */
  public int size() {
    if (isDrained()) {
      return 0;
    }
    long first = head.getOpaque(); // opaque: the fence orders it
    long size = 0;
    for (int tries = 0; tries < SIZE_TRIES; tries++) {
      VarHandle.acquireFence(); // acquire B: the head before the end
      long end = protocol.recordsEnd();
      VarHandle.acquireFence(); // acquire B: the end before the head
      long again = head.getOpaque(); // opaque: the fence orders it
      if (again == first) {
        size = end - first; // exact when the end was read
        break;
      }
      size = Math.max(size, end - again); // there were at least as many then
      first = again;
    }
    return (int) Math.clamp(size, 0L, capacity);
  }

  /** How many records were put, those that are being put included. */
  public long putCount() {
    return protocol.recordsEnd() - gapCount();
  }

  /** How many records were taken. */
  public long takenCount() {
    return Math.max(0, head.getOpaque() - gapCount()); // opaque: a count
  }

  /** How many claims were given up because their producer stalled. */
  public long stalledCount() {
    return claims == null ? 0 : claims.stalledCount();
  }

  /** How many sequences below the end never held a record. */
  private long gapCount() {
    return claims == null ? 0 : claims.skippedCount() + claims.stalledCount();
  }

  /** Whether consumers will find nothing more, though another may still be reading its record. */
  public boolean isExhausted() {
    return kind == Kind.MPMC ? isEndKnown() && isEmpty() : isDrained();
  }

  // ---- reading without taking ----

  /** What was found in a slot. */
  private enum Look {
    RECORD,
    /** None, and none will come. */
    GAP,
    /** A record is being put there, or was just taken. */
    UNKNOWN
  }

  /** A copy of a record that stays in the queue. */
  public static final class Copy {
    /** Its bytes. */
    public final MemorySegment bytes;

    /** The record itself, if it did not fit into its slot; else null. */
    public Object spilled;

    private Copy(MemorySegment bytes) {
      this.bytes = bytes;
    }
  }

  /** Makes room for a copy, in memory of the arena; it is a copy of nothing yet. */
  public Copy newCopy(Arena arena) {
    return new Copy(
        arena.allocate(ring.strideBytes() - Ring.STAMP_BYTES, NativeMemory.ALIGNMENT_BYTES));
  }

  /**
   * Copies the oldest record; spins while that record is being put. Returns false if at some moment
   * of the call there was none.
   */
  public boolean copyOldest(Copy copy) {
    while (!isDrained()) {
      long sequence = head.getOpaque(); // opaque: the fence orders it
      VarHandle.acquireFence(); // acquire B: the end read next is not behind the head
      Look look = Look.GAP;
      for (; look == Look.GAP && sequence < protocol.recordsEnd(); sequence++) {
        look = copyRecord(copy, sequence);
      }
      if (look != Look.UNKNOWN) {
        return look == Look.RECORD; // otherwise there are only gaps up to the end
      }
      Thread.onSpinWait();
    }
    return false;
  }

  /**
   * Copies the records, oldest first, and calls the viewer each time that a record is in the copy.
   * No record is left out that was put before the call and is not taken during it, even if an older
   * one is still being put.
   */
  public void copyEach(Copy copy, Runnable viewer) {
    long sequence = head.getOpaque(); // opaque: records before it are taken
    long end = protocol.recordsEnd();
    while (sequence < end && !isDrained()) {
      if (copyRecord(copy, sequence) == Look.RECORD) {
        viewer.run();
      }
      sequence = Math.max(sequence + 1, head.getOpaque()); // opaque: as above
    }
  }

  /** Copies a record if there is one, and checks afterwards whether it is still there. */
  private Look copyRecord(Copy copy, long sequence) {
    long records = protocol.recordsAt(sequence);
    if (records <= 0) {
      return records < 0 ? Look.GAP : Look.UNKNOWN;
    }
    copy.spilled = spills.find(sequence);
    if (copy.spilled == null && !copySlot(copy.bytes, ring.recordOffset(sequence))) {
      return Look.UNKNOWN; // the memory is freed: the queue is drained
    }
    VarHandle.acquireFence(); // acquire C: the copy before the head
    return head.getOpaque() <= sequence ? Look.RECORD : Look.UNKNOWN; // opaque: as above
  }

  /**
   * Copies bytes that a producer may be writing; the caller validates them afterwards. Returns
   * false if they are freed.
   */
  @Speculative
  private boolean copySlot(MemorySegment copy, long offset) {
    try {
      MemorySegment.copy(ring.memory(), offset, copy, 0, copy.byteSize());
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  // ---- the end ----

  /** Completes the queue, once: no claim succeeds any more, and all waiting threads wake up. */
  public void complete() {
    if (!isEndKnown()) {
      protocol.close();
      life.complete(); // release A: no claim succeeds any more
      producerWaiters.signal();
      consumerWaiters.signal();
    }
    isDrained(); // frees the memory of an empty queue, from which no thread may ever take again
  }

  /** Whether no claim succeeds any more, and all that did are known. */
  public boolean isEndKnown() {
    return life.isCompleted(); // acquire A: what is claimed is final
  }

  /**
   * Whether the queue is completed, and every record is taken and read. The first thread that finds
   * this has the memory freed, but not at once: other threads may still be reading it, and the JDK
   * would throw in their access and interrupt them.
   */
  public boolean isDrained() {
    if (life.isDrained()) {
      return true;
    }
    if (!isEndKnown() || !protocol.isConsumed()) {
      return false;
    }
    life.drain(); // recorded, because a claim being refused may show for a moment
    Jvm.runLater(freeing);
    return true;
  }

  /** What frees the memory, once; it reaches no record, hence not the queue. */
  public Runnable freeing() {
    return freeing;
  }

  private record Freeing(Lifecycle life, NativeMemory memory) implements Runnable {
    @Override
    public void run() {
      if (life.close()) {
        memory.close();
      }
    }
  }
}
