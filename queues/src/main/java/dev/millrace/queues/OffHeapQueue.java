package dev.millrace.queues;

import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.StallWatch;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.FlyweightType;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What all queues of records in off-heap memory can do besides moving records, which is up to their
 * ends. Any thread may call any method.
 *
 * <p>Not public: users name the kinds. Public methods are not final, so that javac adds bridges to
 * the kinds, by which reflection from other packages can call them.
 *
 * @param <T> the view of a record
 */
abstract sealed class OffHeapQueue<T> implements AutoCloseable, Measured
    permits SpscQueue, StampedQueue, KFifoQueue {
  /*
   * A  life.complete in completed          ->  life.isCompleted in      that no claim succeeds any
   *                                            isEndKnown               more
   * B  head.setRelease in                  ->  head.getAcquire in       the rest of the run of what
   *    SpscConsumer.release and                firstPosition            was released
   *    MpscConsumer.free
   */
  private static final WaitStrategy DRAIN_CHECKS = new WaitStrategy(0, 0, 100_000);

  private static final List<String> COUNTERS = List.of("dropped");
  private static final List<String> GAUGES = List.of("size", "capacity", "highWater");

  final FlyweightType<T> type;
  final Ring ring;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;

  /** Up to which sequence slots are released, or polled; a {@link KFifoQueue} has words in it. */
  final Sequence head = new Sequence();

  private final boolean dropsNewest;

  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory;
  private final Sequence dropped = new Sequence();
  private final Sequence highWater = new Sequence();

  /** Makes a queue, with memory behind its ring. */
  OffHeapQueue(
      FlyweightType<T> type,
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      long extraBytes) {
    this.type = type;
    this.dropsNewest = options.onFull() == OnFull.DROP_NEWEST;
    long strideBytes = Ring.strideBytes(type.layout().sizeBytes());
    this.memory = NativeMemory.allocate(options.capacity() * strideBytes + extraBytes);
    this.ring = new Ring(memory.segment(), strideBytes, options.capacity() - 1L);
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, WaitStrategy.FOREVER);
    // consumers that look for stalled claims must wake up often enough to find them in time
    this.consumerWaiters =
        new Waiters(
            options.consumerWaits(), oneConsumer, StallWatch.lookNanos(options.stallNanos()));
  }

  /** Throws if an argument is null or an option is one that the kind of queue cannot have. */
  static void checkOptions(FlyweightType<?> type, QueueOptions options, OnFull... supported) {
    Checks.notNull("type", type);
    Checks.notNull("options", options);
    Checks.powerOfTwoCapacity(options.capacity());
    options.checkOnFull(supported);
  }

  // ---- what the kinds know ----

  /** Lets no claim succeed from now on; what was claimed before is known exactly afterwards. */
  abstract void closeToProducers();

  /** Whether no claim succeeds any more, and what was claimed is final; cheap to ask often. */
  boolean isEndKnown() {
    return life.isCompleted(); // acquire A: hence what is claimed is final
  }

  /**
   * Whether no record is left, nor a claim that may become one; asked once {@link #isEndKnown} is
   * true.
   */
  abstract boolean isConsumed();

  /**
   * Whether at some moment of the call there was neither a record nor an open claim; for who has
   * polled in vain. Unless the polls of a kind are relaxed, that says it already.
   */
  boolean isEmpty() {
    return true;
  }

  // ---- the end ----

  /**
   * Completes the queue: no claim succeeds any more, and all that was committed before is
   * delivered. A claim that is open may still be committed, and is then delivered too, or aborted.
   * Wakes whoever waits. Any thread may call it, again and again.
   *
   * <p>Takes some tens of microseconds in an {@link SpscQueue}; {@link SpscProducer#close()} does
   * the same in no time.
   */
  public void complete() {
    closeToProducers();
    completed();
  }

  /** To be called once no claim succeeds any more. */
  final void completed() {
    life.complete(); // release A: no claim succeeds any more
    producerWaiters.signal();
    consumerWaiters.signal();
  }

  /**
   * Whether producers have completed, or the queue is closed.
   *
   * @return whether claims throw
   */
  public boolean isCompleted() {
    return isEndKnown();
  }

  /**
   * Whether nothing more will come: the queue is completed, no claim is open, and all records are
   * released; or it is closed. What consumers did before happens before this returns true.
   *
   * @return whether both sides can stop
   */
  public boolean isDrained() {
    if (life.isDrained()) {
      return true;
    }
    if (!isEndKnown() || !isConsumed()) {
      return false;
    }
    life.drain(); // noted, since what is looked at may change for a moment
    return true;
  }

  /**
   * Waits until the queue is drained; completes nothing itself.
   *
   * @param timeout how long to wait
   * @return whether it is drained
   * @throws InterruptedException if the thread is interrupted meanwhile
   */
  public boolean awaitDrained(Duration timeout) throws InterruptedException {
    return new Waiters(DRAIN_CHECKS, true, WaitStrategy.FOREVER)
        .await(this::isDrained, Checks.nanos("timeout", timeout));
  }

  /**
   * Closes the queue: completes it, wakes whoever waits, and frees the memory. Records that are
   * left are lost. May be repeated.
   *
   * <p>Let both sides stop before: after {@link #awaitDrained} they have. A thread that is still at
   * work finds the queue empty, or gets an {@link IllegalStateException} from a claim, a commit or
   * a view; and where its access to the memory was cut short, the JDK has set its interrupt status.
   */
  @Override
  public void close() {
    complete();
    if (life.close()) {
      consumerWaiters.signal(); // who waits for the end of a claim that now never ends
      memory.close();
    }
  }

  // ---- numbers ----

  /**
   * The number of records that fit.
   *
   * @return the capacity
   */
  public int capacity() {
    return (int) (ring.mask() + 1);
  }

  /**
   * About how many records are in the queue: those that are being written count, and in a queue
   * with one consumer those that are being read. In a {@link KFifoQueue} only committed records
   * count, and it takes time in proportion to them.
   *
   * @return an estimate from 0 to the capacity; exact while nobody produces or consumes
   */
  public int sizeEstimate() {
    return isDrained() ? 0 : (int) Math.clamp(size(), 0L, ring.mask() + 1);
  }

  /** The size by what is not of one moment. */
  long size() {
    long first = head.getOpaque(); // opaque: an estimate
    return endPosition() - first;
  }

  // ---- metrics ----

  /** The counters of a kind: those that all have, and its own. */
  static List<String> commonAnd(String... counters) {
    return Stream.concat(COUNTERS.stream(), Stream.of(counters)).toList();
  }

  /**
   * {@inheritDoc} They come from the sequences and stamps that move records, so it costs nothing
   * until somebody asks; that takes time in proportion to the size.
   *
   * <ul>
   *   <li>{@code size}, {@code capacity}: see {@link #sizeEstimate} and {@link #capacity}
   *   <li>{@code highWater}: the largest size that was found when metrics were read
   *   <li>{@code dropped}: records dropped because the queue was full; of a claim of a run, as many
   *       as were asked for
   *   <li>{@code claimed}, {@code committed}, {@code consumed}: records; in an {@link MpmcQueue}
   *       those in the hands of consumers are consumed. What {@link #close} has freed was not
   *       committed. A {@link KFifoQueue} has no sequences, hence none of these and of those below
   *   <li>{@code aborted}: records that were claimed and given back. In an {@link SpscQueue}, which
   *       does not have this metric, they were not claimed either
   *   <li>{@code stalled}, {@code refused}, {@code outOfUse}, with many producers: records whose
   *       claims were given up because they were open for too long, those of them that were ended
   *       too late, and slots that are out of use now
   * </ul>
   */
  @Override
  public List<String> counters() {
    return COUNTERS;
  }

  /** {@inheritDoc} See {@link #counters}. */
  @Override
  public List<String> gauges() {
    return GAUGES;
  }

  /** {@inheritDoc} Allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    int counters = counters().size();
    Objects.checkFromIndexSize(counters, gauges().size(), values.length);
    readMetrics(values, 0, counters);
  }

  /** Reads the counters and the gauges, each from an index on. */
  void readMetrics(long[] values, int counters, int gauges) {
    int size = sizeEstimate();
    values[counters] = dropped.getOpaque(); // opaque: a count
    values[gauges] = size;
    values[gauges + 1] = capacity();
    values[gauges + 2] = highest(size);
  }

  private long highest(int size) {
    long high = highWater.getOpaque(); // opaque: a count
    // atomic: the highest of several readers' stays
    while (size > high && !highWater.weakCompareAndSetPlain(high, size)) {
      high = highWater.getOpaque(); // opaque: a count
    }
    return Math.max(high, size);
  }

  /** Whether a claim without a timeout that finds the queue full gives up, and counts it. */
  final boolean refuses(int count) {
    if (dropsNewest) {
      countDropped(count);
    }
    return dropsNewest;
  }

  /** Counts records that are dropped because the queue is full. */
  final void countDropped(int count) {
    dropped.getAndAddAcquire(count); // atomic: a count
  }

  // ---- records as others see them ----

  /**
   * Shows copies of the committed records that nobody has taken, oldest first, and leaves them
   * where they are: for debugging. Where one consumer polls, what it has in hand is shown too. A
   * record that is taken during the call may be left out. Allocates, makes all threads pass a
   * fence, and takes time in proportion to the queue's size. Any thread may ask.
   *
   * @param viewer is given a view on the copy of each record, which is overwritten afterwards
   * @return how many were shown
   */
  public int snapshot(Handler<? super T> viewer) {
    Checks.notNull("viewer", viewer);
    try (Snapshot<T> snapshot = new Snapshot<>(this)) {
      return snapshot.showAll(viewer);
    }
  }

  // A position is a sequence, unless a kind says otherwise.

  /**
   * Up to which position a consumer has seen that all are committed, if it may be in the midst of a
   * run, of which no stamp tells; may be behind the first.
   */
  long seenEnd() {
    return 0; // each record has its stamp
  }

  /** The position of the oldest record that nobody has taken, or before it. */
  long firstPosition() {
    return head.getAcquire(); // acquire B: the run that it is in the midst of
  }

  /** The position behind all that is claimed, as far as a record may be there. */
  abstract long endPosition();

  /** As {@link #recordsAt}, by the stamp of a position alone. */
  abstract long stampedAt(long position);

  /**
   * How many committed records there are from a position on; or less than 0 for as many positions
   * that hold none. What it finds is visible. A record below what was seen that no stamp tells of
   * is in the run that the head is amid.
   *
   * @param seen what {@link #seenEnd} was
   * @throws IllegalStateException if the memory is freed
   */
  final long recordsAt(long position, long seen) {
    long stamped = stampedAt(position);
    return stamped < 0 && position < seen ? 1 : stamped;
  }

  /**
   * What tells the record at a position from any other that comes to be there; 0 if it was freed or
   * there is none.
   */
  long markAt(long position) {
    return head.getOpaque() <= position ? position + 1 : 0; // opaque: a fence orders it in Snapshot
  }

  /** Where the slot of a record with a mark begins. */
  long slotOffset(long mark) {
    return ring.offset(mark - 1);
  }

  /** How many committed records there are from a position on. */
  final long committedFrom(long first) {
    long count = 0;
    try {
      long end = isDrained() ? first : endPosition();
      long seen = seenEnd();
      for (long position = first; position < end; ) {
        long records = recordsAt(position, seen);
        count += Math.clamp(records, 0, end - position);
        position += Math.abs(records);
      }
    } catch (IllegalStateException e) {
      return 0; // the memory is freed
    }
    return count;
  }

  /** Returns kind, capacity, size and state, for debugging. */
  @Override
  public String toString() {
    isDrained(); // or the state may not tell yet
    return "%s[capacity=%d, size~%d, %s]"
        .formatted(getClass().getSimpleName(), capacity(), sizeEstimate(), life);
  }
}
