package dev.millrace.disruptor;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.flyweight.internal.Checks;
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
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Pipeline} from its stages and the settings that they share. {@link #stage} begins
 * a stage. The calls between one call of {@code stage} and the next configure that stage: its
 * handlers, the stages before it, how it waits, and what happens when a handler fails.
 *
 * <p>By default, a stage comes directly after the producers. If a handler fails, the stage stops
 * the pipeline. A stage's threads wait by spinning, then yielding, then sleeping for 50
 * microseconds between attempts. A batch has up to 256 events or a quarter of the ring, whichever
 * is less.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class PipelineBuilder<E> {
  final EventRing<E> ring;
  String name = "pipeline";
  ThreadFactory threads = task -> Thread.ofPlatform().unstarted(task);
  BiFunction<? super String, ? super Integer, ? extends @Nullable AutoCloseable> hook =
      (stage, no) -> null;

  /** Receives failures. It is null if they go to the threads' uncaught-exception handlers. */
  @Nullable Function<? super String, ? extends ObjLongConsumer<? super Throwable>> listener;

  int sampleEvery; // 0 if no latencies are measured
  private final Map<String, Stage<E>> stages = new LinkedHashMap<>();
  private @Nullable Stage<E> begun; // null before the first stage

  PipelineBuilder(EventRing<E> ring) {
    this.ring = ring;
  }

  static String name(String what, String name) {
    if (Checks.notNull(what + " name", name).isBlank()) {
      throw new IllegalArgumentException(
          what + " name must not be blank: name='" + Checks.shown(name) + "'");
    }
    return name;
  }

  /**
   * Names the pipeline. The name appears in thread names, messages and {@link Pipeline#toString()}.
   *
   * @param pipelineName the name, "pipeline" by default
   * @return this
   */
  public PipelineBuilder<E> named(String pipelineName) {
    name = name("pipeline", pipelineName);
    return this;
  }

  /**
   * Sets the thread factory. By default workers run on platform threads.
   *
   * @param factory creates a platform or virtual thread for each worker. The pipeline names the
   *     thread after the pipeline, the stage and the worker
   * @return this
   */
  public PipelineBuilder<E> threads(ThreadFactory factory) {
    threads = Checks.notNull("factory", factory);
    return this;
  }

  /**
   * Sets a hook that runs in each worker's thread before anything else. For example, the hook can
   * pin the thread to a processor. An exception from the hook stops the pipeline.
   *
   * @param threadHook receives the stage's name and the worker's number within the stage, from 0.
   *     It returns null, or a resource that is closed in the same thread when the worker ends
   * @return this
   */
  public PipelineBuilder<E> onThread(
      BiFunction<? super String, ? super Integer, ? extends @Nullable AutoCloseable> threadHook) {
    hook = Checks.notNull("hook", threadHook);
    return this;
  }

  /**
   * Sets a listener for failures: {@code stage -> (failure, sequence) -> ...}. The listener also
   * receives failures that a stage retries or skips. Without a listener, a failure that stops the
   * pipeline goes to the uncaught-exception handler of the worker's thread. By default, that
   * handler prints the failure. Failures that do not stop the pipeline are only counted.
   *
   * @param failureListener is called once with each stage's name, and returns the listener for that
   *     stage. The listener is called in the threads of the stage's workers. Each call receives the
   *     exception and the sequence of the current event, or -1 if there was no current event. An
   *     exception from the listener stops the pipeline
   * @return this
   */
  public PipelineBuilder<E> onFailure(
      Function<? super String, ? extends ObjLongConsumer<? super Throwable>> failureListener) {
    listener = Checks.notNull("listener", failureListener);
    return this;
  }

  /**
   * Turns on latency measurement, which is off by default. The latency of a stage is the time from
   * the publication of an event until the stage releases the event. A stage releases an event when
   * each worker that gets the event has handled the whole batch with the event. A stage is a last
   * stage if no other stage comes after it. End-to-end latency is the time from publication until
   * all last stages have released the event. {@link Pipeline#readMetrics} reports percentiles.
   *
   * <p>A commit of a sampled event reads the clock once. After a batch with a sampled event, a
   * worker reads the clock once for each of its histograms. Any other commit or batch only makes
   * one comparison. Each worker has one 57 KiB histogram, and a worker of a last stage has two.
   *
   * @param every a power of two in 1..2<sup>30</sup>. Events whose sequences are multiples of this
   *     number are sampled
   * @return this
   * @throws IllegalArgumentException if {@code every} is not a power of two in that range
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
   * Begins the next stage. The stage settings that follow apply to this stage.
   *
   * @param stageName the stage's name, by which later stages refer to this stage in {@link #after}
   * @return this
   * @throws IllegalArgumentException if the name is blank, or another stage already has it
   */
  public PipelineBuilder<E> stage(String stageName) {
    Stage<E> next = new Stage<>(name("stage", stageName));
    if (stages.putIfAbsent(stageName, next) != null) {
      throw new IllegalArgumentException(
          "two stages cannot have the same name: name=" + Checks.shown(stageName));
    }
    begun = next;
    return this;
  }

  // ---- settings of the stage begun last ----

  private Stage<E> begun() {
    if (begun == null) {
      throw new IllegalStateException(
          "settings must come after a stage is begun, by stage(name): pipeline="
              + Checks.shown(name));
    }
    return begun;
  }

  /**
   * Sets the stages that must finish with an event before this stage gets it.
   *
   * @param names the stages, each begun before this one
   * @return this
   * @throws IllegalArgumentException if one of the named stages was not begun before this stage;
   *     the message names that stage
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> after(String... names) {
    Stage<E> stage = begun();
    for (String before : names) {
      if (!stages.containsKey(before) || before.equals(stage.name)) {
        throw new IllegalArgumentException(
            "stage must come after stages begun before it: stage=%s, after=%s, stages=%s"
                .formatted(
                    Checks.shown(stage.name),
                    Checks.shown(before),
                    Checks.shownEach(stages.keySet())));
      }
    }
    stage.after = Stream.of(names).map(stages::get).toList();
    return this;
  }

  /**
   * Sets the stage's handlers. Each handler sees every event, in its own thread.
   *
   * @param all the handlers
   * @return this
   * @throws IllegalStateException if no stage was begun, or its handlers were already set
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
   * Sets workers that share the stage's events. Each event goes to one worker, whichever is free.
   *
   * @param workers the number of workers, at least 1
   * @param handler makes a handler for each worker
   * @return this
   * @throws IllegalArgumentException if {@code workers} is less than 1
   * @throws IllegalStateException if no stage was begun, or its handlers were already set
   */
  public PipelineBuilder<E> sharedBy(
      int workers, Supplier<? extends BatchHandler<? super E>> handler) {
    return handledBy(Stage.Kind.SHARED, make(workers, handler));
  }

  /**
   * Sets workers that share the stage's events by key. Each event goes to one worker. Events with
   * the same key go to the same worker, which handles them in order. Every worker calls {@code
   * eventKey} for every event, so the function must return the same key each time. If the function
   * throws an exception, the event counts as failed, and one worker reports the failure. The stage
   * does not retry an event whose key cannot be determined.
   *
   * @param workers the number of workers, at least 1
   * @param eventKey returns the key of an event, which may be any number
   * @param handler makes a handler for each worker
   * @return this
   * @throws IllegalArgumentException if {@code workers} is less than 1
   * @throws IllegalStateException if no stage was begun, or its handlers were already set
   */
  @SuppressWarnings("NullAway") // handledBy checks that a stage is begun
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
      throw new IllegalStateException(
          "a stage can be given handlers only once: stage=" + Checks.shown(stage.name));
    }
    stage.handlers = all;
    stage.kind = how;
    return this;
  }

  /**
   * Sets how the stage's threads wait for events.
   *
   * @param strategy the wait strategy
   * @return this
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> waiting(WaitStrategy strategy) {
    begun().waits = Checks.notNull("strategy", strategy);
    return this;
  }

  /**
   * Sets how long a worker of the stage waits for an event before it calls its handler's {@code
   * onTimeout}. The worker calls {@code onTimeout} again each time the same period passes without
   * an event. By default, a worker never calls {@code onTimeout}.
   *
   * @param limit how long a worker waits for an event
   * @return this
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> timeout(Duration limit) {
    begun().timeoutNanos = Checks.nanos("limit", limit);
    return this;
  }

  /**
   * Limits how many events a handler gets in one batch. The slots of a batch are freed together.
   *
   * @param events the most events in a batch, at least 1
   * @return this
   * @throws IllegalArgumentException if {@code events} is less than 1
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> maxBatch(int events) {
    begun().maxBatch = (int) Checks.inRange("maxBatch", events, 1, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Retries an event when its handler throws an exception. If the handler still throws after the
   * last retry, the pipeline stops or, with {@link #skipFailures}, the stage skips the event.
   *
   * <p>For a retry, the worker calls the handler again with the failed event and the rest of the
   * batch. Earlier events in the batch count as handled, so the handler does not get them again.
   * When the stage skips an event, the worker calls the handler again with the events after it, if
   * any are left. If the handler throws before it has moved to an event, the first event of the
   * batch counts as failed.
   *
   * @param times the number of retries, 0 by default
   * @return this
   * @throws IllegalArgumentException if {@code times} is negative
   * @throws IllegalStateException if no stage was begun
   */
  public PipelineBuilder<E> retries(int times) {
    begun().retries = (int) Checks.inRange("retries", times, 0, Integer.MAX_VALUE);
    return this;
  }

  /**
   * Skips and counts an event whose handler throws an exception. If the stage has {@link #retries},
   * it skips the event only after the last retry. By default, the pipeline stops instead. Later
   * stages still see a skipped event.
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
   * Builds the pipeline, but does not start it: see {@link Pipeline#start()}.
   *
   * @return the pipeline, which closes the ring when it is closed
   * @throws IllegalArgumentException if there is no stage, if a stage has no handler (the message
   *     names the stage), or if the ring drops the oldest events and the pipeline does not begin
   *     with one stage that has a single handler
   * @throws IllegalStateException if the ring already has a consumer, such as one of another
   *     pipeline
   */
  public Pipeline<E> build() {
    if (ring.sequencer.hasConsumers()) { // nothing would advance them, so the ring would lock up
      throw new IllegalStateException(
          "ring must have no other consumers than the pipeline's: pipeline="
              + Checks.shown(name)
              + ", "
              + ring);
    }
    if (stages.isEmpty()) {
      throw new IllegalArgumentException(
          "pipeline must have a stage: pipeline=" + Checks.shown(name));
    }
    for (Stage<E> stage : stages.values()) {
      if (stage.handlers.isEmpty()) {
        throw new IllegalArgumentException(
            "stage must have a handler: stage=" + Checks.shown(stage.name));
      }
    }
    if (ring.sequencer.options.onFull() == OnFull.DROP_OLDEST) {
      chooseWhoDropsOldest();
    }
    return new Pipeline<>(this, List.copyOf(stages.values()));
  }

  /** Makes the first stage drop events in a ring that drops the oldest ones. */
  private void chooseWhoDropsOldest() {
    List<Stage<E>> first = stages.values().stream().filter(stage -> stage.after.isEmpty()).toList();
    if (first.size() != 1 || first.getFirst().handlers.size() != 1) {
      throw new IllegalArgumentException(
          "first stage must be one handler where onFull=DROP_OLDEST, or what one passes over"
              + " another may have in hand: first="
              + first.stream()
                  .map(one -> Checks.shown(one.name) + " x" + one.handlers.size())
                  .toList());
    }
    first.getFirst().dropsOldest = true;
  }
}
