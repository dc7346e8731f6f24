package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.ring.SpscRing;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.internal.QueueState;

/**
 * A bounded queue of fixed-size records in off-heap memory, from one producer to one consumer.
 *
 * {@snippet file="Examples.java" region="trade"}
 *
 * {@snippet file="Examples.java" region="spsc"}
 *
 * <p><b>Roles.</b> The {@link SpscProducer} and the {@link SpscConsumer} each belong to one thread
 * at a time. Any thread may complete, close and query the queue.
 *
 * <p><b>Progress.</b> All calls are wait-free, except for those that wait by contract: {@code
 * claim}, {@code poll}, {@code forEach} and {@link #awaitDrained}. If the producer stops between
 * claim and commit, the consumer still gets all earlier records. If the consumer stops before it
 * releases records, their slots stay in use, and the producer eventually finds the queue full.
 *
 * <p><b>Ordering.</b> The queue is first-in-first-out. Everything that the producer did before it
 * committed a record happens-before everything that the consumer does after it has polled that
 * record. Everything that the consumer did before it released a record happens-before everything
 * that the producer does after it has claimed that record's slot again. Whether a call finds the
 * queue full or empty depends on what is visible to the calling thread. For example, if two threads
 * are connected by one queue in each direction, both may commit a record and then poll, and both
 * may find nothing.
 *
 * <p><b>End.</b> After {@link #complete()}, claims throw, but an open claim may still be committed.
 * The consumer gets every committed record, and then the queue is drained. Only {@link #close()}
 * frees the memory.
 *
 * <p><b>Cost.</b> O(1) per record. Each commit and each release takes one shared write, whether for
 * one record or for a run. A slot takes the record's size plus 8 bytes, rounded up to a multiple of
 * 8. The queue itself takes about 3 KiB of heap, nearly all of it padding. Nothing is allocated
 * after construction.
 *
 * <p><b>Source.</b> The algorithm follows Lamport, <a
 * href="https://doi.org/10.1145/69624.357207">Specifying Concurrent Program Modules</a> (1983). The
 * consumer learns from the slots themselves which records are published, as in Giacomoni et al., <a
 * href="https://doi.org/10.1145/1345206.1345215">FastForward for Efficient Pipeline Parallelism</a>
 * (2008). Unlike in FastForward, one stamp in an {@code SpscQueue} covers a whole run. The producer
 * has a private copy of the consumer's sequence, as in Lee et al., <a
 * href="https://doi.org/10.1145/1654059.1654063">A lock-free, cache-efficient multi-core
 * synchronization mechanism</a> (2009).
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class SpscQueue<T> extends RingQueue<T> {

  private final SpscRing protocol;
  private final SpscProducer<T> producer;
  private final SpscConsumer<T> consumer;

  private SpscQueue(FlyweightType<T> type, QueueOptions options) {
    super(type, options, true, true);
    this.protocol = new SpscRing(ring, options.capacity());
    this.producer = new SpscProducer<>(this, protocol.producer(), type.newFlyweight(ring.memory()));
    this.consumer = new SpscConsumer<>(this, protocol.consumer(), type.newFlyweight(ring.memory()));
  }

  /**
   * Makes a queue with the default options.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two or is out of range, or
   *     the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> SpscQueue<T> of(Class<T> type, int capacity) {
    return of(type, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param options the capacity, how each side waits, and what {@code claim} does when the queue is
   *     full
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two, if {@code onFull} is
   *     {@code DROP_OLDEST} or {@code SIGNAL}, if there is a stall limit, or if the interface does
   *     not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> SpscQueue<T> of(Class<T> type, QueueOptions options) {
    return of(FlyweightType.of(type), options);
  }

  /**
   * Makes a queue.
   *
   * @param <T> the view of a record
   * @param type the type of the records
   * @param options the capacity, how each side waits, and what {@code claim} does when the queue is
   *     full
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two, if {@code onFull} is
   *     {@code DROP_OLDEST} or {@code SIGNAL}, or if there is a stall limit
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> SpscQueue<T> of(FlyweightType<T> type, QueueOptions options) {
    checkOptions(type, options, OnFull.WAIT, OnFull.DROP_NEWEST);
    QueueState.checkNoStallLimit(options);
    return new SpscQueue<>(type, options);
  }

  /**
   * Returns the producer.
   *
   * @return the producer, the same each time
   */
  public SpscProducer<T> producer() {
    return producer;
  }

  /**
   * Returns the consumer.
   *
   * @return the consumer, the same each time
   */
  public SpscConsumer<T> consumer() {
    return consumer;
  }

  @Override
  SpscRing protocol() {
    return protocol;
  }

  @Override
  Metrics<OffHeapQueue<?>> measured() {
    return NUMBERED;
  }
}
