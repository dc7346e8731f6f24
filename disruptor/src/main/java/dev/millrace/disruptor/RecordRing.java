package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A ring of fixed-size records in off-heap memory. Producers write records in place, and consumers
 * read and change them in place. Each consumer sees every record, unless consumers share records.
 *
 * {@snippet file="Examples.java" region="records"}
 *
 * <p><b>Roles.</b> A ring made with {@link RingOptions#singleProducer} has one producer. Any other
 * ring can have any number of producers. Each producer and each consumer belongs to one thread at a
 * time. Create all consumers before the first claim. The creation of the consumers must
 * happen-before everything that other threads do with the ring. Any thread may complete, close and
 * query the ring.
 *
 * <p><b>Progress, ordering.</b> The rules of a {@link Sequencer} apply. In a ring without a stall
 * limit, a producer that stops between claim and commit holds back all later records.
 *
 * <p><b>Failure.</b> A claim that finds the ring full and does not wait returns null or 0. A claim
 * in a completed ring throws {@link IllegalStateException}. If the ring is completed because a
 * stage of a {@link Pipeline} has failed, the exception's cause is the failure. A claimed record
 * still holds the bytes of an earlier record until the producer overwrites them.
 *
 * <p><b>Cost.</b> With one producer, each claim, commit, poll and release takes O(1) time for a run
 * of any length. With many producers, each record has a stamp, which takes one more store and one
 * more read. A slot takes the record's size, rounded up to a multiple of 8. With many producers,
 * each slot takes 8 more bytes for the stamp. Claims, commits, polls and releases allocate nothing.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class RecordRing<T> extends EventRing<T> {
  /**
   * The offset of the first record in a ring without stamps, which is the start of a cache line.
   */
  private static final long LINE_BYTES = 64;

  final Ring ring;
  private final FlyweightType<T> type;
  private final @Nullable RingProducer<T> producer; // null if there are many

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
   * @param type the type of the records
   * @param options the capacity, the number of producers, and what happens when the ring is full
   * @return the ring
   * @throws IllegalArgumentException if the options contradict each other
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> RecordRing<T> of(FlyweightType<T> type, RingOptions options) {
    Checks.notNull("type", type);
    Checks.notNull("options", options).check();
    // one producer needs no stamps: the first stamp's place lies before the first line, and those
    // of the others overlap the records before them
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

  /** Makes a view for one producer or consumer. */
  T newView() {
    return type.newFlyweight(ring.memory());
  }

  // ---- producers ----

  /**
   * Returns the producer of a ring for one producer.
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
   * Makes a producer in a ring for many producers. One thread at a time may use it.
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
   * Makes a consumer that sees every record. The consumer comes directly after the producers or
   * after other consumers. Producers wait for the consumer, unless another consumer comes after it.
   *
   * @param strategy how the consumer waits
   * @param upstream the consumers that must release a record before the new consumer gets it; none
   *     if it comes directly after the producers
   * @return the consumer
   * @throws IllegalArgumentException if an upstream consumer belongs to another ring
   * @throws IllegalStateException if a slot was already claimed
   */
  public RingConsumer<T> newConsumer(WaitStrategy strategy, RingConsumer<?>... upstream) {
    return new RingConsumer<>(this, sequencer.newConsumer(strategy, placesOf(upstream)));
  }

  /**
   * Makes consumers that share the records. Each record goes to one consumer, whichever is free.
   *
   * @param workers the number of consumers, at least 1
   * @param strategy how the consumers wait
   * @param upstream the consumers that must release a record before a new consumer gets it; none if
   *     the new consumers come directly after the producers
   * @return a consumer for each worker. To place a further consumer after all of these consumers,
   *     pass any one of them as its upstream consumer
   * @throws IllegalArgumentException if {@code workers} is less than 1, or an upstream consumer
   *     belongs to another ring
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
