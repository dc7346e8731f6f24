package dev.millrace.queues;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import java.time.Duration;

/**
 * What a queue is made with: its capacity, and how each side waits.
 *
 * <p>By default both sides spin, yield, then sleep 50 microseconds between tries: no side costs a
 * core for long, and no publication costs the other side a fence. The operations that never wait
 * ({@code tryClaim}, {@code tryPoll}, {@code drain}) do not use the strategies.
 *
 * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
 * @param producerWaits how a producer waits for a free slot
 * @param consumerWaits how a consumer waits for a record
 * @since 0.1.0
 */
public record QueueOptions(int capacity, WaitStrategy producerWaits, WaitStrategy consumerWaits) {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleeping(Duration.ofNanos(50_000));

  /**
   * Makes options.
   *
   * @throws IllegalArgumentException if the capacity is not a power of two in that range
   */
  public QueueOptions {
    Checks.powerOfTwoCapacity(capacity);
    Checks.notNull("producerWaits", producerWaits);
    Checks.notNull("consumerWaits", consumerWaits);
  }

  /**
   * Makes options with the default strategies.
   *
   * @param capacity the number of records that fit, a power of two in 2..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if the capacity is not a power of two in that range
   */
  public static QueueOptions ofCapacity(int capacity) {
    return new QueueOptions(capacity, DEFAULT, DEFAULT);
  }

  /**
   * The same with another strategy for producers.
   *
   * @param strategy how a producer waits for a free slot
   * @return the changed options
   */
  public QueueOptions withProducerWaits(WaitStrategy strategy) {
    return new QueueOptions(capacity, strategy, consumerWaits);
  }

  /**
   * The same with another strategy for consumers.
   *
   * @param strategy how a consumer waits for a record
   * @return the changed options
   */
  public QueueOptions withConsumerWaits(WaitStrategy strategy) {
    return new QueueOptions(capacity, producerWaits, strategy);
  }
}
