package dev.millrace.disruptor;

import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What a stage of a {@link Pipeline} does, while it is described: who handles its events, after
 * which stages, how it waits, and what happens when a handler fails.
 *
 * <p>By default it comes directly after the producers, spins, yields, then sleeps 50 microseconds
 * between looks, takes batches of up to 256 events or a quarter of the ring, whichever is less, and
 * stops the pipeline when a handler fails.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Stage<E> {
  private static final WaitStrategy DEFAULT = WaitStrategy.sleeping(Duration.ofNanos(50_000));

  /** How the handlers of a stage divide the events. */
  enum Kind {
    EACH_SEES_ALL,
    SHARED,
    SHARED_BY_KEY
  }

  final String name;
  final List<BatchHandler<? super E>> handlers = new ArrayList<>();
  List<String> after = List.of();
  Kind kind = Kind.EACH_SEES_ALL;
  ToLongFunction<? super E> key;
  WaitStrategy waits = DEFAULT;
  long timeoutNanos = WaitStrategy.FOREVER;
  int largestBatch; // 0 for the default
  int retries;
  boolean skips;

  /** Its workers, once the pipeline is built. */
  final List<Worker<E>> workers = new ArrayList<>();

  Stage(String name) {
    this.name = PipelineBuilder.name("stage", name);
  }

  /**
   * Says which stages must be through with an event before this one gets it.
   *
   * @param stages their names; they may be described later
   * @return this
   */
  public Stage<E> after(String... stages) {
    after = List.of(stages);
    return this;
  }

  /**
   * Says who handles the events: each handler sees every event, in a thread of its own.
   *
   * @param all the handlers
   * @return this
   * @throws IllegalStateException if the handlers were given already
   */
  @SafeVarargs
  public final Stage<E> handledBy(BatchHandler<? super E>... all) {
    List<BatchHandler<? super E>> given = new ArrayList<>();
    for (BatchHandler<? super E> handler : all) {
      given.add(Checks.notNull("handler", handler));
    }
    return handledBy(Kind.EACH_SEES_ALL, given);
  }

  /**
   * Says who handles the events: each event goes to one worker, whichever is free.
   *
   * @param workers how many, at least 1
   * @param handler makes a handler for each worker
   * @return this
   * @throws IllegalArgumentException if there is no worker
   * @throws IllegalStateException if the handlers were given already
   */
  public Stage<E> sharedBy(int workers, Supplier<? extends BatchHandler<? super E>> handler) {
    return handledBy(Kind.SHARED, make(workers, handler));
  }

  /**
   * Says who handles the events: each event goes to one worker, those of the same key to the same
   * one, in order. Every worker evaluates the key of every event, which must be the same each time.
   * An event whose key function throws counts as failed, but is not tried again, and one worker
   * reports it.
   *
   * @param workers how many, at least 1
   * @param eventKey the key of an event, any number
   * @param handler makes a handler for each worker
   * @return this
   * @throws IllegalArgumentException if there is no worker
   * @throws IllegalStateException if the handlers were given already
   */
  public Stage<E> sharedByKey(
      int workers,
      ToLongFunction<? super E> eventKey,
      Supplier<? extends BatchHandler<? super E>> handler) {
    key = Checks.notNull("eventKey", eventKey);
    return handledBy(Kind.SHARED_BY_KEY, make(workers, handler));
  }

  private static <H> List<H> make(int workers, Supplier<? extends H> handler) {
    Checks.inRange("workers", workers, 1, Integer.MAX_VALUE);
    Checks.notNull("handler", handler);
    List<H> made = new ArrayList<>();
    for (int worker = 0; worker < workers; worker++) {
      made.add(Checks.notNull("handler", handler.get()));
    }
    return made;
  }

  private Stage<E> handledBy(Kind how, List<? extends BatchHandler<? super E>> all) {
    if (!handlers.isEmpty()) {
      throw new IllegalStateException("handlers must be given only once: stage=" + name);
    }
    handlers.addAll(all);
    kind = how;
    return this;
  }

  /**
   * Says how the stage's threads wait for events.
   *
   * @param strategy how
   * @return this
   * @throws IllegalArgumentException if it has a time limit: see {@link #timeout}
   */
  public Stage<E> waiting(WaitStrategy strategy) {
    waits = RingOptions.checkNoLimit("strategy", Checks.notNull("strategy", strategy));
    return this;
  }

  /**
   * Says that handlers are told when no event has come for some time, by {@code onTimeout}, and
   * again after the same time. By default they never are.
   *
   * @param limit how long
   * @return this
   */
  public Stage<E> timeout(Duration limit) {
    timeoutNanos = Checks.nanos("limit", limit);
    return this;
  }

  /**
   * Says how many events a handler is given at a time, at the most. Their slots get free together.
   *
   * @param events how many, at least 1
   * @return this
   * @throws IllegalArgumentException if there are less
   */
  public Stage<E> maxBatch(int events) {
    largestBatch = (int) Checks.inRange("maxBatch", events, 1, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Gives an event to its handler again when the handler throws an exception. If it still throws
   * after that, the pipeline stops, or skips the event: see {@link #skipFailures}.
   *
   * <p>Events of the batch before the failed one have been handled and are not given again; those
   * after it are given in a new call, if there are any. A failure before the batch was moved counts
   * as one of its first event.
   *
   * @param times how often, 0 by default
   * @return this
   * @throws IllegalArgumentException if that is less than 0
   */
  public Stage<E> retries(int times) {
    retries = (int) Checks.inRange("retries", times, 0, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Skips and counts an event whose handler throws an exception, after the {@link #retries}. By
   * default the pipeline stops. The stages behind see a skipped event.
   *
   * @return this
   */
  public Stage<E> skipFailures() {
    skips = true;
    return this;
  }

  /** How many workers must release an event: all, or the one that took it. */
  int workersOfAnEvent() {
    return kind == Kind.SHARED ? 1 : handlers.size();
  }

  /** The largest batch, on a ring of some capacity. */
  int largestBatch(int capacity) {
    return largestBatch == 0 ? Math.clamp(capacity / 4, 1, 256) : Math.min(largestBatch, capacity);
  }
}
