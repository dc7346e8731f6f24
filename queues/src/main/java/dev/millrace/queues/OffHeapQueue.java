package dev.millrace.queues;

import dev.millrace.core.Handler;
import dev.millrace.core.Measured;
import dev.millrace.core.NativeMemory;
import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.FlyweightType;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What all queues of records in off-heap memory can do besides moving records, which is up to their
 * ends.
 *
 * <p><b>Roles.</b> Any thread may call any method.
 *
 * <p><b>End.</b> {@link #complete()} is the gentle way: claims throw from then on, consumers get
 * all that was and is committed, and then the queue is drained. Only {@link #close()} frees the
 * memory.
 *
 * <p><b>Metrics.</b> What happened is told from the sequences and stamps that move records, so it
 * costs nothing until somebody asks; that takes time in proportion to the size.
 *
 * <ul>
 *   <li>{@code size}, {@code capacity}: see {@link #sizeEstimate} and {@link #capacity}
 *   <li>{@code highWater}: the largest size that was found when metrics were read
 *   <li>{@code dropped}: records dropped because the queue was full, of a claim of a run as many as
 *       it was to be of
 *   <li>{@code claimed}, {@code committed}, {@code consumed}: records; in an {@link MpmcQueue}
 *       those in the hands of consumers are consumed. What {@link #close} has freed was not
 *       committed. Not of a {@link KFifoQueue}, which has no sequences
 *   <li>{@code aborted}: records that were claimed and given back. In an {@link SpscQueue} they
 *       were not claimed either
 *   <li>{@code stalled}, {@code refused}, {@code outOfUse}: records whose claims were given up
 *       since they were open for too long, those of them that were ended too late, and slots that
 *       are out of use now
 * </ul>
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
public abstract sealed class OffHeapQueue<T> implements AutoCloseable, Measured
    permits RingQueue, KFifoQueue {
  /*
   * A  life.complete in completed  ->  life.isCompleted in isEndKnown that no claim succeeds any
   *                                                                     more
   */
  private static final WaitStrategy DRAIN_CHECKS = new WaitStrategy(0, 0, 100_000);

  private static final List<Metric> COMMON =
      List.of(
          Metric.gauge("size"),
          Metric.gauge("capacity"),
          Metric.gauge("highWater"),
          Metric.counter("dropped"));

  final FlyweightType<T> type;
  private final boolean dropsNewest;
  final Ring ring;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;

  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory;
  private final Sequence dropped = new Sequence();
  private final Sequence highWater = new Sequence();

  /** Makes a queue whose waiting consumers wake up so often, with memory behind its ring. */
  OffHeapQueue(
      FlyweightType<T> type,
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      long consumerRestNanos,
      long extraBytes) {
    this.type = type;
    this.dropsNewest = options.onFull() == OnFull.DROP_NEWEST;
    long strideBytes = Ring.strideBytes(type.layout().sizeBytes());
    this.memory = NativeMemory.allocate(options.capacity() * strideBytes + extraBytes);
    this.ring = new Ring(memory.segment(), strideBytes, options.capacity() - 1L);
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, WaitStrategy.FOREVER);
    this.consumerWaiters = new Waiters(options.consumerWaits(), oneConsumer, consumerRestNanos);
  }

  /** Throws if an argument is null or an option is one that no queue can have. */
  static void checkOptions(FlyweightType<?> type, QueueOptions options) {
    Checks.notNull("type", type);
    Checks.notNull("options", options);
    Checks.powerOfTwoCapacity(options.capacity());
  }

  /** Throws if a full queue is to drop its oldest records, which takes a second consumer. */
  static void checkOneConsumer(QueueOptions options) {
    checkOnFull(options, OnFull.WAIT, OnFull.DROP_NEWEST);
  }

  /** Throws if a full queue is to do what its kind cannot. */
  static void checkOnFull(QueueOptions options, OnFull... supported) {
    if (!List.of(supported).contains(options.onFull())) {
      throw new IllegalArgumentException(
          "onFull must be one that this kind of queue supports, "
              + Arrays.toString(supported)
              + ": onFull="
              + options.onFull());
    }
  }

  static void checkForever(String name, long nanos) {
    if (nanos != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(name + " must be FOREVER: " + name + "=" + nanos);
    }
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

  // ---- the end ----

  /**
   * Completes the queue: no claim succeeds any more, and all that was committed before is
   * delivered. A claim that is open may still be committed, and is then delivered too, or aborted.
   * Wakes whoever waits. Any thread may call it, again and again.
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
  public abstract boolean isCompleted();

  /**
   * Whether nothing more will come: the queue is completed, no claim is open, and all records are
   * released; or it is closed. What consumers did before happens before this returns true.
   *
   * @return whether both sides can stop
   */
  public final boolean isDrained() {
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
  public final boolean awaitDrained(Duration timeout) throws InterruptedException {
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
  public final void close() {
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
  public final int capacity() {
    return (int) (ring.mask() + 1);
  }

  /**
   * About how many records are in the queue: those that are being written count, and in a queue
   * with one consumer those that are being read. In a {@link KFifoQueue} only committed records
   * count, and it takes time in proportion to them.
   *
   * @return an estimate from 0 to the capacity; exact while nobody produces or consumes
   */
  public final int sizeEstimate() {
    return isDrained() ? 0 : (int) Math.clamp(size(), 0L, ring.mask() + 1);
  }

  /** The size by what is not of one moment. */
  abstract long size();

  // ---- metrics ----

  /** The metrics of a kind: those that all have, and its own. */
  static List<Metric> commonAnd(Metric... own) {
    return Stream.concat(COMMON.stream(), Stream.of(own)).toList();
  }

  /** {@inheritDoc} What they mean is said above. */
  @Override
  public abstract List<Metric> metrics();

  /** {@inheritDoc} Allocates nothing. */
  @Override
  public final void readMetrics(long[] values) {
    readMetrics(values, 0);
  }

  /** The same, from an index on. */
  final void readMetrics(long[] values, int from) {
    Objects.checkFromIndexSize(from, metrics().size(), values.length);
    int size = sizeEstimate();
    values[from] = size;
    values[from + 1] = capacity();
    values[from + 2] = highest(size);
    values[from + 3] = droppedCount();
    readOwnMetrics(values, from + COMMON.size());
  }

  /** Reads what the kind has told {@link #commonAnd}. */
  abstract void readOwnMetrics(long[] values, int from);

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

  final long droppedCount() {
    return dropped.getOpaque(); // opaque: a count
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
  public final int snapshot(Handler<? super T> viewer) {
    Checks.notNull("viewer", viewer);
    int shown = 0;
    try (Snapshot<T> snapshot = new Snapshot<>(this)) {
      while (snapshot.takeNext()) {
        shown += snapshot.show(viewer);
      }
    }
    return shown;
  }

  /**
   * Up to which position a consumer has seen that all are committed; may be behind the first. It
   * may be in the midst of a run, of which no stamp tells.
   */
  abstract long seenEnd();

  /** The position of the oldest record that nobody has taken, or before it. */
  abstract long firstPosition();

  /** The position behind all that is claimed, as far as a record may be there. */
  abstract long endPosition();

  /**
   * How many committed records there are from a position on; or less than 0 for as many positions
   * that hold none. What it finds is visible.
   *
   * @param seen what {@link #seenEnd} was
   * @throws IllegalStateException if the memory is freed
   */
  abstract long recordsAt(long position, long seen);

  /** What tells the record at a position from any other that comes to be there. */
  abstract long markAt(long position);

  /** Where the slot of a record with a mark begins. */
  abstract long slotOffset(long mark);

  /** Whether the record at a position has not been freed. */
  abstract boolean isStillThere(long position, long mark);

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
  public final String toString() {
    isDrained(); // or the state may not tell yet
    return getClass().getSimpleName()
        + "[capacity="
        + capacity()
        + ", size~"
        + sizeEstimate()
        + ", "
        + life
        + "]";
  }
}
