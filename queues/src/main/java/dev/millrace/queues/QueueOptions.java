package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.OnOversize;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.messages.MessageQueue;
import java.time.Duration;

/**
 * The options of a queue: its capacity, how each side waits, and what happens when it is full or a
 * producer stalls.
 *
 * <p>By default both sides wait with {@link WaitStrategy#sleepingThenParking}: for a short wait
 * they spin and sleep, and the other side pays nothing for that; when nothing has come for a
 * millisecond or so they park, and cost nothing until they are woken. A producer waits while the
 * queue is full, and a claim may stay open for as long as its producer likes. The operations that
 * never wait ({@code tryClaim}, {@code tryPoll}, {@code drain}) do not use the strategies.
 *
 * @param capacity the number of records that fit, in 1..2<sup>30</sup>; all queues but {@link
 *     RecordQueue} require a power of two, at least 2. For a {@link MessageQueue}, the bytes of
 *     memory for messages, a power of two in 2<sup>9</sup>..2<sup>34</sup>. The queue checks it
 * @param producerWaits how a producer waits for a free slot
 * @param consumerWaits how a consumer waits for a record
 * @param onFull what {@code claim} does while the queue is full: {@code WAIT} or {@code
 *     DROP_NEWEST}; in a {@link RecordQueue} only {@code WAIT}; in an {@code MpmcQueue} and a
 *     {@code MessageQueue.mpmc} also {@code DROP_OLDEST}, with which the producer takes the oldest
 *     records out as a consumer would
 * @param stallNanos nanoseconds after which consumers skip a claim that is still open, or {@link
 *     WaitStrategy#FOREVER}
 * @param textBytes how many bytes a string or an array has in a slot of a {@link RecordQueue}, in
 *     1..65,536, unless {@link dev.millrace.flyweight.Utf8 Utf8} says otherwise; longer values are
 *     kept on the heap
 * @param holdsReferences whether the records of a {@link RecordQueue} may have components of any
 *     class, so that all such records are kept on the heap
 * @param onOversize what a {@link RecordQueue} does with a record one of whose values does not fit
 * @since 0.1.0
 */
public record QueueOptions(
    long capacity,
    WaitStrategy producerWaits,
    WaitStrategy consumerWaits,
    OnFull onFull,
    long stallNanos,
    int textBytes,
    boolean holdsReferences,
    OnOversize onOversize) {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleepingThenParking();
  private static final int DEFAULT_TEXT_BYTES = 64;
  private static final int MOST_TEXT_BYTES = 1 << 16;
  private static final long LEAST_STALL_NANOS = 1_000;

  /**
   * Makes options.
   *
   * @throws IllegalArgumentException if the stall limit is below a microsecond, or {@code
   *     textBytes} is out of range
   */
  public QueueOptions {
    Checks.notNull("producerWaits", producerWaits);
    Checks.notNull("consumerWaits", consumerWaits);
    Checks.notNull("onFull", onFull);
    Checks.inRange("stallNanos", stallNanos, LEAST_STALL_NANOS, WaitStrategy.FOREVER);
    Checks.inRange("textBytes", textBytes, 1, MOST_TEXT_BYTES);
    Checks.notNull("onOversize", onOversize);
    if (holdsReferences && onOversize == OnOversize.THROW) {
      throw new IllegalArgumentException(
          "withReferences keeps records on the heap, which OnOversize.THROW forbids");
    }
  }

  /**
   * Makes options with the defaults.
   *
   * @param capacity the number of records that fit, or of bytes in a {@link MessageQueue}
   * @return the options
   */
  public static QueueOptions ofCapacity(long capacity) {
    return new QueueOptions(
        capacity,
        DEFAULT,
        DEFAULT,
        OnFull.WAIT,
        WaitStrategy.FOREVER,
        DEFAULT_TEXT_BYTES,
        false,
        OnOversize.SPILL);
  }

  /**
   * Returns a copy with another wait strategy for producers.
   *
   * @param strategy how a producer waits for a free slot
   * @return the changed options
   */
  public QueueOptions withProducerWaits(WaitStrategy strategy) {
    return new QueueOptions(
        capacity,
        strategy,
        consumerWaits,
        onFull,
        stallNanos,
        textBytes,
        holdsReferences,
        onOversize);
  }

  /**
   * Returns a copy with another wait strategy for consumers.
   *
   * @param strategy how a consumer waits for a record
   * @return the changed options
   */
  public QueueOptions withConsumerWaits(WaitStrategy strategy) {
    return new QueueOptions(
        capacity,
        producerWaits,
        strategy,
        onFull,
        stallNanos,
        textBytes,
        holdsReferences,
        onOversize);
  }

  /**
   * Returns a copy with another policy for a full queue.
   *
   * @param policy what {@code claim} does while the queue is full
   * @return the changed options
   */
  public QueueOptions withOnFull(OnFull policy) {
    return new QueueOptions(
        capacity,
        producerWaits,
        consumerWaits,
        policy,
        stallNanos,
        textBytes,
        holdsReferences,
        onOversize);
  }

  /**
   * Returns a copy with a limit on how long a claim may be open, for queues with many producers. A
   * producer that stops between claim and commit then holds up the others no longer than that:
   * consumers skip its claim, and a late commit is rejected. Its slots are out of use until then.
   *
   * <p>A producer that stops within the few instructions between claiming and marking a run holds
   * up the others for one limit per slot or cell, since nothing says yet how long the run is.
   *
   * <p>It costs each claim and each commit one more compare-and-set. The limit counts consumers'
   * checks as well as time: it takes at least 16 checks, each credited with at most a sixteenth of
   * the limit, so after a pause of the whole process no producer counts as stalled.
   *
   * @param limit how long a claim may be open, at least a microsecond; choose it far above the
   *     longest time that a thread may be descheduled
   * @return the changed options
   * @throws IllegalArgumentException if it is shorter
   */
  public QueueOptions withStallLimit(Duration limit) {
    return new QueueOptions(
        capacity,
        producerWaits,
        consumerWaits,
        onFull,
        Checks.nanos("limit", limit),
        textBytes,
        holdsReferences,
        onOversize);
  }

  /**
   * Returns a copy with another size of strings and arrays in the slots of a {@link RecordQueue}.
   *
   * @param bytes how many bytes of a slot each has, unless {@link dev.millrace.flyweight.Utf8 Utf8}
   *     says otherwise
   * @return the changed options
   * @throws IllegalArgumentException if it is not in 1..65,536
   */
  public QueueOptions withTextBytes(int bytes) {
    return new QueueOptions(
        capacity,
        producerWaits,
        consumerWaits,
        onFull,
        stallNanos,
        bytes,
        holdsReferences,
        onOversize);
  }

  /**
   * Returns a copy that lets the records of a {@link RecordQueue} have components of any class. A
   * record with such a component is kept on the heap, as in any queue of the JDK, unless the
   * component is null.
   *
   * @return the changed options
   */
  public QueueOptions withReferences() {
    return new QueueOptions(
        capacity, producerWaits, consumerWaits, onFull, stallNanos, textBytes, true, onOversize);
  }

  /**
   * Returns a copy with another policy for records of a {@link RecordQueue} one of whose values
   * does not fit.
   *
   * @param policy what becomes of them
   * @return the changed options
   * @throws IllegalArgumentException if it is {@code THROW} and records may have references
   */
  public QueueOptions withOnOversize(OnOversize policy) {
    return new QueueOptions(
        capacity,
        producerWaits,
        consumerWaits,
        onFull,
        stallNanos,
        textBytes,
        holdsReferences,
        policy);
  }

  /**
   * Returns a copy with another capacity.
   *
   * @param count the number of records that fit, or of bytes in a {@link MessageQueue}
   * @return the changed options
   */
  public QueueOptions withCapacity(long count) {
    return new QueueOptions(
        count,
        producerWaits,
        consumerWaits,
        onFull,
        stallNanos,
        textBytes,
        holdsReferences,
        onOversize);
  }
}
