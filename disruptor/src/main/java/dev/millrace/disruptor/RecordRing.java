package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * A ring of fixed-size records in off-heap memory. Producers write records and consumers read and
 * change them, in place. Each consumer sees every record, unless consumers share them.
 *
 * {@snippet file="Examples.java" region="records"}
 *
 * <p><b>Roles.</b> With {@link RingOptions#singleProducer} there is one producer, otherwise any
 * number. Each end belongs to one thread at a time. Create all consumers before the first claim,
 * and make sure that their creation happens before anything other threads do with the ring. Any
 * thread may complete, close and query the ring.
 *
 * <p><b>Progress, ordering.</b> As for a {@link Sequencer}. A producer that stops between claim and
 * commit holds back all later records, unless the ring has a stall limit.
 *
 * <p><b>Failure.</b> Full is a value; claims of a completed ring throw {@link
 * IllegalStateException}; if a stage of a {@link Pipeline} has failed, that failure is its cause. A
 * claimed record still holds the bytes of an earlier one until they are overwritten.
 *
 * <p><b>Cost.</b> O(1) per claim, commit, poll and release, whether of one record or of a run; with
 * many producers, each record takes one more store and one more read, for its stamp. A slot takes
 * the record's bytes, rounded up to a multiple of 8, and with many producers 8 more for its stamp.
 * Nothing is allocated after construction.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class RecordRing<T> extends EventRing<T> {
  /** Offset of the first record in a ring without stamps: the start of a cache line. */
  private static final long LINE_BYTES = 64;

  final Ring ring;
  private final FlyweightType<T> type;
  private final RingProducer<T> producer; // null where there are many

  private RecordRing(FlyweightType<T> type, RingOptions options, Ring ring, NativeMemory memory) {
    super(Sequencer.of(options, true, ring, memory));
    this.type = type;
    this.ring = ring;
    this.producer = options.manyProducers() ? null : new RingProducer<>(this);
  }

  /**
   * Makes a ring.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param options the capacity, the number of producers, and what happens when the ring is full
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other, or the interface does
   *     not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> RecordRing<T> of(Class<T> type, RingOptions options) {
    return of(FlyweightType.of(type), options);
  }

  /**
   * Makes a ring.
   *
   * @param <T> the view of a record
   * @param type of the records
   * @param options the capacity, the number of producers, and what happens when the ring is full
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> RecordRing<T> of(FlyweightType<T> type, RingOptions options) {
    Checks.notNull("type", type);
    Checks.notNull("options", options).check();
    // one producer needs no stamps: the first one's place lies before the first line, those of the
    // others overlap the records before them
    boolean hasStamps = options.manyProducers();
    long stampedBytes = Ring.strideBytes(type.layout().sizeBytes());
    long strideBytes = hasStamps ? stampedBytes : stampedBytes - Ring.STAMP_BYTES;
    long headBytes = hasStamps ? 0 : LINE_BYTES;
    NativeMemory memory = NativeMemory.allocate(headBytes + options.capacity() * strideBytes);
    MemorySegment slots =
        hasStamps ? memory.segment() : memory.segment().asSlice(headBytes - Ring.STAMP_BYTES);
    Ring ring = new Ring(slots, strideBytes, options.capacity() - 1L);
    return new RecordRing<>(type, options, ring, memory);
  }

  /** Makes a view for one end. */
  T newView() {
    return type.newFlyweight(ring.memory());
  }

  // ---- producers ----

  /**
   * The producer of a ring for one producer.
   *
   * @return the producer, the same each time
   * @throws IllegalStateException if the ring was made for many producers
   */
  public RingProducer<T> producer() {
    if (producer == null) {
      throw new IllegalStateException(
          "this ring has many producers, which newProducer() makes: " + this);
    }
    return producer;
  }

  /**
   * Makes a producer, for one thread at a time, in a ring for many producers.
   *
   * @return a producer
   * @throws IllegalStateException if the ring was made for one producer, or is closed
   */
  public RingProducer<T> newProducer() {
    if (producer != null) {
      throw new IllegalStateException(
          "this ring has one producer, which producer() returns: " + this);
    }
    return new RingProducer<>(this);
  }

  // ---- consumers ----

  /**
   * Makes a consumer that sees every record, directly after the producers or after other consumers.
   * Producers wait for it as long as no other consumer comes after it.
   *
   * @param strategy how it waits
   * @param upstream the consumers that must release a record before this one gets it; none to come
   *     directly after the producers
   * @return the consumer
   * @throws IllegalArgumentException if an upstream consumer belongs to another ring
   * @throws IllegalStateException if a slot was already claimed
   */
  public RingConsumer<T> newConsumer(WaitStrategy strategy, RingConsumer<?>... upstream) {
    return new RingConsumer<>(this, sequencer.newConsumer(strategy, placesOf(upstream)));
  }

  /**
   * Makes consumers that share the work: each record goes to one of them, whichever is free.
   *
   * @param workers how many, at least 1
   * @param strategy how they wait
   * @param upstream the consumers that must release a record before this one gets it; none to come
   *     directly after the producers
   * @return a consumer for each worker; as upstream, one of them stands for all
   * @throws IllegalArgumentException if there is no worker, or an upstream consumer belongs to
   *     another ring
   * @throws IllegalStateException if a slot was already claimed
   */
  public List<RingConsumer<T>> newSharedConsumers(
      int workers, WaitStrategy strategy, RingConsumer<?>... upstream) {
    return sequencer.newSharedConsumers(workers, strategy, placesOf(upstream)).stream()
        .map(place -> new RingConsumer<>(this, place))
        .toList();
  }

  private static SequenceConsumer[] placesOf(RingConsumer<?>... consumers) {
    return Stream.of(consumers).map(one -> one.place).toArray(SequenceConsumer[]::new);
  }

  @Override
  Batch<T> newBatch() {
    return new Batch<>(ring, newView());
  }

  /** Returns the size of a slot and the sequencer's state. */
  @Override
  public String toString() {
    return "RecordRing[slotBytes=" + ring.strideBytes() + ", " + sequencer + "]";
  }
}
