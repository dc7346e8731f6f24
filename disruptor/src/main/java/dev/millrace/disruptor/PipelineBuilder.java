package dev.millrace.disruptor;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Describes a {@link Pipeline}: its stages, and what they have in common. {@link #stage} begins a
 * stage; who handles its events, after which stages it comes, how it waits, and what happens when a
 * handler fails is set by the calls that follow, until the next stage begins.
 *
 * <p>By default a stage comes directly after the producers, spins, yields, then sleeps 50
 * microseconds between looks, takes batches of up to 256 events or a quarter of the ring, whichever
 * is less, and stops the pipeline when a handler fails.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class PipelineBuilder<E> {
  final EventRing<E> ring;
  String name = "pipeline";
  ThreadFactory threads = Thread.ofPlatform().factory();
  BiFunction<? super String, ? super Integer, ? extends AutoCloseable> hook = (stage, no) -> null;

  /** Told of failures; null if they go to the threads' uncaught-exception handlers. */
  Function<? super String, ? extends ObjLongConsumer<? super Throwable>> listener;

  int sampleEvery; // 0 if no latencies are measured
  private final Map<String, Stage<E>> stages = new LinkedHashMap<>();
  private Stage<E> begun; // null before the first

  PipelineBuilder(EventRing<E> ring) {
    this.ring = ring;
  }

  static String name(String what, String name) {
    if (Checks.notNull(what + " name", name).isBlank()) {
      throw new IllegalArgumentException(what + " name must not be blank: name='" + name + "'");
    }
    return name;
  }

  /**
   * Names the pipeline, for its threads and pictures.
   *
   * @param pipelineName the name, "pipeline" by default
   * @return this
   */
  public PipelineBuilder<E> named(String pipelineName) {
    name = name("pipeline", pipelineName);
    return this;
  }

  /**
   * Says what makes the threads: platform threads by default.
   *
   * @param factory makes a thread for each worker, platform or virtual; the pipeline then names it
   *     after itself, the stage and the worker
   * @return this
   */
  public PipelineBuilder<E> threads(ThreadFactory factory) {
    threads = Checks.notNull("factory", factory);
    return this;
  }

  /**
   * Says what is called in each worker's thread before anything else: the place to pin it to a
   * processor. What it throws stops the pipeline.
   *
   * @param threadHook is given the stage's name and the worker's number in it, from 0; what it
   *     returns is closed in the same thread when that ends, and may be null
   * @return this
   */
  public PipelineBuilder<E> onThread(
      BiFunction<? super String, ? super Integer, ? extends AutoCloseable> threadHook) {
    hook = Checks.notNull("hook", threadHook);
    return this;
  }

  /**
   * Says who is told of failures, including those that are retried or skipped: {@code stage ->
   * (failure, sequence) -> ...}. Without a listener a failure that stops the pipeline goes to the
   * uncaught-exception handler of the worker's thread, which prints it by default; others are only
   * counted.
   *
   * @param failureListener is given each stage's name once, and makes what is told of the stage's
   *     failures, in the threads of its workers: what was thrown, and the sequence of the current
   *     event, or -1 if there was none. What it throws itself stops the pipeline
   * @return this
   */
  public PipelineBuilder<E> onFailure(
      Function<? super String, ? extends ObjLongConsumer<? super Throwable>> failureListener) {
    listener = Checks.notNull("listener", failureListener);
    return this;
  }

  /**
   * Measures latencies, which by default are not measured: for each stage the time from the
   * publication of an event until the stage releases it, that is until all of the stage's workers
   * that get the event have handled it and the rest of its batch; and end to end the same for the
   * last stages together. {@link Pipeline#readMetrics} has the percentiles.
   *
   * <p>A sampled event costs its producer and each stage a reading of the clock, other events a
   * comparison. Each worker has a histogram of 57 KiB, those of the last stages have two.
   *
   * @param every which events are sampled: those whose sequences are multiples of it, a power of
   *     two in 1..2<sup>30</sup>
   * @return this
   * @throws IllegalArgumentException if it is not such a number
   */
  public PipelineBuilder<E> latencies(int every) {
    if (every < 1 || Integer.bitCount(every) != 1) {
      throw new IllegalArgumentException(
          "every must be a power of two in 1.." + Checks.MAX_CAPACITY + ": every=" + every);
    }
    sampleEvery = every;
    return this;
  }

  /**
   * Begins the next stage: settings of a stage that follow are those of this one.
   *
   * @param stageName its name, by which others say that they come after it
   * @return this
   * @throws IllegalArgumentException if there is a stage of that name
   */
  public PipelineBuilder<E> stage(String stageName) {
    Stage<E> next = new Stage<>(name("stage", stageName));
    if (stages.putIfAbsent(stageName, next) != null) {
      throw new IllegalArgumentException(
          "stages must have different names: name=" + stageName + " is there twice");
    }
    begun = next;
    return this;
  }

  // ---- settings of the stage begun last ----

  private Stage<E> begun() {
    if (begun == null) {
      throw new IllegalStateException(
          "stage must be begun, by stage(name), before its settings: pipeline=" + name);
    }
    return begun;
  }

  /**
   * Says which stages must be through with an event before this one gets it.
   *
   * @param names of stages that were begun before this one
   * @return this
   * @throws IllegalArgumentException if one was not; the message names it
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> after(String... names) {
    Stage<E> stage = begun();
    for (String before : names) {
      if (!stages.containsKey(before) || before.equals(stage.name)) {
        throw new IllegalArgumentException(
            "stage must come after stages begun before it: stage=%s, after=%s, stages=%s"
                .formatted(stage.name, before, stages.keySet()));
      }
    }
    stage.after = Stream.of(names).map(stages::get).toList();
    return this;
  }

  /**
   * Says who handles the events: each handler sees every event, in a thread of its own.
   *
   * @param all the handlers
   * @return this
   * @throws IllegalStateException if no stage was begun, or its handlers were given already
   */
  @SafeVarargs
  public final PipelineBuilder<E> handledBy(BatchHandler<? super E>... all) {
    List<BatchHandler<? super E>> given = new ArrayList<>();
    for (BatchHandler<? super E> handler : all) {
      given.add(Checks.notNull("handler", handler));
    }
    return handledBy(Stage.Kind.EACH_SEES_ALL, given);
  }

  /**
   * Says who handles the events: each event goes to one worker, whichever is free.
   *
   * @param workers how many, at least 1
   * @param handler makes a handler for each worker
   * @return this
   * @throws IllegalArgumentException if there is no worker
   * @throws IllegalStateException if no stage was begun, or its handlers were given already
   */
  public PipelineBuilder<E> sharedBy(
      int workers, Supplier<? extends BatchHandler<? super E>> handler) {
    return handledBy(Stage.Kind.SHARED, make(workers, handler));
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
   * @throws IllegalStateException if no stage was begun, or its handlers were given already
   */
  public PipelineBuilder<E> sharedByKey(
      int workers,
      ToLongFunction<? super E> eventKey,
      Supplier<? extends BatchHandler<? super E>> handler) {
    Checks.notNull("eventKey", eventKey);
    PipelineBuilder<E> _ = handledBy(Stage.Kind.SHARED_BY_KEY, make(workers, handler));
    begun.key = eventKey;
    return this;
  }

  private static <H> List<H> make(int workers, Supplier<? extends H> handler) {
    Checks.inRange("workers", workers, 1, Integer.MAX_VALUE);
    Checks.notNull("handler", handler);
    return Stream.generate(() -> Checks.<H>notNull("handler", handler.get()))
        .limit(workers)
        .toList();
  }

  private PipelineBuilder<E> handledBy(
      Stage.Kind how, List<? extends BatchHandler<? super E>> all) {
    Stage<E> stage = begun();
    if (!stage.handlers.isEmpty()) {
      throw new IllegalStateException("handlers must be given only once: stage=" + stage.name);
    }
    stage.handlers = all;
    stage.kind = how;
    return this;
  }

  /**
   * Says how the stage's threads wait for events.
   *
   * @param strategy how
   * @return this
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> waiting(WaitStrategy strategy) {
    begun().waits = Checks.notNull("strategy", strategy);
    return this;
  }

  /**
   * Says that handlers are told when no event has come for some time, by {@code onTimeout}, and
   * again after the same time. By default they never are.
   *
   * @param limit how long
   * @return this
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> timeout(Duration limit) {
    begun().timeoutNanos = Checks.nanos("limit", limit);
    return this;
  }

  /**
   * Says how many events a handler is given at a time, at the most. Their slots get free together.
   *
   * @param events how many, at least 1
   * @return this
   * @throws IllegalArgumentException if there are less
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> maxBatch(int events) {
    begun().maxBatch = (int) Checks.inRange("maxBatch", events, 1, Integer.MAX_VALUE);
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
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> retries(int times) {
    begun().retries = (int) Checks.inRange("retries", times, 0, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Skips and counts an event whose handler throws an exception, after the {@link #retries}. By
   * default the pipeline stops. The stages behind see a skipped event.
   *
   * @return this
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> skipFailures() {
    begun().skipsFailures = true;
    return this;
  }

  // ---- the pipeline ----

  /**
   * Makes the pipeline, which {@link Pipeline#start()} starts.
   *
   * @return the pipeline; closing it closes the ring
   * @throws IllegalArgumentException if a stage has no handler, or if there is no stage; the
   *     message names it
   * @throws IllegalStateException if the ring already has a consumer, for instance another
   *     pipeline's
   */
  public Pipeline<E> build() {
    if (ring.sequencer.hasConsumers()) { // nobody would make them go on, and the ring would lock
      throw new IllegalStateException(
          "ring must have no other consumers than the pipeline's: pipeline=" + name + ", " + ring);
    }
    if (stages.isEmpty()) {
      throw new IllegalArgumentException("pipeline must have a stage: pipeline=" + name);
    }
    for (Stage<E> stage : stages.values()) {
      if (stage.handlers.isEmpty()) {
        throw new IllegalArgumentException("stage must have a handler: stage=" + stage.name);
      }
    }
    if (ring.sequencer.options.onFull() == OnFull.DROP_OLDEST) {
      chooseWhoDropsOldest();
    }
    return new Pipeline<>(this, List.copyOf(stages.values()));
  }

  /** The first stage makes room in a ring that drops the oldest events. */
  private void chooseWhoDropsOldest() {
    List<Stage<E>> first = stages.values().stream().filter(stage -> stage.after.isEmpty()).toList();
    if (first.size() != 1 || first.getFirst().handlers.size() != 1) {
      throw new IllegalArgumentException(
          "first stage must be one handler where onFull=DROP_OLDEST, or what one passes over"
              + " another may have in hand: first="
              + first.stream().map(one -> one.name + " x" + one.handlers.size()).toList());
    }
    first.getFirst().dropsOldest = true;
  }
}
