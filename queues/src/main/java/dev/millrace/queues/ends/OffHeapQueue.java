package dev.millrace.queues.ends;

import dev.millrace.core.NativeMemory;
import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.Ring;
import dev.millrace.core.internal.Waiters;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.QueueOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

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
 * @param <T> the view of a record
 * @since 0.1.0
 */
public abstract sealed class OffHeapQueue<T> implements AutoCloseable
    permits SpscQueue, StampedQueue, KFifoQueue {
  /*
   * A  life.complete in completed  ->  life.isCompleted in isEndKnown that no claim succeeds any
   *                                                                     more
   */
  private static final WaitStrategy DRAIN_CHECKS =
      new WaitStrategy(0, 0, 100_000, WaitStrategy.FOREVER);

  final Ring ring;
  final Waiters producerWaiters;
  final Waiters consumerWaiters;

  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory;

  /** Makes a queue whose waiting consumers wake up so often, with memory behind its ring. */
  OffHeapQueue(
      FlyweightType<T> type,
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      long consumerRestNanos,
      long extraBytes) {
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
    checkForever("producerWaits.timeLimitNanos", options.producerWaits().timeLimitNanos());
    checkForever("consumerWaits.timeLimitNanos", options.consumerWaits().timeLimitNanos());
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

  static boolean drops(QueueOptions options) {
    return options.onFull() == OnFull.DROP_NEWEST;
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
  public abstract int sizeEstimate();

  /** The size of a queue by its sequences, which need not be of one moment. */
  final int size(long head, long end) {
    return (int) Math.clamp(end - head, 0L, ring.mask() + 1);
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
