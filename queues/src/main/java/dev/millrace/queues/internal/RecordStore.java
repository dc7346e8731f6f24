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
 * The parts of a {@link RecordQueue} that its users do not see: the memory, the ring that records
 * go through, and the lifecycle. A put claims a sequence, writes the record and commits the
 * sequence; a take polls a sequence, reads the record and releases the sequence. The sequence stays
 * in a local variable of the caller, so any thread may put and take.
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

  /** How many threads may be on each side, which determines the protocol. */
  public enum Kind {
    /** One thread on each side. */
    SPSC(SpscRing.class),
    /** Any number of producers and one consumer. */
    MPSC(MpscRing.class),
    /** Any number of threads on each side. */
    MPMC(MpmcRing.class);

    /** The class of the ring. */
    public final Class<? extends RingProtocol> protocol;

    Kind(Class<? extends RingProtocol> protocol) {
      this.protocol = protocol;
    }
  }

  /** Shared by {@link RecordQueue}: returns the store of a queue. */
  public static final SharedSecret<Function<RecordQueue<?>, RecordStore>> SECRET =
      new SharedSecret<>(RecordQueue.class);

  private static final int SIZE_TRIES = 16;

  /** How many threads may be on each side. */
  public final Kind kind;

  /** How records go from one side to the other. */
  public final RingProtocol protocol;

  /** The ring that holds the records. */
  public final Ring ring;

  /** How many records may be in the queue, which is at most the number of slots of the ring. */
  public final int capacity;

  /** The records that do not fit into their slots. */
  public final Spills spills;

  /** The producers that wait for room. */
  public final Waiters producerWaiters;

  /** The consumers that wait for a record. */
  public final Waiters consumerWaiters;

  private final Sequence head; // all records before it are taken
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

  /** Returns {@code capacity} rounded up to a power of two, but at least 2. */
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
   * Claims a slot; returns its sequence, {@link Ring#NONE} or {@link Ring#CLOSED}. Throws {@link
   * IllegalStateException} if stalled producers hold all slots.
   */
  public long tryClaim(RingProtocol protocol, Ring ring) {
    long call = 0;
    assert producer == null || (call = producer.begin()) >= 0;
    long sequence = protocol.tryClaim(ring);
    if (sequence == Ring.CLOSED) {
      consumerWaiters.signal(); // one of them may have waited for this claim to be taken back
    }
    assert producer == null || producer.end(call);
    VarHandle.releaseFence(); // release C: the head has passed before new bytes
    return sequence;
  }

  /**
   * Publishes a claimed slot; returns false if the claim had been given up because its producer
   * stalled.
   */
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

  /** Takes the next record; returns its sequence, or {@link Ring#NONE} if there is none. */
  public long tryPoll(RingProtocol protocol, Ring ring) {
    long call = 0;
    assert consumer == null || (call = consumer.begin()) >= 0;
    long sequence = protocol.tryPoll(ring);
    assert consumer == null || consumer.end(call);
    return sequence;
  }

  /** Frees a slot, whose record must have been read. */
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

  /** Returns whether the queue was full at some moment during the call. */
  public boolean isFull() {
    long end = protocol.recordsEnd(); // acquires the head that let the end get there
    return end - head.getOpaque() >= capacity; // opaque: that head or a later one
  }

  /** Returns whether the queue was empty at some moment during the call. */
  public boolean isEmpty() {
    if (isDrained()) {
      return true;
    }
    long first = head.getOpaque(); // opaque: the fence orders it
    VarHandle.acquireFence(); // acquire B: the end read next is not behind the head
    return protocol.recordsEnd() <= first;
  }

  /**
   * Returns how many records there were at some moment during the call. The number may be too low
   * if consumers keep taking records during the call, but it is never too high.
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

  /** Returns how many records were put, including those that are being put. */
  public long putCount() {
    return protocol.recordsEnd() - gapCount();
  }

  /** Returns how many records were taken. */
  public long takenCount() {
    return Math.max(0, head.getOpaque() - gapCount()); // opaque: a count
  }

  /** Returns how many claims were given up because their producer stalled. */
  public long stalledCount() {
    return claims == null ? 0 : claims.stalledCount();
  }

  /** Returns how many sequences below the end never held a record. */
  private long gapCount() {
    return claims == null ? 0 : claims.skippedCount() + claims.stalledCount();
  }

  /**
   * Returns whether consumers will find no more records. A consumer may still be reading the last
   * one.
   */
  public boolean isExhausted() {
    return kind == Kind.MPMC ? isEndKnown() && isEmpty() : isDrained();
  }

  // ---- reading without taking ----

  /** What was found in a slot. */
  private enum Look {
    RECORD,
    /** There is no record, and none will come. */
    GAP,
    /** A record is being put there, or was just taken. */
    UNKNOWN
  }

  /** A copy of a record that stays in the queue. */
  public static final class Copy {
    /** The bytes of the record. */
    public final MemorySegment bytes;

    /** The record itself, if it did not fit into its slot; otherwise null. */
    public Object spilled;

    private Copy(MemorySegment bytes) {
      this.bytes = bytes;
    }
  }

  /** Makes an empty copy, with room for a record in memory from {@code arena}. */
  public Copy newCopy(Arena arena) {
    return new Copy(
        arena.allocate(ring.strideBytes() - Ring.STAMP_BYTES, NativeMemory.ALIGNMENT_BYTES));
  }

  /**
   * Copies the oldest record. Spins while that record is being put. Returns false if there was no
   * record at some moment during the call.
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
   * Copies the records one by one, the oldest first, and calls {@code viewer} after each. A record
   * that was put before the call and is not taken during it is never left out, even if an older one
   * is still being put.
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

  /**
   * Copies the record of {@code sequence} if there is one, and then checks whether it is still
   * there.
   */
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
   * Copies bytes that a producer may be writing. The caller validates them afterwards. Returns
   * false if the memory is freed.
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

  /**
   * Completes the queue if it is not completed yet. From then on no claim succeeds. All waiting
   * threads wake up.
   */
  public void complete() {
    if (!isEndKnown()) {
      protocol.close();
      life.complete(); // release A: no claim succeeds any more
      producerWaiters.signal();
      consumerWaiters.signal();
    }
    // frees the memory of an empty queue, because no thread may ever take from it again
    isDrained();
  }

  /** Returns whether no claim succeeds any more and all successful claims are known. */
  public boolean isEndKnown() {
    return life.isCompleted(); // acquire A: what is claimed is final
  }

  /**
   * Returns whether the queue is completed and every record has been taken and read. The first
   * thread that finds this has the memory freed, but not at once. Other threads may still be
   * reading the memory, and the JDK would make their accesses throw and interrupt these threads.
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

  /**
   * Returns the action that frees the memory once. It refers to neither the queue nor its records.
   */
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
