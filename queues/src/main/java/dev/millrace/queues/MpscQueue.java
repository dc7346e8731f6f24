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
 * <p><b>Roles.</b> Each producer belongs to one thread at a time, and so does the consumer; see
 * {@link MpscProducer} and {@link MpscConsumer}. Any thread may make producers, and complete, close
 * and query the queue.
 *
 * <p><b>Progress.</b> Claims are lock-free: one is retried only when another producer claimed
 * first. Commit, abort, polls and release are wait-free. A producer that stops between claim and
 * commit holds back all later records, so eventually the other producers find the queue full,
 * unless the queue has a stall limit: then the consumer passes over its claim.
 *
 * <p><b>Ordering.</b> First in, first out, in the order of the claims. What a producer did before
 * commit happens before the consumer's return from the poll of that record; what the consumer did
 * before release happens before the claim that gets the slot again. {@code tryPoll} reports empty
 * while the oldest claim is open, even if later records are committed; {@code poll} and {@link
 * MpscConsumer#strictPoll} wait for it. Full is exact: a record counts until it is released. Both
 * describe what is visible to the caller, as in {@link SpscQueue}.
 *
 * <p><b>End.</b> {@link #complete()} is exact, whichever thread calls it: each claim that succeeded
 * before may still be committed, and the consumer sees the end only after it. Only {@link #close()}
 * frees the memory.
 *
 * <p><b>Stalled producers.</b> With {@link QueueOptions#withStallLimit} the consumer gives up the
 * oldest claim when it has been open for too long. A late commit throws, and no record of another
 * producer is ever overwritten. The claim's slots are out of use until its producer commits or
 * aborts, and usable again a lap later; if it never does, they are lost for good. When no slot is
 * left, claims throw {@link IllegalStateException}.
 *
 * <p><b>Cost.</b> O(1) per record. A claim takes one compare-and-set and a commit one store,
 * whether of one record or of a run, which is at most 65,535 records long; with a stall limit a
 * claim takes two compare-and-sets, and a commit one. A slot takes 8 bytes more than its record,
 * rounded up to a multiple of 8; the queue itself about 5 KiB of heap and a producer about 1 KiB,
 * nearly all of it padding. Nothing is allocated afterwards, except a small object when more
 * producers sleep or park at once than ever before.
 *
 * <p><b>Source.</b> Stamps in the slots as in Vyukov, <a
 * href="https://www.1024cores.net/home/lock-free-algorithms/queues/bounded-mpmc-queue">Bounded MPMC
 * Queue</a>; the cached limit as in Lee et al. (see {@link SpscQueue}). Here one stamp publishes a
 * run, and a claim can be given up.
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
   * @throws IllegalArgumentException if the capacity is not such a power of two, or the interface
   *     does not describe a record
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
   * @param options the capacity, how each side waits, what {@code claim} does when full, and how
   *     long a claim may be open
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
   * @param options the capacity, how each side waits, what {@code claim} does when full, and how
   *     long a claim may be open
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
   * Makes an end at which records go in, for one thread at a time.
   *
   * @return a producer
   */
  public MpscProducer<T> newProducer() {
    return new MpscProducer<>(this, protocol, type.newFlyweight(ring.memory()));
  }

  /**
   * The end at which records come out.
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
