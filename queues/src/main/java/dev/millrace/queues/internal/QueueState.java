package dev.millrace.queues.internal;

import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Lifecycle;
import dev.millrace.core.internal.Metrics;
import dev.millrace.core.internal.NativeMemory;
import dev.millrace.core.internal.Waiters;
import dev.millrace.core.internal.ring.StallWatch;
import dev.millrace.queues.QueueOptions;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * What every bounded queue has besides its protocol: the threads that wait, its lifecycle, its
 * memory and its counts. Any thread may call any method.
 */
public final class QueueState {
  /*
   * A  life.complete in noteCompletion     ->  life.isCompleted in      that no claim succeeds any
   *                                            isCompleted              more
   */
  private static final QueueOptions DEFAULTS = QueueOptions.ofCapacity(1);

  /** The producers that wait for room. */
  public final Waiters producerWaiters;

  /** The consumers that wait for a record. */
  public final Waiters consumerWaiters;

  private final boolean dropsNewest;
  private final Lifecycle life = new Lifecycle();
  private final NativeMemory memory; // null if it belongs to the user
  private final Sequence dropped = new Sequence();
  private final Sequence highWater = new Sequence();

  /**
   * Makes the state of an open queue. If {@code oneProducer}, only one producer at a time may wait.
   * If {@code oneConsumer}, only one consumer at a time may wait. {@code memory} is freed at the
   * end. It is null if the memory belongs to the user.
   */
  public QueueState(
      QueueOptions options, boolean oneProducer, boolean oneConsumer, NativeMemory memory) {
    this(options, oneProducer, oneConsumer, memory, WaitStrategy.FOREVER);
  }

  /** The same, but no thread rests for longer than the limit between two attempts. */
  public QueueState(
      QueueOptions options,
      boolean oneProducer,
      boolean oneConsumer,
      NativeMemory memory,
      long restNanos) {
    this.dropsNewest = options.onFull() == OnFull.DROP_NEWEST;
    this.memory = memory;
    this.producerWaiters = new Waiters(options.producerWaits(), oneProducer, restNanos);
    // consumers that check for stalled claims must wake up often enough to find them in time
    this.consumerWaiters =
        new Waiters(
            options.consumerWaits(),
            oneConsumer,
            Math.min(restNanos, StallWatch.lookNanos(options.stallNanos())));
  }

  /** Throws if a kind of queue does not support the {@code onFull} policy of {@code options}. */
  public static void checkOnFull(QueueOptions options, OnFull... supported) {
    if (!List.of(supported).contains(options.onFull())) {
      throw new IllegalArgumentException(
          "onFull must be one of %s in this kind of queue: onFull=%s"
              .formatted(List.of(supported), options.onFull()));
    }
  }

  /** Throws if {@code options} sets a stall limit, which the kind of queue does not need. */
  public static void checkNoStallLimit(QueueOptions options) {
    if (options.stallNanos() != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(
          "stallNanos must be FOREVER in this kind of queue: stallNanos=" + options.stallNanos());
    }
  }

  /** Throws if {@code options} has settings that only a queue of Java records supports. */
  public static void checkForViews(QueueOptions options) {
    if (options.textBytes() != DEFAULTS.textBytes() || options.holdsReferences()) {
      throw new IllegalArgumentException(
          "textBytes and holdsReferences are for a RecordQueue alone: textBytes=%d, holdsReferences=%s"
              .formatted(options.textBytes(), options.holdsReferences()));
    }
  }

  /** Throws if {@code options} has a setting that only a queue between processes supports. */
  public static void checkForOneProcess(QueueOptions options) {
    if (!options.repeats()) {
      throw new IllegalArgumentException(
          "withoutRepeats is for a queue in a file alone: repeats=false");
    }
  }

  // ---- the end ----

  /**
   * Marks the queue as completed and wakes all waiting threads. Called once no claim succeeds any
   * more.
   */
  public void noteCompletion() {
    life.complete(); // release A: no claim succeeds any more
    producerWaiters.signal();
    consumerWaiters.signal();
  }

  /**
   * Returns whether the completion was noted. If so, no claim succeeds any more, and the number of
   * claims is final. Also true once the queue is closed.
   */
  public boolean isCompleted() {
    return life.isCompleted(); // acquire A: what is claimed is final
  }

  /**
   * Returns whether an earlier call found that nothing was left. Also true once the queue is
   * closed.
   */
  public boolean isDrained() {
    return life.isDrained();
  }

  /**
   * Records that a completed queue has nothing left, because its counts may still change for a
   * moment.
   */
  public void noteDrained() {
    life.drain();
  }

  /**
   * Closes a completed queue. Returns true if it was not closed before. Then the caller must call
   * {@link #freeMemory}.
   */
  public boolean close() {
    boolean isFirst = life.close();
    if (isFirst) {
      consumerWaiters.signal(); // consumers that wait for a claim that will never end now
    }
    return isFirst;
  }

  /**
   * Frees the memory, unless it belongs to the user. Messages about the memory name {@code owner},
   * which is the queue.
   */
  public void freeMemory(Object owner) {
    if (memory != null) {
      memory.close(owner);
    }
  }

  // ---- records that are dropped ----

  /**
   * Refuses a claim if the queue drops the newest records, and counts its {@code count} records as
   * dropped. Called when a claim without a timeout finds the queue full. Returns whether the claim
   * is refused.
   */
  public boolean tryRefuse(int count) {
    if (dropsNewest) {
      countDropped(count);
    }
    return dropsNewest;
  }

  /** Counts records that are dropped because the queue is full. */
  public void countDropped(int count) {
    dropped.getAndAddPlain(count); // atomic: a count
  }

  // ---- metrics ----

  /**
   * Makes the metrics that every queue has. Each kind of queue may add its own. The functions
   * return a queue's state, size and capacity.
   */
  public static <Q> Metrics<Q> metricsOf(
      Function<Q, QueueState> state, ToIntFunction<Q> size, ToIntFunction<Q> capacity) {
    return Metrics.<Q>none()
        .counter("dropped", queue -> state.apply(queue).dropped.getOpaque()) // opaque: a count
        // read after the size, because reading the size updates it
        .gauge("highWater", queue -> state.apply(queue).highWater.getOpaque()) // opaque: a count
        .gauge("size", queue -> state.apply(queue).noted(size.applyAsInt(queue)))
        .gauge("capacity", capacity::applyAsInt);
  }

  /** Returns {@code size}, after noting it if it is the highest so far. */
  private int noted(int size) {
    long high = highWater.getOpaque(); // opaque: a count
    // atomic: the highest of several readers' sizes stays
    while (size > high && !highWater.weakCompareAndSetPlain(high, size)) {
      high = highWater.getOpaque(); // opaque: a count
    }
    return size;
  }

  /** Returns the state of the queue's lifecycle, for debugging. */
  @Override
  public String toString() {
    return life.toString();
  }
}
