package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.ring.MpscRing;
import dev.millrace.flyweight.FlyweightType;

/**
 * A bounded queue of fixed-size records in off-heap memory, from any number of producers to one
 * consumer.
 *
 * {@snippet file="Examples.java" region="mpsc"}
 *
 * <p><b>Roles.</b> The {@link MpscConsumer} and each {@link MpscProducer} belong to one thread at a
 * time. Any thread may make producers, and complete, close and query the queue.
 *
 * <p><b>Progress.</b> Claims are lock-free: a claim repeats an attempt only if another producer
 * claimed first. Commit, abort, release and {@code tryPoll} are wait-free. A producer that stops
 * between claim and commit holds back all later records, and the other producers eventually find
 * the queue full. In a queue with a stall limit, the consumer skips the claim of a stopped producer
 * once the limit has passed.
 *
 * <p><b>Ordering.</b> Records are taken in the order of the claims. Everything that a producer did
 * before it committed a record happens-before everything that the consumer does after it has polled
 * that record. Everything that the consumer did before it released a record happens-before
 * everything that a producer does after it has claimed that record's slot again. While the oldest
 * claim is open, {@code tryPoll} reports empty, even if later records are committed, whereas {@code
 * poll} and {@link MpscConsumer#strictPoll} wait for that claim. A claim reports full only if too
 * few slots are free. A slot is in use until the consumer has released or passed the slot. As in
 * {@link SpscQueue}, whether a call finds the queue full or empty depends on what is visible to the
 * calling thread.
 *
 * <p><b>End.</b> Once {@link #complete()} has returned, no new claim succeeds, but open claims may
 * still be committed. The consumer sees the end only once each open claim has been committed,
 * aborted or given up. Only {@link #close()} frees the memory.
 *
 * <p><b>Stalled producers.</b> With {@link QueueOptions#withStallLimit}, the consumer skips the
 * oldest claim once that claim has been open for too long. If a producer commits a claim that was
 * given up, the commit throws, and never overwrites a record of another producer. The slots of a
 * claim that was given up stay out of use until its producer commits or aborts, and can be used
 * again one lap after that. If the producer never commits or aborts, the slots are lost for good.
 * When no slot is left, claims throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> O(1) per record. Whether for one record or for a run, a claim takes one
 * compare-and-set, and a commit takes one store. With a stall limit, a claim takes two
 * compare-and-sets and a commit takes one. Runs are at most 65,535 records long. A slot takes the
 * record's size plus 8 bytes, rounded up to a multiple of 8. The queue itself takes about 5 KiB of
 * heap, and each producer takes about 1 KiB, nearly all of it padding. After construction, the
 * queue allocates only when more producers sleep or park at once than ever before, and then only a
 * small object.
 *
 * <p><b>Source.</b> The stamps in the slots follow Vyukov, <a
 * href="https://www.1024cores.net/home/lock-free-algorithms/queues/bounded-mpmc-queue">Bounded MPMC
 * Queue</a>. As in Lee et al. (see {@link SpscQueue}), producers rarely read the consumer's
 * sequence, because they share a cached limit for claims. Unlike in Vyukov's queue, one stamp
 * publishes a whole run, and a claim can be given up.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class MpscQueue<T> extends RingQueue<T> {
  private final MpscRing protocol;
  private final MpscConsumer<T> consumer;

  private MpscQueue(FlyweightType<T> type, QueueOptions options) {
    super(type, options, false, true);
    this.protocol = new MpscRing(ring, options.capacity(), options.stallNanos(), producerWaiters);
    this.consumer = new MpscConsumer<>(this, protocol, type.newFlyweight(ring.memory()));
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
  public static <T> MpscQueue<T> of(Class<T> type, int capacity) {
    return of(type, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param options the capacity, how each side waits, what {@code claim} does when the queue is
   *     full, and how long a claim may be open
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two, if {@code onFull} is
   *     {@code DROP_OLDEST} or {@code SIGNAL}, or if the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> MpscQueue<T> of(Class<T> type, QueueOptions options) {
    return of(FlyweightType.of(type), options);
  }

  /**
   * Makes a queue.
   *
   * @param <T> the view of a record
   * @param type the type of the records
   * @param options the capacity, how each side waits, what {@code claim} does when the queue is
   *     full, and how long a claim may be open
   * @return the queue
   * @throws IllegalArgumentException if the capacity is not a power of two, or {@code onFull} is
   *     {@code DROP_OLDEST} or {@code SIGNAL}
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> MpscQueue<T> of(FlyweightType<T> type, QueueOptions options) {
    checkOptions(type, options, OnFull.WAIT, OnFull.DROP_NEWEST);
    return new MpscQueue<>(type, options);
  }

  /**
   * Makes a producer. One thread at a time may use it.
   *
   * @return a producer
   */
  public MpscProducer<T> newProducer() {
    return new MpscProducer<>(this, protocol, type.newFlyweight(ring.memory()));
  }

  /**
   * Returns the consumer.
   *
   * @return the consumer, the same each time
   */
  public MpscConsumer<T> consumer() {
    return consumer;
  }

  @Override
  MpscRing protocol() {
    return protocol;
  }

  @Override
  Metrics<OffHeapQueue<?>> measured() {
    return SHARED;
  }
}
