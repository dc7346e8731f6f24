package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.ring.MpmcRing;
import dev.millrace.flyweight.FlyweightType;

/**
 * A bounded queue of fixed-size records in off-heap memory, from any number of producers to any
 * number of consumers; each record goes to one of them, which reads it in place.
 *
 * {@snippet file="Examples.java" region="mpmc"}
 *
 * <p><b>Roles.</b> Each producer and each consumer belongs to one thread at a time; see {@link
 * MpmcProducer} and {@link MpmcConsumer}. Any thread may make ends, and complete, close and query
 * the queue.
 *
 * <p><b>Progress.</b> Claims and polls are lock-free: one is retried only when another thread of
 * the same side came first. Commit, abort and release are wait-free. A producer that stops between
 * claim and commit holds back all later records, unless the queue has a stall limit. A consumer
 * that stops between poll and release keeps its slots; producers find the queue full when they come
 * round to them.
 *
 * <p><b>Ordering.</b> Records are taken in the order of the claims. What a producer did before
 * commit happens before the return from the poll of that record; what a consumer did before release
 * happens before the claim that gets the slot again. {@code tryPoll} reports empty while the oldest
 * claim is open, even if later records are committed, and {@code tryClaim} reports full while a
 * consumer holds the oldest slot, even if later ones are free. {@link MpmcConsumer#strictPoll},
 * {@link MpmcProducer#strictClaim} and the forms that wait do not.
 *
 * <p><b>End.</b> {@link #complete()} is exact, whichever thread calls it: each claim that succeeded
 * before may still be committed, and consumers see the end only after it. A consumer is at the end
 * when every record is taken; the queue is drained when every record is released too. Only {@link
 * #close()} frees the memory.
 *
 * <p><b>Failure.</b> {@code drain} and {@code forEach} take records one by one, so if a handler
 * throws, the records after it stay in the queue, for other consumers too. An aborted slot is free
 * again once a consumer has passed it. Stalled producers: as in {@link MpscQueue}.
 *
 * <p><b>Cost.</b> O(1) per record. A claim or a poll takes one compare-and-set, whether of one
 * record or of a run, and one read per slot; a commit or a release one store per slot. With a stall
 * limit claim and commit each take one compare-and-set more. Runs are at most 65,535 records long.
 * A slot takes 8 bytes more than its record, rounded up to a multiple of 8; the queue itself about
 * 4 KiB of heap and an end about 1 KiB, nearly all of it padding. Nothing is allocated afterwards,
 * except a small object when more threads sleep or park at once than ever before.
 *
 * <p><b>Source.</b> Vyukov, <a
 * href="https://www.1024cores.net/home/lock-free-algorithms/queues/bounded-mpmc-queue">Bounded MPMC
 * Queue</a>. Here both ends take runs, records are written and read in place, and claims can be
 * aborted and given up.
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
   * @throws IllegalArgumentException if the capacity is not such a power of two, or the interface
   *     does not describe a record
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
   * @param options the capacity, how each side waits, what {@code claim} does when full, and how
   *     long a claim may be open
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
   * @param options the capacity, how each side waits, what {@code claim} does when full, and how
   *     long a claim may be open
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
   * Makes an end at which records go in, for one thread at a time.
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
   * Makes an end at which records come out, for one thread at a time.
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

  /** Whether consumers will find nothing more, though some may have records in hand. */
  boolean isExhausted() {
    return isEndKnown() && (protocol.isEmpty() || isDrained());
  }

  @Override
  Metrics<OffHeapQueue<?>> measured() {
    return SHARED;
  }
}
