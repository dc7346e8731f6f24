package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** A stage of a {@link Pipeline}, as {@link PipelineBuilder} describes it, and its workers. */
final class Stage<E> {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleeping(Duration.ofNanos(50_000));

  /** How the handlers of a stage divide the events. */
  enum Kind {
    EACH_SEES_ALL,
    SHARED,
    SHARED_BY_KEY
  }

  final String name;
  List<? extends BatchHandler<? super E>> handlers = List.of();
  List<Stage<E>> after = List.of();
  Kind kind = Kind.EACH_SEES_ALL;
  ToLongFunction<? super E> key;
  WaitStrategy waits = DEFAULT;
  long timeoutNanos = WaitStrategy.FOREVER;
  int maxBatch; // 0 for the default
  int retries;
  boolean skipsFailures;

  // of a pipeline that is built
  final List<Worker<E>> workers = new ArrayList<>();

  /** What its workers measure: empty if nothing; else its own latencies, then those of the end. */
  final List<Latency> latencies = new ArrayList<>();

  Stage(String name) {
    this.name = name;
  }

  /** How many workers must release an event: all, or the one that took it. */
  int workersOfAnEvent() {
    return kind == Kind.SHARED ? 1 : handlers.size();
  }

  /** The largest batch, on a ring of some capacity. */
  int largestBatch(int capacity) {
    return maxBatch == 0 ? Math.clamp(capacity / 4, 1, 256) : Math.min(maxBatch, capacity);
  }
}
