package dev.millrace.disruptor;

import static dev.millrace.disruptor.internal.WorkCounts.Kind.EVENTS;

import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.internal.Latency;
import dev.millrace.disruptor.internal.WorkCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/** A stage of a {@link Pipeline}, as {@link PipelineBuilder} describes it, and its workers. */
final class Stage<E> {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleeping(Duration.ofNanos(50_000));

  /** How the handlers of a stage divide the events among them. */
  enum Kind {
    EACH_SEES_ALL,
    SHARED,
    SHARED_BY_KEY
  }

  final String name;
  List<? extends BatchHandler<? super E>> handlers = List.of();
  List<Stage<E>> after = List.of();
  Kind kind = Kind.EACH_SEES_ALL;

  @SuppressWarnings("NullAway.Init") // set where the workers share events by key
  ToLongFunction<? super E> key;

  WaitStrategy waits = DEFAULT;
  long timeoutNanos = WaitStrategy.FOREVER;
  int maxBatch; // 0 for the default
  int retries;
  boolean skipsFailures;
  boolean dropsOldest; // when the stage lags

  // set when the pipeline is built
  final List<Worker<E>> workers = new ArrayList<>();

  /**
   * The latencies that the workers measure: none, or the stage's own and, in a last stage, then the
   * end-to-end ones.
   */
  final List<Latency> latencies = new ArrayList<>();

  long busyLooks; // used by one reader of metrics at a time

  Stage(String name) {
    this.name = name;
  }

  long sum(WorkCounts.Kind count) {
    return workers.stream().mapToLong(worker -> worker.counts.get(count)).sum();
  }

  /**
   * Returns how many events the stage has handled. If each handler sees every event, the slowest
   * handler counts.
   */
  long processed() {
    LongStream events = workers.stream().mapToLong(worker -> worker.counts.get(EVENTS));
    return kind == Kind.EACH_SEES_ALL ? events.min().orElseThrow() : events.sum();
  }

  /** Returns how many events the slowest worker is behind. */
  long lag() {
    long most = 0;
    for (Worker<E> worker : workers) {
      long progress = worker.consumer.progress(); // read first, or it may be ahead of the source
      most = Math.max(most, worker.consumer.source() - progress);
    }
    return most;
  }

  /** Counts the workers that have events in hand. */
  void lookForBusyWorkers() {
    busyLooks += workers.stream().filter(worker -> worker.consumer.isAtWork()).count();
  }

  /** Returns how many workers must release an event: either all, or only the one that took it. */
  int workersOfAnEvent() {
    return kind == Kind.SHARED ? 1 : handlers.size();
  }

  /** Returns the size of the largest batch on a ring with {@code capacity}. */
  int largestBatch(int capacity) {
    return maxBatch == 0 ? Math.clamp(capacity / 4, 1, 256) : Math.min(maxBatch, capacity);
  }
}
