package dev.millrace.disruptor;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import java.time.Duration;

/**
 * What a ring is made with: its capacity, who its producers are, how they wait, and what they do
 * when it is full. How consumers wait is said for each of them.
 *
 * <p>By default producers spin, yield, then sleep 50 microseconds between tries, without a time
 * limit, and a claim stays open for as long as its producer likes.
 *
 * @param capacity the number of events that fit, a power of two in 2..2<sup>30</sup>
 * @param manyProducers whether many threads publish, or one at a time
 * @param producerWaits how a producer waits for free slots
 * @param onFull what {@code claim} does while the ring is full. With {@link OnFull#DROP_OLDEST} the
 *     producer waits, and the first stage of a {@link Pipeline} makes room: while it lags by more
 *     than three quarters of the capacity it passes over the oldest events, down to a half, a
 *     quarter at a time at most, which is the largest batch it takes. No stage sees those. For
 *     rings of many producers, whose slots can say that they hold nothing, and pipelines whose
 *     first stage is one handler
 * @param stallNanos nanoseconds after which consumers pass over a claim that is still open, or
 *     {@link WaitStrategy#FOREVER}; for many producers only
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
   * Makes options. Which of them go together is checked when a ring is made.
   *
   * @throws IllegalArgumentException if the capacity is not a power of two in that range, or the
   *     stall limit is below a microsecond
   */
  public RingOptions {
    Checks.powerOfTwoCapacity(capacity);
    Checks.notNull("producerWaits", producerWaits);
    Checks.notNull("onFull", onFull);
    Checks.inRange("stallNanos", stallNanos, LEAST_STALL_NANOS, WaitStrategy.FOREVER);
  }

  /**
   * Options for one producer, with the defaults.
   *
   * @param capacity the number of events that fit, a power of two in 2..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if the capacity is not such a number
   */
  public static RingOptions singleProducer(int capacity) {
    return new RingOptions(capacity, false, DEFAULT, OnFull.WAIT, WaitStrategy.FOREVER);
  }

  /**
   * Options for any number of producers, with the defaults.
   *
   * @param capacity the number of events that fit, a power of two in 2..2<sup>30</sup>
   * @return the options
   * @throws IllegalArgumentException if the capacity is not such a number
   */
  public static RingOptions multiProducer(int capacity) {
    return new RingOptions(capacity, true, DEFAULT, OnFull.WAIT, WaitStrategy.FOREVER);
  }

  /**
   * The same with another strategy for producers.
   *
   * @param strategy how a producer waits for free slots
   * @return the changed options
   */
  public RingOptions withProducerWaits(WaitStrategy strategy) {
    return new RingOptions(capacity, manyProducers, strategy, onFull, stallNanos);
  }

  /**
   * The same with another policy for a full ring.
   *
   * @param policy what {@code claim} does while the ring is full
   * @return the changed options
   */
  public RingOptions withOnFull(OnFull policy) {
    return new RingOptions(capacity, manyProducers, producerWaits, policy, stallNanos);
  }

  /**
   * The same with a limit to how long a claim may be open, for rings of many producers. A producer
   * that stops between claim and commit then holds up nobody for longer: consumers pass over its
   * claim, and its commit, should it come, throws. Its slots are out of use until then.
   *
   * <p>It costs each claim and each commit a compare-and-set. The limit counts looks as well as
   * time, so a pause of the process stalls nobody.
   *
   * @param limit how long a claim may be open, at least a microsecond; choose it far above the
   *     longest time that a thread may be off its processor
   * @return the changed options
   * @throws IllegalArgumentException if it is shorter
   */
  public RingOptions withStallLimit(Duration limit) {
    return new RingOptions(
        capacity, manyProducers, producerWaits, onFull, Checks.nanos("limit", limit));
  }

  /** Refuses what does not go together, before a ring is made. */
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
