package dev.millrace.queues;

import dev.millrace.core.Handler;
import dev.millrace.core.OnFull;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.Ring;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.internal.Checks;
import dev.millrace.queues.internal.BoundedQueue;
import dev.millrace.queues.internal.QueueState;
import java.time.Duration;
import java.util.List;

/**
 * Common API of the bounded queues of records, except for moving records, which their producers and
 * consumers do. Any thread may call any method.
 *
 * <p>Not public: users name the subclasses. Public methods are not final, so that javac adds
 * bridges to the subclasses, through which reflection from other packages can call them.
 *
 * @param <T> the view of a record
 */
abstract sealed class OffHeapQueue<T> implements BoundedQueue<T> permits RingQueue, KFifoQueue {
  /** Of every kind. */
  static final Metrics<OffHeapQueue<?>> METRICS =
      QueueState.metricsOf(
          queue -> queue.state, OffHeapQueue::sizeEstimate, OffHeapQueue::capacity);

  final FlyweightType<T> type;
  final Ring ring;
  final QueueState state;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;

  /** Makes a queue, with extra memory after its ring. */
  OffHeapQueue(
      FlyweightType<T> type,
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      long extraBytes) {
    long strideBytes = Ring.strideBytes(type.layout().sizeBytes());
    NativeMemory memory = NativeMemory.allocate(options.capacity() * strideBytes + extraBytes);
    this.type = type;
    this.ring = new Ring(memory.segment(), strideBytes, options.capacity() - 1L);
    this.state = new QueueState(options, oneProducer, oneConsumer, memory);
    this.producerWaiters = state.producerWaiters;
    this.consumerWaiters = state.consumerWaiters;
  }

  /** Throws if an argument is null or the kind of queue does not support an option. */
  static void checkOptions(FlyweightType<?> type, QueueOptions options, OnFull... supported) {
    Checks.notNull("type", type);
    Checks.notNull("options", options);
    Checks.powerOfTwoCapacity(options.capacity());
    QueueState.checkOnFull(options, supported);
    QueueState.checkForViews(options);
  }

  // ---- what subclasses define ----

  /** Lets no claim succeed from now on; afterwards it is known exactly what was claimed before. */
  abstract void closeToProducers();

  /** Whether no claim succeeds any more, and what was claimed is final; cheap to call often. */
  boolean isEndKnown() {
    return state.isCompleted();
  }

  /**
   * Whether no record is left, nor a claim that may become one; called only once {@link
   * #isEndKnown} is true.
   */
  abstract boolean isConsumed();

  // ---- the end ----

  /**
   * Completes the queue: no claim succeeds any more, and all that was committed before is
   * delivered. An open claim may still be committed, and is then delivered too, or aborted. Wakes
   * all waiting threads. Any thread may call it, repeatedly.
   *
   * <p>In an {@link SpscQueue} it makes all threads of the process execute a fence, which takes
   * tens of microseconds, or hundreds with a thousand threads; {@link SpscProducer#close()} does
   * the same without that delay. That completion is exact there rests on how HotSpot closes shared
   * memory. On a JVM of another kind each claim executes a fence instead.
   */
  @Override
  public void complete() {
    closeToProducers();
    state.noteCompletion();
  }

  /**
   * Whether producers have completed, or the queue is closed.
   *
   * @return whether claims throw
   */
  @Override
  public boolean isCompleted() {
    return isEndKnown();
  }

  /**
   * Whether no more records will come: the queue is completed, no claim is open, and all records
   * are released; or it is closed. What consumers did before happens before this returns true.
   *
   * @return whether both sides can stop
   */
  @Override
  public boolean isDrained() {
    if (state.isDrained()) {
      return true;
    }
    if (!isEndKnown() || !isConsumed()) {
      return false;
    }
    state.noteDrained();
    return true;
  }

  /**
   * Waits until the queue is drained; does not complete it.
   *
   * @param timeout how long to wait
   * @return whether it is drained
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  @Override
  public boolean awaitDrained(Duration timeout) throws InterruptedException {
    return Waiters.awaitUnsignalled(this::isDrained, Checks.nanos("timeout", timeout));
  }

  /**
   * Closes the queue: completes it, wakes all waiting threads, and frees the memory. Remaining
   * records are lost. May be called repeatedly.
   *
   * <p>Stop both sides first: after {@link #awaitDrained} they have stopped. A thread that is still
   * at work finds the queue empty, or gets an {@link IllegalStateException} from a claim, a commit
   * or a view; and if its memory access was cut short, the JDK leaves its interrupt status set.
   */
  @Override
  public void close() {
    complete();
    if (state.close()) {
      state.freeMemory(this);
      memoryFreed();
    }
  }

  /** Called after the memory was freed: a consumer that has seen more records must forget them. */
  void memoryFreed() {}

  // ---- numbers ----

  /**
   * The number of records that fit.
   *
   * @return the capacity
   */
  @Override
  public int capacity() {
    return (int) (ring.mask() + 1);
  }

  /**
   * About how many records are in the queue. Those being written count, and in a queue with one
   * consumer also those being read. In a {@link KFifoQueue} only committed records count, and the
   * call takes time proportional to their number.
   *
   * @return an estimate from 0 to the capacity; exact while no thread produces or consumes
   */
  @Override
  public int sizeEstimate() {
    return isDrained() ? 0 : (int) Math.clamp(size(), 0L, ring.mask() + 1);
  }

  /** The size, from values that are not read at one moment. */
  abstract long size();

  // ---- metrics ----

  /**
   * {@inheritDoc} They are derived from the sequences and stamps that move records, so they cost
   * nothing until they are read; reading takes time proportional to the size.
   *
   * <ul>
   *   <li>{@code size}, {@code capacity}: see {@link #sizeEstimate} and {@link #capacity}
   *   <li>{@code highWater}: the largest size that was found when metrics were read
   *   <li>{@code dropped}: records dropped because the queue was full; for a claim of a run, as
   *       many as were requested
   *   <li>{@code claimed}, {@code committed}, {@code consumed}: records; in an {@link MpmcQueue}
   *       those in the hands of consumers count as consumed. What {@link #close} has freed does not
   *       count as committed. A {@link KFifoQueue} has no sequences, hence none of these and of
   *       those below
   *   <li>{@code aborted}: records that were claimed and given back. In an {@link SpscQueue}, which
   *       does not have this metric, they do not count as claimed either
   *   <li>{@code stalled}, {@code refused}, {@code outOfUse}, with many producers: records whose
   *       claims were given up because they were open for too long, those of them whose producer
   *       ended them too late, and slots that are out of use now
   * </ul>
   */
  @Override
  public List<String> counters() {
    return measured().counters();
  }

  /** {@inheritDoc} See {@link #counters}. */
  @Override
  public List<String> gauges() {
    return measured().gauges();
  }

  /** {@inheritDoc} Allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    measured().read(this, values);
  }

  /** What is measured of this kind of queue. */
  Metrics<OffHeapQueue<?>> measured() {
    return METRICS;
  }

  // ---- snapshots ----

  /**
   * Shows copies of the committed records that are not yet taken, oldest first, without removing
   * them; for debugging. In a queue with one consumer, the records that it has in hand are shown
   * too. A record that is taken during the call may be left out. Allocates, makes all threads
   * execute a fence, and takes time proportional to the queue's size. Any thread may call it.
   *
   * @param viewer receives a view of the copy of each record, which is overwritten afterwards
   * @return how many were shown
   */
  @Override
  public int snapshot(Handler<? super T> viewer) {
    Checks.notNull("viewer", viewer);
    try (Snapshot<T> snapshot = new Snapshot<>(this)) {
      return snapshot.showAll(viewer);
    }
  }

  // A position is a sequence, unless a kind says otherwise.

  /**
   * The end of what a consumer has seen committed, where it may be inside a run whose other slots
   * have no stamps; may be lower than the first position.
   */
  long seenEnd() {
    return 0; // each record has its stamp
  }

  /** The position of the oldest record that is not yet taken, or a lower one. */
  abstract long firstPosition();

  /** The position after everything claimed that may hold a record. */
  abstract long endPosition();

  /**
   * Like {@link #recordsAt}, from the stamp of the position alone; 0 if that does not show what the
   * slot holds.
   */
  abstract long stampedAt(long position);

  /**
   * How many committed records there are from a position on, or minus the number of positions that
   * hold none. The bytes of the records found are visible. A record below {@code seen} without a
   * stamp of its own is in the run that the head is inside.
   *
   * @param seen what {@link #seenEnd} was
   * @throws IllegalStateException if the memory is freed
   */
  final long recordsAt(long position, long seen) {
    long stamped = stampedAt(position);
    return stamped != 0 ? stamped : position < seen ? 1 : -1;
  }

  /**
   * A mark that distinguishes the record at a position from any later one there; 0 if it was freed
   * or there is none.
   */
  abstract long markAt(long position);

  /** The offset of the slot of the record with a mark. */
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
    isDrained(); // so that the state shows it
    return "%s[capacity=%d, size~%d, %s]"
        .formatted(getClass().getSimpleName(), capacity(), sizeEstimate(), state);
  }
}
