package dev.millrace.queues;

import dev.millrace.core.internal.Checks;
import dev.millrace.flyweight.Flyweight;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Queues side by side, among which records are shared out by key: all records of a key go through
 * the same one, and each has a consumer of its own. So the state that a consumer keeps for its keys
 * is its own too.
 *
 * <pre>{@code
 * ShardedQueue<TradeFlyweight> queue =
 *     ShardedQueue.of(4, QueueOptions.ofCapacity(16_384), TradeFlyweight::new);
 *
 * // each producer's thread
 * ShardedQueue<TradeFlyweight>.Producer producer = queue.newProducer();
 * TradeFlyweight trade = producer.claim(symbolId);       // waits while that shard is full
 * if (trade != null) {
 *   trade.timestamp(t).price(p).volume(v);
 *   producer.commit();
 * }
 *
 * // the consumer's thread of each shard
 * MpscQueue<TradeFlyweight> shard = queue.shard(index);
 * shard.drain(trade, t -> candles.add(t), 256);
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread produces, with a {@link Producer} of its own; one thread at a time
 * consumes a shard. A thread may have several shards.
 *
 * <p><b>Progress, ordering, failure.</b> Those of {@link MpscQueue} for each shard; nothing is
 * shared between shards. Records of a key are taken in the order of their claims; of records of
 * different keys nothing is said. A key whose records are many fills its own shard only: then
 * claims for that shard wait or decline, while the others go on.
 *
 * <p><b>Cost.</b> A multiplication more than {@link MpscQueue}; memory for each shard.
 *
 * @param <F> the flyweight on a record
 * @since 0.1.0
 */
public final class ShardedQueue<F extends Flyweight> implements AutoCloseable {
  private static final int MOST_SHARDS = 1_024;
  // Knuth's multiplicative hash: the golden ratio's bits, so that near keys go far apart
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final int NONE = -1;

  private final List<MpscQueue<F>> shards;

  private ShardedQueue(List<MpscQueue<F>> shards) {
    this.shards = shards;
  }

  /**
   * Makes shards that are all alike.
   *
   * @param <F> the flyweight on a record
   * @param shards how many, from 1 to 1,024; as many as there are consumers
   * @param options those of each shard
   * @param flyweights makes a flyweight on a shard's memory, usually its constructor
   * @return the queue
   * @throws IllegalArgumentException if there are to be fewer or more, or {@link MpscQueue} refuses
   *     the options
   * @throws OutOfMemoryError if there is not as much native memory; then none is kept
   */
  public static <F extends Flyweight> ShardedQueue<F> of(
      int shards, QueueOptions options, Function<MemorySegment, F> flyweights) {
    Checks.inRange("shards", shards, 1, MOST_SHARDS);
    List<MpscQueue<F>> made = new ArrayList<>();
    try {
      for (int i = 0; i < shards; i++) {
        made.add(MpscQueue.of(options, flyweights));
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
   * Which shard a key's records go through; the same for life, and in each queue of as many shards.
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
  public MpscQueue<F> shard(int index) {
    return shards.get(index);
  }

  /**
   * How full the shards are, as {@link OffHeapQueue#sizeEstimate()} tells; {@link
   * OffHeapQueue#counters()} of a shard tells more.
   *
   * @return about how many records are in each shard
   */
  public int[] sizeEstimates() {
    return shards.stream().mapToInt(OffHeapQueue::sizeEstimate).toArray();
  }

  /**
   * Makes the producer's end for one thread.
   *
   * @return a flyweight for each shard, and which of them is in use
   * @throws IllegalStateException if a shard's memory is freed
   */
  public Producer newProducer() {
    return new Producer();
  }

  /** Closes all shards to producers; see {@link OffHeapQueue#complete()}. */
  public void complete() {
    shards.forEach(OffHeapQueue::complete);
  }

  /**
   * Closes all shards for their owner; see {@link OffHeapQueue#close()}.
   *
   * @throws IllegalStateException if they were closed before
   */
  @Override
  public void close() {
    shards.forEach(OffHeapQueue::close);
  }

  /** Returns how many records are in each shard, for debugging. */
  @Override
  public String toString() {
    return "ShardedQueue[sizes~" + IntStream.of(sizeEstimates()).boxed().toList() + "]";
  }

  /**
   * The producer's end, for one thread: it has one claim open at a time.
   *
   * @since 0.1.0
   */
  public final class Producer {
    private final List<F> flyweights = shards.stream().map(OffHeapQueue::newFlyweight).toList();
    private int open = NONE;

    private Producer() {}

    /**
     * Claims a slot in a key's shard, if there is one.
     *
     * @param key whose record it will be
     * @return the flyweight on the slot, or null if the shard is full
     * @throws IllegalStateException if the queue is closed, or a claim is open
     */
    public F tryClaim(long key) {
      int index = next(key);
      F flyweight = flyweights.get(index);
      return opened(index, shards.get(index).tryClaim(flyweight), flyweight);
    }

    /**
     * Claims a slot in a key's shard, waiting for one as the producers' strategy says.
     *
     * @param key whose record it will be
     * @return the flyweight on the slot, or null if the strategy's time limit passed, or the record
     *     was dropped
     * @throws IllegalStateException if the queue is or gets closed, or a claim is open
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public F claim(long key) throws InterruptedException {
      int index = next(key);
      F flyweight = flyweights.get(index);
      return opened(index, shards.get(index).claim(flyweight), flyweight);
    }

    /**
     * Publishes the record that was claimed.
     *
     * @return whether the consumer will see it; see {@link OffHeapQueue#commit(Flyweight)}
     * @throws IllegalStateException if none is claimed, or the memory is freed
     */
    public boolean commit() {
      int index = ended();
      return shards.get(index).commit(flyweights.get(index));
    }

    /**
     * Gives back the slot that was claimed.
     *
     * @throws IllegalStateException if none is claimed
     */
    public void abort() {
      int index = ended();
      shards.get(index).abort(flyweights.get(index));
    }

    private int next(long key) {
      if (open != NONE) {
        throw new IllegalStateException(
            "claim must be committed or aborted before the next: shard=" + open);
      }
      return shardOf(key);
    }

    private F opened(int index, boolean isClaimed, F flyweight) {
      if (!isClaimed) {
        return null;
      }
      open = index;
      return flyweight;
    }

    private int ended() {
      int index = open;
      if (index == NONE) {
        throw new IllegalStateException("claim must be open: none is, " + ShardedQueue.this);
      }
      open = NONE;
      return index;
    }
  }
}
