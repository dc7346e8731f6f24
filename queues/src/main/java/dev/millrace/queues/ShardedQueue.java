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
 * Several queues among which records are distributed by key: all records of a key go through the
 * same queue, and each queue has its own consumer. So a consumer need not share the state that it
 * keeps for its keys.
 *
 * {@snippet file="Examples.java" region="sharded"}
 *
 * <p><b>Roles.</b> Any thread may make producers, and complete, close and query the queue; each
 * producer belongs to one thread at a time, and so does each shard's consumer. A thread may have a
 * claim open in each shard, and consume several shards.
 *
 * <p><b>Progress, ordering, end, stalled producers.</b> As for {@link MpscQueue}, in each shard;
 * nothing is shared between shards. Records of a key are taken in the order of their claims; no
 * order is promised between records of different keys. A key with many records fills only its own
 * shard: claims for that shard then wait or fail, while the others continue.
 *
 * <p><b>Cost.</b> One multiplication more than {@link MpscQueue}, memory for each shard, and in
 * each producing thread a producer of about 1 KiB per shard.
 *
 * @param <T> the view of a record: an interface, or a subclass of {@link
 *     dev.millrace.flyweight.Flyweight}
 * @since 0.1.0
 */
public final class ShardedQueue<T> implements AutoCloseable, Measured {
  private static final int MOST_SHARDS = 1_024;
  // Knuth's multiplicative hash: the golden ratio's bits, so that near keys go far apart
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
   * Makes shards with the default options.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param shards how many, from 1 to 1,024; as many as there are consumers
   * @param capacity the number of records that fit into each, a power of two in 2..2<sup>30</sup>
   * @return the queue
   * @throws IllegalArgumentException if a number is not in its range, the capacity is not a power
   *     of two, or the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory; then all that was allocated is
   *     freed
   */
  public static <T> ShardedQueue<T> of(Class<T> type, int shards, int capacity) {
    return of(type, shards, QueueOptions.ofCapacity(capacity));
  }

  /**
   * Makes shards that are all alike.
   *
   * @param <T> the interface
   * @param type describes a record: see {@link FlyweightType}
   * @param shards how many, from 1 to 1,024; as many as there are consumers
   * @param options the options of each shard
   * @return the queue
   * @throws IllegalArgumentException if the number of shards is not in that range, {@link
   *     MpscQueue} rejects the options, or the interface does not describe a record
   * @throws OutOfMemoryError if there is not enough native memory; then all that was allocated is
   *     freed
   */
  public static <T> ShardedQueue<T> of(Class<T> type, int shards, QueueOptions options) {
    return of(FlyweightType.of(type), shards, options);
  }

  /**
   * Makes shards that are all alike.
   *
   * @param <T> the view of a record
   * @param type of the records
   * @param shards how many, from 1 to 1,024; as many as there are consumers
   * @param options the options of each shard
   * @return the queue
   * @throws IllegalArgumentException if the number of shards is not in that range, or {@link
   *     MpscQueue} rejects the options
   * @throws OutOfMemoryError if there is not enough native memory; then all that was allocated is
   *     freed
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
   * How many shards there are.
   *
   * @return their number
   */
  public int shards() {
    return shards.size();
  }

  /**
   * The shard that a key's records go through: always the same, also in other queues with this many
   * shards.
   *
   * @param key any number: an identifier, or a hash
   * @return the shard's index, from 0
   */
  public int shardOf(long key) {
    return (int) Math.unsignedMultiplyHigh(key * GOLDEN, shards.size());
  }

  /**
   * A shard, for its consumer.
   *
   * @param index from 0
   * @return the shard
   * @throws IndexOutOfBoundsException if there is none
   */
  public MpscQueue<T> shard(int index) {
    return shards.get(index);
  }

  /**
   * Makes one producer per shard, for one thread; {@code producers.get(queue.shardOf(key))} is the
   * one for a key.
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

  /** {@inheritDoc} They are those of each shard: {@code shard0.consumed}. */
  @Override
  public List<String> counters() {
    return counters;
  }

  /** {@inheritDoc} They are those of each shard: {@code shard0.size}. */
  @Override
  public List<String> gauges() {
    return gauges;
  }

  /** {@inheritDoc} Allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    Objects.checkFromIndexSize(counters.size(), gauges.size(), values.length);
    Arrays.fill(values, 0, counters.size() + gauges.size(), 0);
    int counter = 0;
    int gauge = counters.size();
    for (int i = 0; i < shards.size(); i++) { // by index: an iterator would be allocated
      RingQueue.SHARED.addTo(shards.get(i), values, counter, gauge);
      counter += RingQueue.SHARED.counters().size();
      gauge += RingQueue.SHARED.gauges().size();
    }
  }

  /** Completes all shards; see {@link MpscQueue#complete()}. */
  public void complete() {
    shards.forEach(MpscQueue::complete);
  }

  /**
   * Waits until all shards are drained; does not complete them.
   *
   * @param timeout how long to wait
   * @return whether they are drained
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

  /** Closes all shards; see {@link MpscQueue#close()}. May be called repeatedly. */
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
