package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import dev.millrace.core.internal.Checks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * Stages that handle the events of one ring, each in threads of its own: one after the other, side
 * by side, or in any acyclic graph.
 *
 * <pre>{@code
 * Pipeline<TradeFlyweight> pipeline =
 *     Pipeline.on(ring)
 *         .stage("parse", stage -> stage.sharedBy(4, Parser::new))
 *         .stage("journal", stage -> stage.handledBy(new Journal()))
 *         .stage("aggregate",
 *             stage -> stage.after("parse", "journal").handledBy(new Aggregator()))
 *         .build();
 * pipeline.start();
 * ...                                               // publish to the ring
 * pipeline.drain(Duration.ofSeconds(10));           // all is handled
 * pipeline.close();
 * }</pre>
 *
 * <p>A stage that says nothing else comes directly after the producers. Each handler of a stage
 * sees every event, unless its workers share them: then each event goes to one worker, whichever is
 * free, or with keys always to the same one for the same key. A stage gets an event when all
 * workers of the stages before it are through with it.
 *
 * <p><b>Roles.</b> Handlers run in a thread each. Any thread starts, drains, closes and looks; who
 * publishes is up to the ring.
 *
 * <p><b>Ordering.</b> What a stage did with an event happens before what the stages behind it do
 * with it. A handler sees events in the order of their sequences; those of a stage with shared work
 * are handled side by side, with keys in order for each key.
 *
 * <p><b>Failure.</b> What becomes of a handler's exception is the stage's {@link FailurePolicy}; an
 * {@link Error}, or a thread that is interrupted, always stops the pipeline. A pipeline that stops
 * wakes everybody who waits: claims throw {@link IllegalStateException} with the failure as its
 * cause, and stages end after the batch in hand. No stage ever ends silently while others go on.
 *
 * <p><b>Cost.</b> A call of a handler per batch, and what a {@link SequenceConsumer} costs. Nothing
 * is allocated after {@link #start()}.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Pipeline<E> implements Measured, AutoCloseable {
  private final PipelineRun<E> run;

  private Pipeline(PipelineRun<E> run) {
    this.run = run;
  }

  /**
   * Begins a pipeline on a ring of records.
   *
   * @param <F> the view of a record
   * @param ring where the events are; no consumer of it must be made elsewhere
   * @return a builder
   */
  public static <F> Builder<F> on(RecordRing<F> ring) {
    return new Builder<>(Checks.notNull("ring", ring));
  }

  /**
   * Begins a pipeline on a ring of objects.
   *
   * @param <E> the events
   * @param ring where the events are; no consumer of it must be made elsewhere
   * @return a builder
   */
  public static <E> Builder<E> on(ObjectRing<E> ring) {
    return new Builder<>(Checks.notNull("ring", ring));
  }

  // ---- handlers ----

  /** What a handler is told besides its events. */
  interface Lifecycle {
    /**
     * Called in the worker's thread before the first batch.
     *
     * @throws Exception to stop the pipeline
     */
    default void onStart() throws Exception {}

    /**
     * Called in the worker's thread when no event came within the stage's {@link Stage#timeout}.
     *
     * @throws Exception to stop the pipeline
     */
    default void onTimeout() throws Exception {}

    /**
     * Called in the worker's thread after the last batch, however it ended.
     *
     * @throws Exception to stop the pipeline
     */
    default void onEnd() throws Exception {}
  }

  /**
   * Handles events in batches: the fastest way. An exception counts as one of the event that the
   * {@link Batch} moved to last, also if it comes from what the handler does behind the last one.
   * {@code onStart}, {@code onTimeout} and {@code onEnd} stop the pipeline if they throw.
   *
   * @param <E> the events
   * @since 0.1.0
   */
  @FunctionalInterface
  @SuppressWarnings("exports") // what it inherits is for users to override
  public interface BatchHandler<E> extends Lifecycle {
    /**
     * Handles the next events: as many as are there, up to the stage's largest batch and the end of
     * the ring.
     *
     * @param batch the events, at least one
     * @throws Exception to say that the event in hand could not be handled; what follows is the
     *     stage's {@link FailurePolicy}
     */
    void onBatch(Batch<E> batch) throws Exception;
  }

  /**
   * Handles events one by one. {@code onStart}, {@code onTimeout} and {@code onEnd} stop the
   * pipeline if they throw.
   *
   * @param <E> the events
   * @since 0.1.0
   */
  @FunctionalInterface
  @SuppressWarnings("exports") // what it inherits is for users to override
  public interface EventHandler<E> extends Lifecycle {
    /**
     * Handles an event.
     *
     * @param event the event, in place; a record's view is the same for all
     * @param sequence its number
     * @param endOfBatch whether it is the last of its batch: when the batch was taken no more were
     *     there, or it was full, or the ring's end was reached
     * @throws Exception to say that it could not be handled; what follows is the stage's {@link
     *     FailurePolicy}
     */
    void onEvent(E event, long sequence, boolean endOfBatch) throws Exception;
  }

  /**
   * Makes a handler of batches that hands on their events one by one. Each such handler has code of
   * its own, so that the just-in-time compiler knows which handler it calls.
   *
   * @param <E> the events
   * @param handler handles an event
   * @return a handler of batches
   */
  public static <E> BatchHandler<E> each(EventHandler<? super E> handler) {
    return EachEvent.of(Checks.notNull("handler", handler));
  }

  /**
   * What becomes of an event whose handler throws an exception: it is tried again so many times,
   * then it is passed over and counted, or the pipeline stops. The events of its batch before it
   * have been handled and are not given again; those behind it are given in a new call, if there
   * are any. A failure before the batch was moved counts as one of the first event. Stages behind
   * see an event that was passed over.
   *
   * @param retries how often the event is given to its handler again, at least 0
   * @param skips whether it is passed over then, or the pipeline stops
   * @since 0.1.0
   */
  public record FailurePolicy(int retries, boolean skips) {
    /**
     * Makes a policy.
     *
     * @throws IllegalArgumentException if there are less than 0 retries
     */
    public FailurePolicy {
      Checks.inRange("retries", retries, 0, Integer.MAX_VALUE);
    }

    /**
     * The pipeline stops: what a stage does that says nothing.
     *
     * @return the policy
     */
    public static FailurePolicy stop() {
      return new FailurePolicy(0, false);
    }

    /**
     * The event is passed over and counted.
     *
     * @return the policy
     */
    public static FailurePolicy skip() {
      return new FailurePolicy(0, true);
    }

    /**
     * The same after a number of tries more.
     *
     * @param times how often the event is given to its handler again
     * @return the changed policy
     * @throws IllegalArgumentException if that is less than 0
     */
    public FailurePolicy withRetries(int times) {
      return new FailurePolicy(times, skips);
    }
  }

  /**
   * Told of each failure, in the thread of the worker that it happened to. What it throws itself
   * stops the pipeline, whatever the policy, with the failure among the suppressed.
   *
   * @since 0.1.0
   */
  @FunctionalInterface
  public interface FailureListener {
    /**
     * A handler has thrown.
     *
     * @param stage the stage's name
     * @param sequence the event in hand, or -1 if there was none
     * @param failure what was thrown
     */
    void onFailure(String stage, long sequence, Throwable failure);
  }

  /**
   * Called in each worker's thread: the place to pin it to a processor.
   *
   * @since 0.1.0
   */
  @FunctionalInterface
  public interface ThreadHook {
    /**
     * A worker's thread begins.
     *
     * @param stage the stage's name
     * @param worker its number within the stage, from 0
     * @return closed in the same thread when it ends; may be null
     * @throws Exception to stop the pipeline
     */
    AutoCloseable onThread(String stage, int worker) throws Exception;
  }

  // ---- building ----

  /**
   * Describes a pipeline.
   *
   * @param <E> the events
   * @since 0.1.0
   */
  public static final class Builder<E> {
    private final PipelineGraph<E> graph;

    private Builder(EventRing<E> ring) {
      this.graph = new PipelineGraph<>(ring);
    }

    /**
     * Names the pipeline, for its threads and pictures.
     *
     * @param name the name, "pipeline" by default
     * @return this
     */
    public Builder<E> named(String name) {
      graph.name = PipelineGraph.name("pipeline", name);
      return this;
    }

    /**
     * Says what makes the threads: platform threads by default.
     *
     * @param factory makes a thread for each worker, platform or virtual; their names become those
     *     of pipeline, stage and worker
     * @return this
     */
    public Builder<E> threads(ThreadFactory factory) {
      graph.threads = Checks.notNull("factory", factory);
      return this;
    }

    /**
     * Says what is called in each thread before anything else.
     *
     * @param hook for instance pins the thread
     * @return this
     */
    public Builder<E> onThread(ThreadHook hook) {
      graph.hook = Checks.notNull("hook", hook);
      return this;
    }

    /**
     * Says who is told of failures. Without a listener a failure that ends the pipeline goes to the
     * uncaught-exception handler of the worker's thread, whose default prints it; those that the
     * stage's policy retries or skips are only counted.
     *
     * @param listener is told, also of those that are tried again
     * @return this
     */
    public Builder<E> onFailure(FailureListener listener) {
      graph.listener = Checks.notNull("listener", listener);
      return this;
    }

    /**
     * Adds a stage.
     *
     * @param name its name, by which others say that they come after it
     * @param settings says what it does, and after which stages
     * @return this
     * @throws IllegalArgumentException if there is a stage of that name, or the settings are wrong
     */
    public Builder<E> stage(String name, Consumer<? super Stage<E>> settings) {
      Checks.notNull("settings", settings);
      Stage<E> stage = new Stage<>(name);
      settings.accept(stage);
      graph.add(stage);
      return this;
    }

    /**
     * Makes the pipeline, which {@link Pipeline#start()} starts.
     *
     * @return the pipeline; closing it closes the ring
     * @throws IllegalArgumentException if a stage has no handler or comes after one that does not
     *     exist, if stages form a cycle, or if there is none; the message names them
     * @throws IllegalStateException if the ring has a consumer already, be it another pipeline's
     */
    public Pipeline<E> build() {
      return new Pipeline<>(new PipelineRun<>(graph.checked()));
    }
  }

  // ---- life ----

  /**
   * Starts a thread for each worker, and returns when all have started.
   *
   * @return this
   * @throws IllegalStateException if it was started or closed before; or if a thread could not be
   *     made or a handler's {@code onStart} failed, which is the cause
   */
  public Pipeline<E> start() {
    run.start();
    return this;
  }

  /**
   * Lets events go through all stages before the first real one, so that the just-in-time compiler
   * has seen the code. Counts begin anew behind them; sequences do not. Handlers must be able to
   * tell such an event, by what the writer puts into it, where handling it has effects.
   *
   * @param count how many, some 20,000 for code that runs once for each
   * @param writer writes an event; what it throws goes on to the caller, and its event is aborted
   * @throws IllegalStateException if it does not run, if events have been published before, or if a
   *     handler calls it
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void warmUp(int count, Consumer<? super E> writer) throws InterruptedException {
    run.warmUp(count, Checks.notNull("writer", writer));
  }

  /**
   * Closes the ring to producers, and waits until all events are handled and the stages have ended.
   * May be repeated. With one producer, drain when it has made its last call.
   *
   * @param timeout how long to wait
   * @return false if the time passed before
   * @throws IllegalStateException if the pipeline was not started, or has stopped because of a
   *     failure, which is the cause, or was closed, or if a handler calls it
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    return run.drain(Checks.nanos("timeout", timeout));
  }

  /**
   * Stops: stages end after the batch in hand, what else is in the ring is lost, producers that
   * wait get out by an exception. Returns when all threads have ended, and frees the ring's memory.
   * A second call does nothing. If the calling thread is interrupted meanwhile, handlers are
   * interrupted too.
   *
   * @throws IllegalStateException if a handler calls it
   */
  @Override
  public void close() {
    run.close();
  }

  /**
   * Why the pipeline has stopped.
   *
   * @return the first failure that stopped it, or null
   */
  public Throwable failure() {
    return run.failure();
  }

  // ---- looks ----

  /**
   * What can be read: {@code published}, {@code freeSlots}, {@code dropped}, {@code signalled},
   * {@code stalled}, and of each stage {@code <stage>.processed}, {@code .failed}, {@code
   * .retries}, {@code .skipped}, {@code .lag}, {@code .utilisationThousandths} and {@code
   * .meanBatchThousandths}. Counts are since the warm-up. The stages come each after those that it
   * comes after.
   */
  @Override
  public List<Metric> metrics() {
    return run.metrics();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Takes some milliseconds, for utilisation is the share of 32 looks in which a worker had
   * events in hand, and allocates. No stage counts for it, but for its calls and their events once
   * a batch.
   */
  @Override
  public void readMetrics(long[] values) {
    run.readMetrics(values);
  }

  /**
   * What the pipeline does at present: the numbers of {@link #readMetrics}, and what the producers
   * have cost.
   *
   * @return the picture, each number of some moment of the call
   */
  public Snapshot snapshot() {
    return run.snapshot();
  }

  /**
   * A pipeline at work.
   *
   * @param published events without an open claim before them, since the warm-up
   * @param freeSlots slots that may be claimed
   * @param producers what back-pressure and stalled producers have cost
   * @param stages the stages, each after those that it comes after
   * @since 0.1.0
   */
  public record Snapshot(
      long published, int freeSlots, Sequencer.Counters producers, List<StageSnapshot> stages) {}

  /**
   * A stage at work. Counts are since the warm-up.
   *
   * @param name its name
   * @param processed events that its handlers were given: of one handler, of the slowest of several
   *     that see every event, or of all workers together
   * @param failed events that were passed over because their handler failed, of all handlers
   * @param retries how often events were given to a handler again
   * @param skipped events that were passed over unseen, by {@link
   *     dev.millrace.core.OnFull#DROP_OLDEST}
   * @param lag slots that it could be ahead: those claimed, or let through by the stages before
   * @param utilisation the share of looks in which a worker had events in hand, from 0 to 1
   * @param meanBatch the mean number of events in a batch, 0 before the first
   * @since 0.1.0
   */
  public record StageSnapshot(
      String name,
      long processed,
      long failed,
      long retries,
      long skipped,
      long lag,
      double utilisation,
      double meanBatch) {}

  /** Draws the graph as a tree, with the lag of each stage and what it has processed. */
  @Override
  public String toString() {
    return run.picture();
  }
}
