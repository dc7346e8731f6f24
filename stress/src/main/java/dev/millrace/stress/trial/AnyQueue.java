package dev.millrace.stress.trial;

import dev.millrace.core.Consumer;
import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import dev.millrace.core.Producer;
import dev.millrace.queues.KFifoQueue;
import dev.millrace.queues.MpmcQueue;
import dev.millrace.queues.MpscQueue;
import dev.millrace.queues.SpscQueue;
import dev.millrace.queues.internal.BoundedQueue;
import java.time.Duration;
import java.util.List;

/**
 * A queue of any kind, for trials of what all kinds do. One of messages has no records, so its ends
 * are those of {@link MessageRecords}.
 *
 * @param <T> the view of a record
 */
public class AnyQueue<T> implements Measured, AutoCloseable {
  private final BoundedQueue<T> queue;

  /**
   * Wraps a queue.
   *
   * @param queue of any kind
   */
  public AnyQueue(BoundedQueue<T> queue) {
    this.queue = queue;
  }

  /**
   * Makes a producer.
   *
   * @return it, or the only one
   */
  public Producer<T> newProducer() {
    return switch (queue) {
      case SpscQueue<T> spsc -> spsc.producer();
      case MpscQueue<T> mpsc -> mpsc.newProducer();
      case MpmcQueue<T> mpmc -> mpmc.newProducer();
      case KFifoQueue<T> kFifo -> kFifo.newProducer();
      default -> throw new IllegalArgumentException("no records: " + queue);
    };
  }

  /**
   * Makes a consumer.
   *
   * @return it, or the only one
   */
  public Consumer<T> newConsumer() {
    return switch (queue) {
      case SpscQueue<T> spsc -> spsc.consumer();
      case MpscQueue<T> mpsc -> mpsc.consumer();
      case MpmcQueue<T> mpmc -> mpmc.newConsumer();
      case KFifoQueue<T> kFifo -> kFifo.newConsumer();
      default -> throw new IllegalArgumentException("no records: " + queue);
    };
  }

  /** Completes the queue. */
  public void complete() {
    queue.complete();
  }

  /**
   * Whether the queue is completed.
   *
   * @return whether claims throw
   */
  public boolean isCompleted() {
    return queue.isCompleted();
  }

  /**
   * Whether the queue is drained.
   *
   * @return whether nothing more will come
   */
  public boolean isDrained() {
    return queue.isDrained();
  }

  /**
   * Waits until the queue is drained.
   *
   * @param timeout how long
   * @return whether it is
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean awaitDrained(Duration timeout) throws InterruptedException {
    return queue.awaitDrained(timeout);
  }

  @Override
  public void close() {
    queue.close();
  }

  /**
   * How many records fit.
   *
   * @return the number
   */
  public int capacity() {
    return queue.capacity();
  }

  /**
   * About how many records there are.
   *
   * @return the number
   */
  public int sizeEstimate() {
    return queue.sizeEstimate();
  }

  @Override
  public List<String> counters() {
    return queue.counters();
  }

  @Override
  public List<String> gauges() {
    return queue.gauges();
  }

  @Override
  public void readMetrics(long[] values) {
    queue.readMetrics(values);
  }

  /**
   * Shows copies of the records.
   *
   * @param viewer gets each
   * @return how many were shown
   */
  public int snapshot(Handler<? super T> viewer) {
    return queue.snapshot(viewer);
  }

  @Override
  public String toString() {
    return queue.toString();
  }
}
