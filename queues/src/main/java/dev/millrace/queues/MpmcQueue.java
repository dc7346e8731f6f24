package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.ring.MpmcRing;
import dev.millrace.flyweight.FlyweightType;

/**
 * A bounded queue of fixed-size records in off-heap memory, from any number of producers to any
 * number of consumers. Each record goes to one consumer, which reads it in place.
 *
 * {@snippet file="Examples.java" region="mpmc"}
 *
 * <p><b>Roles.</b> Each {@link MpmcProducer} and each {@link MpmcConsumer} belongs to one thread at
 * a time. Any thread may make producers and consumers, and complete, close and query the queue.
 *
 * <p><b>Progress.</b> Claims and polls are lock-free. A claim repeats an attempt only if another
 * producer claimed first, and a poll only if another consumer took the record first. Commit, abort
 * and release are wait-free. A producer that stops between claim and commit holds back all later
 * records. In a queue with a stall limit, consumers skip the claim of a stopped producer once the
 * limit has passed. A consumer that stops between poll and release keeps its slots, and producers
 * that reach these slots find the queue full.
 *
 * <p><b>Ordering.</b> Records are taken in the order of the claims. Everything that a producer did
 * before it committed a record happens-before everything that a consumer does after it has polled
 * that record. Everything that a consumer did before it released a record happens-before everything
 * that a producer does after it has claimed that record's slot again. While the oldest claim is
 * open, {@code tryPoll} reports empty, even if later records are committed, whereas {@code poll}
 * and {@link MpmcConsumer#strictPoll} wait for that claim. While a consumer holds the next slot,
 * {@code tryClaim} reports full, even if later slots are free, whereas {@link
 * MpmcProducer#strictClaim} waits for that consumer, as {@code claim} does by default.
 *
 * <p><b>End.</b> Once {@link #complete()} has returned, no new claim succeeds, but open claims may
 * still be committed. Consumers see the end only once each open claim has been committed, aborted
 * or given up. A consumer may see the end while other consumers still have records in hand. The
 * queue is drained only when all records have been released. Only {@link #close()} frees the
 * memory.
 *
 * <p><b>Failure.</b> {@code drain} and {@code forEach} take one record at a time. If a handler
 * throws, later records stay in the queue, and any consumer can take them. An aborted slot is free
 * again once a consumer has passed it. Stalled producers are handled as in {@link MpscQueue}.
 *
 * <p><b>Cost.</b> O(1) per record. A claim or a poll takes one read per slot, and a single
 * compare-and-set even for a run of records. A commit or a release takes one store per slot. With a
 * stall limit, a claim and a commit each take one more compare-and-set. Runs are at most 65,535
 * records long. A slot takes the record's size plus 8 bytes, rounded up to a multiple of 8. The
 * queue itself takes about 4 KiB of heap, and each producer or consumer takes about 1 KiB, nearly
 * all of it padding. After construction, the queue allocates only when more threads sleep or park
 * at once than ever before, and then only a small object.
 *
 * <p><b>Source.</b> The algorithm follows Vyukov, <a
 * href="https://www.1024cores.net/home/lock-free-algorithms/queues/bounded-mpmc-queue">Bounded MPMC
 * Queue</a>. This queue adds three things: runs, records that are written and read in place, and
 * claims that can be aborted or given up.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class MpmcQueue<T> extends RingQueue<T> {
  private final MpmcRing protocol;
  private final OnFull onFull;

  private MpmcQueue(FlyweightType<T> type, QueueOptions options) {
    super(type, options, false, false);
    this.protocol = new MpmcRing(ring, options.capacity(), options.stallNanos(), producerWaiters);
    this.onFull = options.onFull();
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
  public static <T> MpmcQueue<T> of(Class<T> type, int capacity) {
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
   *     {@code SIGNAL}, or if the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> MpmcQueue<T> of(Class<T> type, QueueOptions options) {
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
   *     {@code SIGNAL}
   * @throws OutOfMemoryError if there is not enough native memory
   */
  public static <T> MpmcQueue<T> of(FlyweightType<T> type, QueueOptions options) {
    checkOptions(type, options, OnFull.WAIT, OnFull.DROP_NEWEST, OnFull.DROP_OLDEST);
    return new MpmcQueue<>(type, options);
  }

  /**
   * Makes a producer. One thread at a time may use it.
   *
   * @return a producer
   */
  public MpmcProducer<T> newProducer() {
    return new MpmcProducer<>(
        this,
        protocol,
        type.newFlyweight(ring.memory()),
        onFull == OnFull.DROP_OLDEST ? newConsumer() : null);
  }

  /**
   * Makes a consumer. One thread at a time may use it.
   *
   * @return a consumer
   */
  public MpmcConsumer<T> newConsumer() {
    return new MpmcConsumer<>(this, protocol, type.newFlyweight(ring.memory()));
  }

  @Override
  MpmcRing protocol() {
    return protocol;
  }

  /**
   * Returns whether consumers will find no more records, although some may have records in hand.
   */
  boolean isExhausted() {
    return isEndKnown() && (protocol.isEmpty() || isDrained());
  }

  @Override
  Metrics<OffHeapQueue<?>> measured() {
    return SHARED;
  }
}
