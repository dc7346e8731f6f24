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
 * The common API of the bounded queues of records. Records themselves are moved by the queue's
 * producers and consumers. Any thread may call any method.
 *
 * <p>This class is not public, because users name the subclasses. Its public methods are not final.
 * That makes javac add bridges to the subclasses, through which reflection from other packages can
 * call the methods.
 *
 * @param <T> the view of a record
 */
abstract sealed class OffHeapQueue<T> implements BoundedQueue<T> permits RingQueue, KFifoQueue {
  /** The metrics of every kind of queue. */
  static final Metrics<OffHeapQueue<?>> METRICS =
      QueueState.metricsOf(
          queue -> queue.state, OffHeapQueue::sizeEstimate, OffHeapQueue::capacity);

  final FlyweightType<T> type;
  final Ring ring;
  final QueueState state;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;

  /** Makes a queue with extra memory after its ring. */
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
    QueueState.checkForOneProcess(options);
  }

  // ---- what subclasses define ----

  /**
   * Makes all claims fail from now on. After the call it is known exactly what was claimed before
   * it.
   */
  abstract void closeToProducers();

  /**
   * Returns whether no claim can succeed any more and the set of claims is final. It is cheap
   * enough to call often.
   */
  boolean isEndKnown() {
    return state.isCompleted();
  }

  /**
   * Returns whether neither a record is left nor a claim that may become one. Called only once
   * {@link #isEndKnown} is true.
   */
  abstract boolean isConsumed();

  // ---- the end ----

  /**
   * Completes the queue, so that no claim succeeds any more. Everything committed before the call
   * is delivered. An open claim may still be aborted or committed. If the claim is committed, its
   * records are delivered too. The call wakes all waiting threads. Any thread may call this method,
   * any number of times.
   *
   * <p>In an {@link SpscQueue}, the call makes all threads of the process execute a fence, which
   * takes tens of microseconds, or hundreds of microseconds in a process with a thousand threads.
   * {@link SpscProducer#close()} completes the queue without this fence. The fence relies on how
   * HotSpot closes shared memory. On a JVM that is not derived from HotSpot, each claim executes a
   * fence instead.
   */
  @Override
  public void complete() {
    closeToProducers();
    state.noteCompletion();
  }

  /**
   * Returns whether the queue is completed or closed.
   *
   * @return whether claims throw
   */
  @Override
  public boolean isCompleted() {
    return isEndKnown();
  }

  /**
   * Returns whether no more records will come, because the queue either is closed, or is completed
   * and has no open claim and no unreleased record. When this method returns true, everything the
   * consumers did before their releases is visible to the caller.
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
   * Waits until the queue is drained. This method does not complete the queue.
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
   * records are lost. Repeated calls are allowed.
   *
   * <p>Stop both sides first, for example with {@link #complete} and {@link #awaitDrained}. A
   * thread that is still working finds the queue empty, or gets an {@link IllegalStateException}
   * from a claim, a commit or a view. If closing cuts short a memory access of that thread, the JDK
   * leaves the thread's interrupt status set.
   */
  @Override
  public void close() {
    complete();
    if (state.close()) {
      state.freeMemory(this);
      memoryFreed();
    }
  }

  /** Called after the memory was freed. A consumer that knows of more records must forget them. */
  void memoryFreed() {}

  // ---- numbers ----

  /**
   * Returns the number of records that fit.
   *
   * @return the capacity
   */
  @Override
  public int capacity() {
    return (int) (ring.mask() + 1);
  }

  /**
   * Returns an estimate of the number of records in the queue. The estimate includes records that
   * are being written and, in a queue with one consumer, records that are being read. In a {@link
   * KFifoQueue} only committed records count, and the call takes time proportional to the number of
   * these records.
   *
   * @return an estimate from 0 to the capacity; exact while no thread produces or consumes
   */
  @Override
  public int sizeEstimate() {
    return isDrained() ? 0 : (int) Math.clamp(size(), 0L, ring.mask() + 1);
  }

  /** Returns the size, computed from values that are read at slightly different moments. */
  abstract long size();

  // ---- metrics ----

  /**
   * {@inheritDoc} The numbers are derived from the sequences and stamps that move records, so they
   * cost nothing until they are read. Reading the numbers takes time proportional to the number of
   * records in the queue.
   *
   * <ul>
   *   <li>{@code size}, {@code capacity}: see {@link #sizeEstimate} and {@link #capacity}
   *   <li>{@code highWater}: the largest size found so far when metrics were read
   *   <li>{@code dropped}: records dropped because the queue was full. A dropped claim of a run
   *       counts as many records as were requested
   *   <li>{@code claimed}, {@code committed}, {@code consumed}: how many records were claimed,
   *       committed and consumed. In an {@link MpmcQueue}, records that consumers have in hand
   *       count as consumed. Records that {@link #close} has freed do not count as committed. A
   *       {@link KFifoQueue} has no sequences, so it has neither these three metrics nor {@code
   *       aborted}, {@code stalled}, {@code refused} and {@code outOfUse}
   *   <li>{@code aborted}: records that were claimed and given back. An {@link SpscQueue} lacks
   *       this metric, and does not count aborted records as claimed either
   *   <li>{@code stalled}, {@code refused} and {@code outOfUse}, in queues with many producers:
   *       {@code stalled} counts the records whose claims were given up because they were open for
   *       too long. {@code refused} counts the records of given-up claims that the producer has
   *       since tried to commit or abort. {@code outOfUse} counts the slots of given-up claims, as
   *       long as producers cannot claim these slots again
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

  /** {@inheritDoc} The call allocates nothing. */
  @Override
  public void readMetrics(long[] values) {
    measured().read(this, values);
  }

  /** Returns the metrics of this kind of queue. */
  Metrics<OffHeapQueue<?>> measured() {
    return METRICS;
  }

  // ---- snapshots ----

  /**
   * Shows copies of the committed records that are not yet taken, oldest first, without removing
   * them. This method is meant for debugging. In a queue with one consumer, the records that the
   * consumer has in hand are shown too. The viewer may not see a record that is taken during the
   * call. The call allocates memory, makes all threads execute a fence, and takes time proportional
   * to the queue's size. Any thread may call it.
   *
   * @param viewer receives a view of each record's copy; the copy is valid only during the call
   * @return how many were shown
   */
  @Override
  public int snapshot(Handler<? super T> viewer) {
    Checks.notNull("viewer", viewer);
    try (Snapshot<T> snapshot = new Snapshot<>(this)) {
      return snapshot.showAll(viewer);
    }
  }

  // A position is a sequence, unless a subclass says otherwise.

  /**
   * Returns the end of the records that the consumer has seen committed. The consumer may be inside
   * a run, whose other slots have no stamps. The result may be lower than the first position.
   */
  long seenEnd() {
    return 0; // every record has a stamp
  }

  /** Returns the position of the oldest record that is not yet taken, or a lower position. */
  abstract long firstPosition();

  /** Returns the position after the last claim that may hold a record. */
  abstract long endPosition();

  /**
   * Returns the same as {@link #recordsAt}, but from the stamp at {@code position} alone. Returns 0
   * if the stamp does not show what the slot holds.
   */
  abstract long stampedAt(long position);

  /**
   * Returns how many committed records there are, starting at {@code position}, or minus the number
   * of positions that hold none. The bytes of the records found are visible. A record below {@code
   * seen} without a stamp of its own is in the run that the head is inside.
   *
   * @param seen the result of an earlier {@link #seenEnd}
   * @throws IllegalStateException if the memory is freed
   */
  final long recordsAt(long position, long seen) {
    long stamped = stampedAt(position);
    return stamped != 0 ? stamped : position < seen ? 1 : -1;
  }

  /**
   * Returns a mark that distinguishes the record at {@code position} from any later record there.
   * Returns 0 if there is no record, or if it was freed.
   */
  abstract long markAt(long position);

  /** Returns the offset of the slot whose record has {@code mark}. */
  long slotOffset(long mark) {
    return ring.offset(mark - 1);
  }

  /** Returns how many committed records there are, starting at the position {@code first}. */
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

  /** Returns the kind, capacity, size and state, for debugging. */
  @Override
  public String toString() {
    isDrained(); // updates the state shown below
    return "%s[capacity=%d, size~%d, %s]"
        .formatted(getClass().getSimpleName(), capacity(), sizeEstimate(), state);
  }
}
