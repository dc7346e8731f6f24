package dev.millrace.queues;

import java.time.Duration;
import java.util.List;

/**
 * A producer of a {@link ShardedQueue}, one of any number. It claims by key, one record at a time;
 * otherwise as {@link MpscProducer}.
 *
 * <p><b>Roles.</b> Belongs to one thread at a time, as each {@link dev.millrace.core.Producer}.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public final class ShardedProducer<T> implements AutoCloseable {
  private final ShardedQueue<T> queue;
  private final List<MpscProducer<T>> producers;
  private MpscProducer<T> open; // of the shard in which a claim is open, or null

  ShardedProducer(ShardedQueue<T> queue, List<MpscProducer<T>> producers) {
    this.queue = queue;
    this.producers = producers;
  }

  /**
   * Claims a record in a key's shard.
   *
   * @param key whose record it will be
   * @return the view, on the record; null when that shard is full
   * @throws IllegalStateException if a claim is open, or the queue was completed
   */
  public T tryClaim(long key) {
    MpscProducer<T> producer = of(key);
    return opened(producer, producer.tryClaim());
  }

  /**
   * Claims a record in a key's shard; waits while that is full.
   *
   * @param key whose record it will be
   * @return the view, on the record; null only if the queue drops new records when a shard is full
   * @throws IllegalStateException if a claim is open, or the queue was or is completed
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public T claim(long key) throws InterruptedException {
    MpscProducer<T> producer = of(key);
    return opened(producer, producer.claim());
  }

  /**
   * Claims a record in a key's shard; waits while that is full, but not for ever.
   *
   * @param key whose record it will be
   * @param timeout how long; zero and less to try once
   * @return the view, on the record; null when the shard is still full
   * @throws IllegalStateException if a claim is open, or the queue was or is completed
   * @throws InterruptedException if the thread was interrupted and would have to wait
   */
  public T claim(long key, Duration timeout) throws InterruptedException {
    MpscProducer<T> producer = of(key);
    return opened(producer, producer.claim(timeout));
  }

  /**
   * Publishes the record of the open claim.
   *
   * @throws IllegalStateException if no claim is open, or it was given up since it was open for
   *     longer than the stall limit; then the record is lost, and no claim is open any more
   */
  public void commit() {
    ended().commit();
  }

  /**
   * Gives up the open claim: its record will not be seen.
   *
   * @throws IllegalStateException if no claim is open
   */
  public void abort() {
    ended().abort();
  }

  /** Aborts an open claim, if there is one. The queue and its other producers go on. */
  @Override
  public void close() {
    if (open != null) {
      abort();
    }
  }

  private MpscProducer<T> of(long key) {
    if (open != null) {
      throw new IllegalStateException(
          "claim must be committed or aborted before the next: " + queue);
    }
    return producers.get(queue.shardOf(key));
  }

  private T opened(MpscProducer<T> producer, T claimed) {
    open = claimed == null ? null : producer;
    return claimed;
  }

  private MpscProducer<T> ended() {
    MpscProducer<T> ended = open;
    if (ended == null) {
      throw new IllegalStateException("claim must be open: none is, " + queue);
    }
    open = null;
    return ended;
  }
}
