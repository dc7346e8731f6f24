package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.StallWatch;
import java.time.Duration;
import java.util.List;

/**
 * What a queue is made with: its capacity, how each side waits, and what happens when it is full or
 * a producer stalls.
 *
 * <p>By default both sides spin, yield, then sleep 50 microseconds between tries: no side costs a
 * core for long, and no publication costs the other side a fence. A producer waits while the queue
 * is full, and a claim stays open for as long as its producer likes. The operations that never wait
 * ({@code tryClaim}, {@code tryPoll}, {@code drain}) do not use the strategies.
 *
 * @param capacity the number of records that fit, in 1..2<sup>30</sup>; other queues than {@link
 *     RecordQueue} take only powers of two from 2 on
 * @param producerWaits how a producer waits for a free slot
 * @param consumerWaits how a consumer waits for a record
 * @param onFull what {@code claim} does while the queue is full: {@code WAIT} or {@code
 *     DROP_NEWEST}, and of an {@code MpmcQueue} also {@code DROP_OLDEST}, for the producer takes
 *     the oldest records out as a consumer does
 * @param stallNanos nanoseconds after which consumers pass over a claim that is still open, or
 *     {@link WaitStrategy#FOREVER}
 * @since 0.1.0
 */
public record QueueOptions(
    int capacity,
    WaitStrategy producerWaits,
    WaitStrategy consumerWaits,
    OnFull onFull,
    long stallNanos) {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleeping(Duration.ofNanos(50_000));
  private static final long LEAST_STALL_NANOS = 1_000;

  /**
   * Makes options.
   *
   * @throws IllegalArgumentException if the capacity is not in that range, or the stall limit is
   *     below a microsecond
   */
  public QueueOptions {
    Checks.inRange("capacity", capacity, 1, Checks.MAX_CAPACITY);
    Checks.notNull("producerWaits", producerWaits);
    Checks.notNull("consumerWaits", consumerWaits);
    Checks.notNull("onFull", onFull);
    Checks.inRange("stallNanos", stallNanos, LEAST_STALL_NANOS, WaitStrategy.FOREVER);
  }

  /**
   * Makes options with the defaults.
   *
   * @param capacity the number of records that fit, in 1..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if the capacity is not in that range
   */
  public static QueueOptions ofCapacity(int capacity) {
    return new QueueOptions(capacity, DEFAULT, DEFAULT, OnFull.WAIT, WaitStrategy.FOREVER);
  }

  /**
   * The same with another strategy for producers.
   *
   * @param strategy how a producer waits for a free slot
   * @return the changed options
   */
  public QueueOptions withProducerWaits(WaitStrategy strategy) {
    return new QueueOptions(capacity, strategy, consumerWaits, onFull, stallNanos);
  }

  /**
   * The same with another strategy for consumers.
   *
   * @param strategy how a consumer waits for a record
   * @return the changed options
   */
  public QueueOptions withConsumerWaits(WaitStrategy strategy) {
    return new QueueOptions(capacity, producerWaits, strategy, onFull, stallNanos);
  }

  /**
   * The same with another policy for a full queue.
   *
   * @param policy what {@code claim} does while the queue is full
   * @return the changed options
   */
  public QueueOptions withOnFull(OnFull policy) {
    return new QueueOptions(capacity, producerWaits, consumerWaits, policy, stallNanos);
  }

  /**
   * The same with a limit to how long a claim may be open, for queues of many producers. A producer
   * that stops between claim and commit then holds up nobody for longer: consumers pass over its
   * claim, and its commit, should it come, is refused. Its slots are out of use until then.
   *
   * <p>It costs each claim and each commit a compare-and-set. The limit counts looks as well as
   * time: a consumer must have looked for the record at least 16 times, and is credited with a
   * sixteenth of the limit for each look at the most, so a pause of the process stalls nobody.
   *
   * @param limit how long a claim may be open, at least a microsecond; choose it far above the
   *     longest time that a thread may be off its processor
   * @return the changed options
   * @throws IllegalArgumentException if it is shorter
   */
  public QueueOptions withStallLimit(Duration limit) {
    return new QueueOptions(
        capacity, producerWaits, consumerWaits, onFull, Checks.nanos("limit", limit));
  }

  /** Throws if a full queue is to do what its kind cannot. */
  void checkOnFull(OnFull... supported) {
    if (!List.of(supported).contains(onFull)) {
      throw new IllegalArgumentException(
          "onFull must be one of %s in this kind of queue: onFull=%s"
              .formatted(List.of(supported), onFull));
    }
  }

  /** Throws if there is a limit to how long a claim may be open, which the kind does not need. */
  void checkNoStallLimit() {
    if (stallNanos != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(
          "stallNanos must be FOREVER in this kind of queue: stallNanos=" + stallNanos);
    }
  }

  /** What finds claims that are open for too long; null if they may be. */
  StallWatch newStallWatch() {
    return stallNanos == WaitStrategy.FOREVER ? null : new StallWatch(stallNanos);
  }
}
