package dev.millrace.queues;

import dev.millrace.core.Measured;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Several queues, called shards, among which records are distributed by key. All records with the
 * same key go through the same shard, and each shard has its own consumer, so a consumer need not
 * share the state that it keeps for its keys.
 *
 * {@snippet file="Examples.java" region="sharded"}
 *
 * <p><b>Roles.</b> Any thread may make producers, and complete, close and query the queue. Each
 * producer and each shard's consumer belongs to one thread at a time. A thread may have a claim
 * open in each shard, and may consume several shards.
 *
 * <p><b>Progress, ordering, end, stalled producers.</b> Each shard behaves like an {@link
 * MpscQueue}, and nothing is shared between shards. Records with the same key are taken in the
 * order of their claims. No order is promised between records with different keys. A key with many
 * records fills only its own shard. While a shard is full, claims in that shard wait or fail, and
 * the other shards continue.
 *
 * <p><b>Cost.</b> Compared with an {@link MpscQueue}, each record costs two more multiplications,
 * which compute the record's shard. Each shard has its own memory. Each producing thread has one
 * producer for each shard, and each of these producers takes about 1 KiB.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class ShardedQueue<T> implements AutoCloseable, Measured {
  private static final int MOST_SHARDS = 1_024;
  // Knuth's multiplicative hash: multiplying by the golden ratio's bits moves near keys far apart
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final List<MpscQueue<T>> shards;
  private final List<String> counters;
  private final List<String> gauges;

  private ShardedQueue(List<MpscQueue<T>> shards) {
    this.shards = shards;
    this.counters = ofEachShard(RingQueue.SHARED.counters());
    this.gauges = ofEachShard(RingQueue.SHARED.gauges());
  }

  /**
   * Makes a queue whose shards have the default options.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param shards the number of shards, and so of consumers, from 1 to 1,024
   * @param capacity the number of records that fit into each shard, a power of two in
   *     2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException if a number is out of its range, the capacity is not a power
   *     of two, or the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory, in which case the memory
   *     allocated so far is freed
   */
  public static <T> ShardedQueue<T> of(Class<T> type, int shards, int capacity) {
    return of(type, shards, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes a queue whose shards all have the same options.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param shards the number of shards, and so of consumers, from 1 to 1,024
   * @param options the options of each shard
   * @return the queue
   * @throws IllegalArgumentException if the number of shards is out of range, {@link MpscQueue}
   *     rejects the options, or the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory, in which case the memory
   *     allocated so far is freed
   */
  public static <T> ShardedQueue<T> of(Class<T> type, int shards, QueueOptions options) {
    return of(FlyweightType.of(type), shards, options);
  }

  /**
   * Makes a queue whose shards all have the same options.
   *
   * @param <T> the view of a record
   * @param type the type of the records
   * @param shards the number of shards, and so of consumers, from 1 to 1,024
   * @param options the options of each shard
   * @return the queue
   * @throws IllegalArgumentException if the number of shards is out of range, or {@link MpscQueue}
   *     rejects the options
   * @throws OutOfMemoryError if there is not enough native memory, in which case the memory
   *     allocated so far is freed
   */
  public static <T> ShardedQueue<T> of(FlyweightType<T> type, int shards, QueueOptions options) {
    Checks.inRange("shards", shards, 1, MOST_SHARDS);
    List<MpscQueue<T>> made = new ArrayList<>();
    try {
      for (int i = 0; i < shards; i++) {
        made.add(MpscQueue.of(type, options));
      }
    } catch (OutOfMemoryError e) {
      made.forEach(MpscQueue::close);
      throw e;
    }
    return new ShardedQueue<>(List.copyOf(made));
  }

  /**
   * Returns how many shards there are.
   *
   * @return the number of shards
   */
  public int shards() {
    return shards.size();
  }

  /**
   * Returns the shard that a key's records go through. A key always has the same shard, even in
   * other queues with the same number of shards.
   *
   * @param key any number, such as an identifier or a hash
   * @return the shard's index, from 0
   */
  public int shardOf(long key) {
    return (int) Math.unsignedMultiplyHigh(key * GOLDEN, shards.size());
  }

  /**
   * Returns a shard. Take its records with its {@link MpscQueue#consumer() consumer}.
   *
   * @param index the index of the shard, from 0
   * @return the shard
   * @throws IndexOutOfBoundsException if there is no such shard
   */
  public MpscQueue<T> shard(int index) {
    return shards.get(index);
  }

  /**
   * Makes the producers of one thread, one for each shard. The producer for a key is {@code
   * producers.get(queue.shardOf(key))}.
   *
   * @return the producers, by the index of their shard
   */
  public List<MpscProducer<T>> newProducers() {
    return shards.stream().map(MpscQueue::newProducer).toList();
  }

  private List<String> ofEachShard(List<String> names) {
    return IntStream.range(0, shards.size())
        .mapToObj(i -> "shard" + i + ".")
        .flatMap(shard -> names.stream().map(shard::concat))
        .toList();
  }

  /**
   * {@inheritDoc} A sharded queue has the counters of each of its shards, such as {@code
   * shard0.consumed}.
   */
  @Override
  public List<String> counters() {
    return counters;
  }

  /**
   * {@inheritDoc} A sharded queue has the gauges of each of its shards, such as {@code
   * shard0.size}.
   */
  @Override
  public List<String> gauges() {
    return gauges;
  }

  /** {@inheritDoc} The call allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    Objects.checkFromIndexSize(counters.size(), gauges.size(), values.length);
    Arrays.fill(values, 0, counters.size() + gauges.size(), 0);
    int counter = 0;
    int gauge = counters.size();
    for (int i = 0; i < shards.size(); i++) { // by index, to avoid allocating an iterator
      RingQueue.SHARED.addTo(shards.get(i), values, counter, gauge);
      counter += RingQueue.SHARED.counters().size();
      gauge += RingQueue.SHARED.gauges().size();
    }
  }

  /** Completes all shards, each as {@link MpscQueue#complete()} does. */
  public void complete() {
    shards.forEach(MpscQueue::complete);
  }

  /**
   * Waits until all shards are drained. This method does not complete the shards.
   *
   * @param timeout how long to wait
   * @return whether all shards are drained
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean awaitDrained(Duration timeout) throws InterruptedException {
    long begin = System.nanoTime();
    long nanos = Checks.nanos("timeout", timeout);
    for (MpscQueue<T> shard : shards) {
      long left = nanos - (System.nanoTime() - begin);
      if (!shard.awaitDrained(Duration.ofNanos(left))) {
        return false;
      }
    }
    return true;
  }

  /** Closes all shards, each as {@link MpscQueue#close()} does. Repeated calls are allowed. */
  @Override
  public void close() {
    shards.forEach(MpscQueue::close);
  }

  /** Returns the shards, for debugging. */
  @Override
  public String toString() {
    return "ShardedQueue" + shards;
  }
}
