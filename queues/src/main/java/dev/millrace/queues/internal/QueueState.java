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
 * What every bounded queue has besides its protocol: the threads that wait, how far its life is,
 * its memory, and counts. Any thread may call any method.
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
  private final NativeMemory memory; // null if it is the user's
  private final Sequence dropped = new Sequence();
  private final Sequence highWater = new Sequence();

  /**
   * Makes the state of an open queue. Only one producer at a time waits if {@code oneProducer}, and
   * only one consumer if {@code oneConsumer}. The memory is freed at the end; null if it is the
   * user's.
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

  /** Throws if a kind of queue does not support the {@code onFull} policy of its options. */
  public static void checkOnFull(QueueOptions options, OnFull... supported) {
    if (!List.of(supported).contains(options.onFull())) {
      throw new IllegalArgumentException(
          "onFull must be one of %s in this kind of queue: onFull=%s"
              .formatted(List.of(supported), options.onFull()));
    }
  }

  /** Throws if there is a stall limit, which a kind of queue does not need. */
  public static void checkNoStallLimit(QueueOptions options) {
    if (options.stallNanos() != WaitStrategy.FOREVER) {
      throw new IllegalArgumentException(
          "stallNanos must be FOREVER in this kind of queue: stallNanos=" + options.stallNanos());
    }
  }

  /** Throws if a queue of another kind has options that are for queues of Java records alone. */
  public static void checkForViews(QueueOptions options) {
    if (options.textBytes() != DEFAULTS.textBytes() || options.holdsReferences()) {
      throw new IllegalArgumentException(
          "textBytes and holdsReferences are for a RecordQueue alone: textBytes=%d, holdsReferences=%s"
              .formatted(options.textBytes(), options.holdsReferences()));
    }
  }

  // ---- the end ----

  /** Completes the queue once no claim succeeds any more, and wakes all waiting threads. */
  public void noteCompletion() {
    life.complete(); // release A: no claim succeeds any more
    producerWaiters.signal();
    consumerWaiters.signal();
  }

  /**
   * Whether completion was noted: no claim succeeds any more, and what was claimed is final. True
   * also once the queue is closed.
   */
  public boolean isCompleted() {
    return life.isCompleted(); // acquire A: what is claimed is final
  }

  /** Whether a call before has found that nothing is left; true also once the queue is closed. */
  public boolean isDrained() {
    return life.isDrained();
  }

  /** Records that nothing is left of a completed queue: its counts may change for a moment. */
  public void noteDrained() {
    life.drain();
  }

  /**
   * Closes a completed queue. Returns true if it was not closed before; then {@link #freeMemory}
   * must be called.
   */
  public boolean close() {
    boolean isFirst = life.close();
    if (isFirst) {
      consumerWaiters.signal(); // consumers that wait for a claim which now never ends
    }
    return isFirst;
  }

  /**
   * Frees the memory, unless it is the user's. Messages about the memory name the owner, which is
   * the queue.
   */
  public void freeMemory(Object owner) {
    if (memory != null) {
      memory.close(owner);
    }
  }

  // ---- records that are dropped ----

  /**
   * Refuses a claim without a timeout that finds the queue full, if it drops the newest records,
   * and counts those it was for. Returns whether it is refused.
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
   * Makes the metrics of every queue, to which its kind may add. The functions find a queue's
   * state, size and capacity.
   */
  public static <Q> Metrics<Q> metricsOf(
      Function<Q, QueueState> state, ToIntFunction<Q> size, ToIntFunction<Q> capacity) {
    return Metrics.<Q>none()
        .counter("dropped", queue -> state.apply(queue).dropped.getOpaque()) // opaque: a count
        // read after the size, which is noted
        .gauge("highWater", queue -> state.apply(queue).highWater.getOpaque()) // opaque: a count
        .gauge("size", queue -> state.apply(queue).noted(size.applyAsInt(queue)))
        .gauge("capacity", capacity::applyAsInt);
  }

  /** Returns a size after noting it, if there was no higher one. */
  private int noted(int size) {
    long high = highWater.getOpaque(); // opaque: a count
    // atomic: the highest of several readers' stays
    while (size > high && !highWater.weakCompareAndSetPlain(high, size)) {
      high = highWater.getOpaque(); // opaque: a count
    }
    return size;
  }

  /** Returns how far the queue's life is, for debugging. */
  @Override
  public String toString() {
    return life.toString();
  }
}
