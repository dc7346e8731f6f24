package dev.millrace.disruptor;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;

/**
 * The options of a ring: its capacity, whether it has one producer or many, how producers wait, and
 * what they do when the ring is full. How a consumer waits is set when you make the consumer.
 *
 * <p>By default, producers wait without a time limit: they spin, then yield, then sleep for 50
 * microseconds between attempts. A claim may stay open for any length of time.
 *
 * @param capacity the number of events that fit, a power of two in 2..2<sup>30</sup>
 * @param manyProducers true if many threads may publish, false if only one thread at a time may
 * @param producerWaits how a producer waits for free slots
 * @param onFull what {@code claim} does while the ring is full. With {@link OnFull#DROP_OLDEST} the
 *     producer waits, and the first stage of a {@link Pipeline} makes room. Once the first stage
 *     lags by more than three quarters of the capacity, it skips the oldest events until it lags by
 *     half of the capacity. The first stage skips at most a quarter of the capacity at a time, and
 *     its batches have at most a quarter of the capacity, too. No stage sees the skipped events.
 *     {@code DROP_OLDEST} requires a ring with many producers, whose slots can be marked as empty,
 *     and a pipeline whose first stage is a single handler
 * @param stallNanos the nanoseconds after which consumers skip a claim that is still open, or
 *     {@link WaitStrategy#FOREVER}. A limit requires many producers
 * @since 0.1.0
 */
public record RingOptions(
    int capacity,
    boolean manyProducers,
    WaitStrategy producerWaits,
    OnFull onFull,
    long stallNanos) {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleeping(Duration.ofNanos(50_000));
  private static final long LEAST_STALL_NANOS = 1_000;

  /**
   * Checks each option on its own. The factory of a ring checks whether the ring's options are
   * compatible.
   *
   * @throws IllegalArgumentException if the capacity is not a power of two in 2..2<sup>30</sup>, or
   *     the stall limit is below a microsecond
   */
  public RingOptions {
    Checks.powerOfTwoCapacity(capacity);
    Checks.notNull("producerWaits", producerWaits);
    Checks.notNull("onFull", onFull);
    Checks.inRange("stallNanos", stallNanos, LEAST_STALL_NANOS, WaitStrategy.FOREVER);
  }

  /**
   * Returns options for one producer, with the defaults for everything else.
   *
   * @param capacity the number of events that fit, a power of two in 2..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if the capacity is not a power of two or is out of range
   */
  public static RingOptions singleProducer(int capacity) {
    return new RingOptions(capacity, false, DEFAULT, OnFull.WAIT, WaitStrategy.FOREVER);
  }

  /**
   * Returns options for any number of producers, with the defaults for everything else.
   *
   * @param capacity the number of events that fit, a power of two in 2..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if the capacity is not a power of two or is out of range
   */
  public static RingOptions multiProducer(int capacity) {
    return new RingOptions(capacity, true, DEFAULT, OnFull.WAIT, WaitStrategy.FOREVER);
  }

  /**
   * Returns a copy with a different wait strategy for producers.
   *
   * @param strategy how a producer waits for free slots
   * @return the changed options
   */
  public RingOptions withProducerWaits(WaitStrategy strategy) {
    return new RingOptions(capacity, manyProducers, strategy, onFull, stallNanos);
  }

  /**
   * Returns a copy with a different policy for a full ring.
   *
   * @param policy what {@code claim} does while the ring is full
   * @return the changed options
   */
  public RingOptions withOnFull(OnFull policy) {
    return new RingOptions(capacity, manyProducers, producerWaits, policy, stallNanos);
  }

  /**
   * Returns a copy that limits how long a claim may be open. Only rings with many producers support
   * a limit. A producer that stops between claim and commit holds up other threads only until the
   * limit has passed. Once the limit has passed, consumers skip the claim, and a late commit throws
   * an exception. The claim's slots are out of use until its producer commits or aborts.
   *
   * <p>With a stall limit, each claim and each commit takes one more compare-and-set. A producer
   * counts as stalled only after the limit has passed and consumers have repeatedly found its claim
   * still open. A pause of the whole process therefore does not make a producer count as stalled.
   *
   * @param limit how long a claim may be open, at least a microsecond; choose it far above the
   *     longest time that a thread may be descheduled
   * @return the changed options
   * @throws IllegalArgumentException if {@code limit} is less than a microsecond
   */
  public RingOptions withStallLimit(Duration limit) {
    return new RingOptions(
        capacity, manyProducers, producerWaits, onFull, Checks.nanos("limit", limit));
  }

  /** Throws if options are incompatible. Called before a ring is made. */
  void check() {
    if (!manyProducers && stallNanos != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(
          "stallNanos must be FOREVER where one producer publishes: stallNanos=" + stallNanos);
    }
    if (!manyProducers && onFull == OnFull.DROP_OLDEST) {
      throw new IllegalArgumentException(
          "onFull must not be DROP_OLDEST where one producer publishes, whose slots cannot say that"
              + " they hold nothing: onFull="
              + onFull);
    }
  }
}
