package dev.millrace.queues;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.OnOversize;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.messages.MessageQueue;
import java.time.Duration;

/**
 * The options of a queue: its capacity, how each side waits, and what happens when the queue is
 * full or a producer stalls.
 *
 * <p>By default both sides wait with {@link WaitStrategy#sleepingThenParking}. At first, a waiting
 * thread spins and then sleeps, at no cost to the other side. After about a millisecond, the thread
 * parks, and uses no processor time until it is woken. Producers wait by default while the queue is
 * full. A claim may stay open for any length of time, unless there is a stall limit. The operations
 * that never wait ({@code tryClaim}, {@code tryPoll}, {@code drain}) do not use the strategies.
 *
 * @param capacity the number of records that fit, in 1..2<sup>30</sup>. All queues except {@link
 *     RecordQueue} require a power of two, at least 2. For a {@link MessageQueue}, the capacity is
 *     the size of the memory for messages in bytes, a power of two in
 *     2<sup>9</sup>..2<sup>34</sup>. The factory of the queue checks the range
 * @param producerWaits how a producer waits for a free slot
 * @param consumerWaits how a consumer waits for a record
 * @param onFull what {@code claim} does while the queue is full: {@code WAIT} or {@code
 *     DROP_NEWEST}. A {@link RecordQueue} supports only {@code WAIT}. An {@code MpmcQueue} and a
 *     {@code MessageQueue.mpmc} also support {@code DROP_OLDEST}: a producer that finds the queue
 *     full takes out the oldest records, as a consumer would
 * @param stallNanos nanoseconds after which consumers skip a claim that is still open, or {@link
 *     WaitStrategy#FOREVER}
 * @param textBytes the room in bytes for a string or an array in a slot of a {@link RecordQueue},
 *     in 1..65,536, unless {@link dev.millrace.flyweight.Utf8 Utf8} says otherwise. A record with a
 *     longer value is kept on the heap
 * @param holdsReferences whether the records of a {@link RecordQueue} may have components of any
 *     class. If a component whose class cannot be stored in a slot is not null, the record is kept
 *     on the heap
 * @param onOversize what a {@link RecordQueue} does with a record if one of its values does not fit
 * @param repeats what a {@link MessageQueue} in a file does with messages that a consumer had in
 *     hand when its process died: hands them out again, or counts them as lost
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
    OnOversize onOversize,
    boolean repeats) {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleepingThenParking();
  private static final int DEFAULT_TEXT_BYTES = 64;
  private static final int MOST_TEXT_BYTES = 1 << 16;
  private static final long LEAST_STALL_NANOS = 1_000;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if the stall limit is below a microsecond, if {@code
   *     textBytes} is out of range, or if {@code holdsReferences} is true and {@code onOversize} is
   *     {@code THROW}
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
   * Makes options with a given capacity and the defaults for everything else.
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
        OnOversize.SPILL,
        true);
  }

  /**
   * Returns a copy with a different wait strategy for producers.
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
        onOversize,
        repeats);
  }

  /**
   * Returns a copy with a different wait strategy for consumers.
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
        onOversize,
        repeats);
  }

  /**
   * Returns a copy with a different policy for a full queue.
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
        onOversize,
        repeats);
  }

  /**
   * Returns a copy with a stall limit, for queues with many producers. The limit says how long a
   * claim may be open. A producer that stops between claim and commit holds up other threads only
   * until the limit has passed. Once the limit has passed, consumers skip the claim, and a late
   * commit throws an exception. The claim's slots are out of use until its producer commits or
   * aborts.
   *
   * <p>A producer that stops after it has claimed a run, but before it has stored the run's length
   * a few instructions later, holds up other threads for longer. Because consumers do not know the
   * length, they give up the slots or cells of the run one by one, and wait for the full limit each
   * time.
   *
   * <p>With a stall limit, each claim and each commit takes one more compare-and-set. Time counts
   * towards the limit only when a consumer checks the claim. Each check adds at most a sixteenth of
   * the limit, so consumers give up a claim only after at least 16 checks. A pause of the whole
   * process therefore does not make its producers count as stalled.
   *
   * @param limit how long a claim may be open, at least a microsecond; choose it far above the
   *     longest time that a thread may be descheduled
   * @return the changed options
   * @throws IllegalArgumentException if {@code limit} is less than a microsecond
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
        onOversize,
        repeats);
  }

  /**
   * Returns a copy that changes how much room a string or an array has in a slot of a {@link
   * RecordQueue}.
   *
   * @param bytes the room for each string or array in bytes, unless {@link
   *     dev.millrace.flyweight.Utf8 Utf8} says otherwise
   * @return the changed options
   * @throws IllegalArgumentException if {@code bytes} is not in 1..65,536
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
        onOversize,
        repeats);
  }

  /**
   * Returns a copy that lets the records of a {@link RecordQueue} have components of any class. The
   * queue holds a component by reference if its class cannot be stored in a slot. If a component
   * held by reference is not null, the whole record is kept on the heap, as in any JDK queue.
   *
   * @return the changed options
   * @throws IllegalArgumentException if {@code onOversize} is {@code THROW}
   */
  public QueueOptions withReferences() {
    return new QueueOptions(
        capacity,
        producerWaits,
        consumerWaits,
        onFull,
        stallNanos,
        textBytes,
        true,
        onOversize,
        repeats);
  }

  /**
   * Returns a copy with a different policy for records that do not fit into the slots of a {@link
   * RecordQueue}.
   *
   * @param policy what the queue does with records that do not fit
   * @return the changed options
   * @throws IllegalArgumentException if {@code policy} is {@code THROW} and records may have
   *     references
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
        policy,
        repeats);
  }

  /**
   * Returns a copy with which a {@link MessageQueue} in a file counts the messages that a consumer
   * had in hand when its process died, or closed the queue, as lost. By default, such messages are
   * handed out again and marked as repeated. Choose this if handling a message twice is worse than
   * not handling it. The choice is made when the file is made, and is part of the file.
   *
   * @return the changed options
   */
  public QueueOptions withoutRepeats() {
    return new QueueOptions(
        capacity,
        producerWaits,
        consumerWaits,
        onFull,
        stallNanos,
        textBytes,
        holdsReferences,
        onOversize,
        false);
  }

  /**
   * Returns a copy with a different capacity.
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
        onOversize,
        repeats);
  }
}
