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
 * <p><b>Roles.</b> The producer belongs to one thread at a time, and so does the consumer; see
 * {@link SpscProducer} and {@link SpscConsumer}. Any thread may complete, close and query the
 * queue.
 *
 * <p><b>Progress.</b> Wait-free, except for the calls that wait by contract: {@code claim}, {@code
 * poll}, {@code forEach} and {@link #awaitDrained}. A producer that stops between claim and commit
 * holds back only its own claim; a consumer that stops before release keeps its slots, so the
 * producer eventually finds the queue full.
 *
 * <p><b>Ordering.</b> First in, first out. What the producer did before commit happens before the
 * consumer's return from the poll of that record; what the consumer did before release happens
 * before the claim that gets the slot again. Full and empty describe what is visible to the caller:
 * two threads that each publish in one queue and then poll another may both find it empty.
 *
 * <p><b>End.</b> After {@link #complete()} claims throw; an open claim may still be committed. The
 * consumer gets every committed record, and then the queue is drained. Only {@link #close()} frees
 * the memory.
 *
 * <p><b>Cost.</b> O(1) per record, and one shared write per commit and release, whether of one
 * record or of a run. A slot takes 8 bytes more than its record, rounded up to a multiple of 8; the
 * queue itself about 3 KiB of heap, nearly all of it padding. Nothing is allocated after
 * construction.
 *
 * <p><b>Source.</b> Lamport, <a href="https://doi.org/10.1145/69624.357207">Specifying Concurrent
 * Program Modules</a> (1983). Slots say whether they are full, as in Giacomoni et al., <a
 * href="https://doi.org/10.1145/1345206.1345215">FastForward for Efficient Pipeline Parallelism</a>
 * (2008), but for whole runs; the producer has a private copy of the consumer's sequence, as in Lee
 * et al., <a href="https://doi.org/10.1145/1654059.1654063">A lock-free, cache-efficient multi-core
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
   * @throws IllegalArgumentException if the capacity is not such a power of two, or the interface
   *     does not describe a record
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
   * @param options the capacity, how each side waits, and what {@code claim} does when full
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
   * @param options the capacity, how each side waits, and what {@code claim} does when full
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
   * The end at which records go in.
   *
   * @return the producer, the same each time
   */
  public SpscProducer<T> producer() {
    return producer;
  }

  /**
   * The end at which records come out.
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
