package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Waiters;
import dev.millrace.disruptor.internal.Histogram;
import dev.millrace.disruptor.internal.Latency;
import dev.millrace.disruptor.internal.PipelineAccess;
import dev.millrace.disruptor.internal.SampledTimes;
import dev.millrace.flyweight.internal.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Stages that process the events of one ring. Each stage runs in its own threads. Stages can follow
 * each other, run in parallel, or form any acyclic graph.
 *
 * {@snippet file="Examples.java" region="pipeline"}
 *
 * <p>A stage comes directly after the producers unless {@link PipelineBuilder#after} puts it after
 * other stages. Normally each handler of a stage sees every event. If the stage's workers share
 * events, each event goes to one worker, whichever is free. If the workers share events by key,
 * events with the same key always go to the same worker. A stage gets an event only after the
 * stages before it have finished with that event.
 *
 * <p><b>Roles.</b> Each handler runs in its own thread. Any thread may start and query the
 * pipeline. Any thread that does not run one of its handlers may warm up, drain and close the
 * pipeline. The ring's options determine which threads may publish. A handler may publish into its
 * own ring with {@code tryPublish} or {@code tryClaim}. The handler must not wait for room in that
 * ring, because it would wait for itself. A {@code publish} or {@code claim} that would have to
 * wait in a handler throws {@link IllegalStateException}. A claim with a timeout in a handler does
 * not throw the exception, but holds up the handler's stage while the claim waits.
 *
 * <p><b>Ordering.</b> Everything that a stage does with an event happens-before everything that
 * later stages do with that event. A handler sees events in the order of their sequences. Workers
 * that share events handle them concurrently. If the workers share events by key, they handle
 * events with the same key in order.
 *
 * <p><b>Failure.</b> A handler's exception stops the pipeline, unless its stage {@linkplain
 * PipelineBuilder#retries retries} or {@linkplain PipelineBuilder#skipFailures skips failures}. An
 * {@link Error} always stops the pipeline, and so does interrupting a worker. When a pipeline
 * stops, it wakes all waiting threads, and its stages end after their current batch. Once a
 * pipeline has stopped, calls that publish or claim throw an {@link IllegalStateException} whose
 * cause is the failure, but a claim through a {@link Sequencer} returns {@link Sequencer#CLOSED}.
 * No stage ends silently while other stages continue.
 *
 * <p><b>Cost.</b> A worker calls its handler once per batch. Apart from these calls, a worker costs
 * as much as a {@link SequenceConsumer}. After {@link #start()}, processing events allocates
 * nothing.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Pipeline<E> implements Measured, AutoCloseable {
  static {
    PipelineAccess.SECRET.share(pipeline -> pipeline.workers);
  }

  /** The life cycle, which only moves forward. */
  private enum State {
    BUILT,
    STARTED,
    CLOSED
  }

  private final PipelineBuilder<E> plan;
  private final Sequencer sequencer;
  private final List<Stage<E>> stages; // in the order in which they were declared
  private final List<Worker<E>> workers = new ArrayList<>();
  private final PipelineMetrics<E> metrics;
  private final Countdown started;
  private final Countdown ended;

  // These fields are guarded by this object's lock. The lock is never held while waiting, because a
  // handler that calls close must get its exception instead of blocking.
  private State state = State.BUILT;
  private List<Thread> threads = List.of();
  private @Nullable String failedBy; // describes the first failure, with its stage and sequence
  private long warmedUpTo; // the sequence after the warm-up

  Pipeline(PipelineBuilder<E> plan, List<Stage<E>> stages) {
    this.plan = plan;
    this.sequencer = plan.ring.sequencer;
    this.stages = stages;
    Latency endToEnd = plan.sampleEvery > 0 ? measureLatencies() : null;
    stages.forEach(this::addWorkers);
    this.metrics = new PipelineMetrics<>(sequencer, stages, endToEnd);
    this.started = new Countdown(workers.size());
    this.ended = new Countdown(workers.size());
    sequencer.refuseWaitsIf(this::isCalledByHandler);
  }

  /** Sets up latency measurement for each stage and end to end. Returns the end-to-end latency. */
  private Latency measureLatencies() {
    SampledTimes times = new SampledTimes(plan.sampleEvery, sequencer.capacity());
    sequencer.noteTimes(times);
    for (Stage<E> stage : stages) {
      stage.latencies.add(new Latency(times, stage.workersOfAnEvent(), Histogram.BUCKETS));
    }
    List<Stage<E>> last =
        stages.stream()
            .filter(stage -> stages.stream().noneMatch(other -> other.after.contains(stage)))
            .toList();
    int workersAtTheEnd = last.stream().mapToInt(Stage::workersOfAnEvent).sum();
    Latency endToEnd = new Latency(times, workersAtTheEnd, Histogram.BUCKETS);
    last.forEach(stage -> stage.latencies.add(endToEnd));
    return endToEnd;
  }

  private void addWorkers(Stage<E> stage) {
    SequenceConsumer[] upstream =
        stage.after.stream()
            .flatMap(before -> before.workers.stream())
            .map(worker -> worker.consumer)
            .toArray(SequenceConsumer[]::new);
    int count = stage.handlers.size();
    List<SequenceConsumer> consumers = new ArrayList<>();
    // a single worker sees all events, and may skip some
    if (stage.kind == Stage.Kind.SHARED && count > 1) {
      consumers.addAll(sequencer.newSharedConsumers(count, stage.waits, upstream));
    }
    while (consumers.size() < count) {
      consumers.add(sequencer.newConsumer(stage.waits, upstream));
    }
    ObjLongConsumer<? super Throwable> listener =
        plan.listener == null ? null : plan.listener.apply(stage.name);
    for (SequenceConsumer consumer : consumers) {
      stage.workers.add(new Worker<>(this, plan, stage, consumer, listener));
    }
    workers.addAll(stage.workers);
  }

  /**
   * Begins a pipeline on a ring of records.
   *
   * @param <F> the view of a record
   * @param ring holds the events. It must have no consumers other than the pipeline's
   * @return a builder
   */
  public static <F> PipelineBuilder<F> on(RecordRing<F> ring) {
    return new PipelineBuilder<>(Checks.notNull("ring", ring));
  }

  /**
   * Begins a pipeline on a ring of objects.
   *
   * @param <E> the events
   * @param ring holds the events. It must have no consumers other than the pipeline's
   * @return a builder
   */
  public static <E> PipelineBuilder<E> on(ObjectRing<E> ring) {
    return new PipelineBuilder<>(Checks.notNull("ring", ring));
  }

  /**
   * Adapts an event handler to batches. The adapter calls the handler for each event in turn. Each
   * adapter has its own copy of the loop, so the just-in-time compiler can inline the handler into
   * that copy.
   *
   * @param <E> the events
   * @param handler handles an event
   * @return a batch handler
   */
  public static <E> BatchHandler<E> each(EventHandler<? super E> handler) {
    return EachEvent.of(Checks.notNull("handler", handler));
  }

  // ---- life ----

  /**
   * Starts a thread for each worker, and returns when every handler's {@code onStart} has returned.
   *
   * @return this
   * @throws IllegalStateException if the pipeline was already started or closed, or, with a cause,
   *     if a thread could not be created or a handler's {@code onStart} failed
   */
  public Pipeline<E> start() {
    synchronized (this) {
      if (state != State.BUILT) {
        throw new IllegalStateException(
            "pipeline must be started only once, before it is closed: state=" + state);
      }
      state = State.STARTED;
      startAll();
    }
    awaitAll(started);
    checkFailure();
    return this;
  }

  /**
   * Starts the threads. A thread that cannot be started counts as ended, so that nothing waits for
   * it.
   */
  private void startAll() {
    int running = 0;
    try {
      threads = workers.stream().map(Worker::newThread).toList();
      for (Thread thread : threads) {
        thread.start();
        running++;
      }
    } catch (Throwable e) { // the factory failed, or no more threads can be created
      sequencer.fail(e);
      for (int left = running; left < workers.size(); left++) {
        hasEnded(false);
      }
    }
  }

  void hasStarted() {
    started.countDown();
  }

  void hasEnded(boolean hasStarted) {
    if (!hasStarted) {
      started.countDown();
    }
    ended.countDown();
  }

  /** Ends the pipeline because of a failure. Only the first failure is kept. */
  void fail(String words, Throwable failure) {
    synchronized (this) {
      if (failedBy == null) {
        failedBy = words;
      }
    }
    sequencer.fail(failure);
  }

  /**
   * Sends warm-up events through all stages, so that the just-in-time compiler can compile the
   * stages' code before the first real event. After the warm-up, all counters start again from 0,
   * but sequences continue. If handling an event has side effects, handlers must be able to
   * recognize a warm-up event by its contents. In a ring with a stall limit, a warm-up event is
   * lost if the calling thread stalls between claim and commit for longer than the limit, and the
   * method does not send the event again.
   *
   * @param count how many events to send: about 20,000 for code that runs once per event
   * @param writer writes an event. If it throws an exception, the event is aborted and the
   *     exception is passed on to the caller
   * @throws IllegalStateException if the pipeline is not running, if events have already been
   *     published, or if a handler calls this method
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public void warmUp(int count, Consumer<? super E> writer) throws InterruptedException {
    Checks.notNull("writer", writer);
    checkCaller("warmed up");
    checkRuns();
    if (sequencer.claimedEnd() != warmedUpTo()) {
      throw new IllegalStateException(
          "events were published before the warm-up: claimed=" + sequencer.claimedEnd());
    }
    Batch<E> view = plan.ring.newBatch();
    for (int written = 0; written < count; written++) {
      write(view, writer);
    }
    boolean _ = Waiters.awaitUnsignalled(this::isAllHandled, WaitStrategy.FOREVER);
    metrics.beginAnew();
    synchronized (this) {
      warmedUpTo = sequencer.claimedEnd();
    }
  }

  private boolean isAllHandled() {
    checkFailure();
    return sequencer.slowest() >= sequencer.claimedEnd();
  }

  private void write(Batch<E> view, Consumer<? super E> writer) throws InterruptedException {
    long sequence = sequencer.awaitClaim(1, WaitStrategy.FOREVER);
    if (sequence < 0) {
      checkFailure();
      throw plan.ring.closed();
    }
    view.begin(sequence, 1);
    try {
      writer.accept(view.at(0));
    } catch (Throwable e) {
      sequencer.abort(sequence);
      throw e;
    }
    try {
      sequencer.commit(sequence);
    } catch (IllegalStateException e) {
      if (sequencer.isCompleted()) {
        throw e;
      }
      // given up, because this thread was stopped for longer than the stall limit: one event fewer
    }
  }

  /**
   * Closes the ring to producers, and waits until all events are handled and the stages have ended.
   * Repeated calls are allowed.
   *
   * @param timeout how long to wait
   * @return false if the timeout passed first
   * @throws IllegalStateException if the pipeline was not started, if it is closed before all
   *     events are handled, if a handler calls this method, or if the pipeline has failed; if it
   *     has failed, the exception's cause is the failure
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    long limitNanos = Checks.nanos("timeout", timeout);
    checkCaller("drained");
    checkRuns();
    sequencer.complete();
    boolean isDrained = ended.await(limitNanos);
    checkFailure();
    if (isDrained && sequencer.isStopped() && sequencer.slowest() < sequencer.claimedEnd()) {
      throw new IllegalStateException(
          "pipeline must stay open until drained: " + Checks.shown(plan.name));
    }
    return isDrained;
  }

  /**
   * Stops the pipeline and frees the ring's memory. Stages end after their current batch, and all
   * other events in the ring are lost. Waiting producers wake up and find the ring closed. The
   * memory is freed only after all of the pipeline's threads have ended. A second call has no
   * effect. If the calling thread is interrupted while it waits, the workers are interrupted too.
   *
   * @throws IllegalStateException if a handler calls this method
   */
  @Override
  public void close() {
    checkCaller("closed");
    synchronized (this) {
      state = State.CLOSED; // no thread can start from now on
    }
    sequencer.stop();
    if (!threads().isEmpty()) {
      awaitAll(ended);
    }
    metrics.close();
    plan.ring.close();
  }

  private synchronized List<Thread> threads() {
    return threads;
  }

  private synchronized long warmedUpTo() {
    return warmedUpTo;
  }

  private synchronized void checkRuns() {
    if (state != State.STARTED) {
      throw new IllegalStateException("pipeline must be started and open: state=" + state);
    }
  }

  private synchronized void checkFailure() {
    if (failure() != null) {
      String how = failedBy == null ? "failed to start: " + failure() : failedBy;
      throw new IllegalStateException(Checks.shown(plan.name) + ", " + how, failure());
    }
  }

  /** Throws if a handler calls {@code what}, because it would wait for itself. */
  private void checkCaller(String what) {
    if (isCalledByHandler()) {
      throw new IllegalStateException(
          "a handler cannot wait for its own pipeline to be "
              + what
              + ": "
              + Checks.shown(Thread.currentThread()));
    }
  }

  private boolean isCalledByHandler() {
    Thread caller = Thread.currentThread();
    for (int i = 0; i < workers.size(); i++) { // by index, to avoid allocating a stream
      if (workers.get(i).isRunBy(caller)) {
        return true;
      }
    }
    return false;
  }

  /** Waits uninterruptibly, passing any interrupt on to the workers. */
  private void awaitAll(Countdown countdown) {
    boolean wasInterrupted = false;
    boolean isOver = false;
    while (!isOver) {
      try {
        isOver = countdown.await(WaitStrategy.FOREVER);
      } catch (InterruptedException e) {
        wasInterrupted = true;
        threads().forEach(Thread::interrupt);
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- queries ----

  /**
   * Returns the failure that stopped the pipeline.
   *
   * @return the first failure, or null if there was none
   */
  public @Nullable Throwable failure() {
    return sequencer.failure();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The ring provides {@code published}, {@code dropped}, {@code signalled}, {@code stalled},
   * {@code claimed}, {@code aborted} and {@code refused}. Each stage provides {@code
   * <stage>.processed}, {@code .failed}, {@code .retries} and {@code .skipped}. The stages come in
   * the order in which they were declared. With {@link PipelineBuilder#latencies}, each stage also
   * provides {@code <stage>.latencyCount}, and {@code latencyCount} counts the end-to-end
   * latencies. At the end of a warm-up, all counters start again from 0.
   */
  @Override
  public List<String> counters() {
    return metrics.counters();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The ring provides {@code freeSlots} and {@code outOfUse}. Each stage provides {@code
   * <stage>.lag}, {@code .utilisationThousandths} and {@code .meanBatchThousandths}. With {@link
   * PipelineBuilder#latencies}, each stage also provides {@code <stage>.latencyP50Nanos}, {@code
   * .latencyP99Nanos}, {@code .latencyP999Nanos} and {@code .latencyMaxNanos}. The gauges with the
   * same names but no {@code <stage>.} prefix give the end-to-end latency. Latencies of warm-up
   * events are not included.
   */
  @Override
  public List<String> gauges() {
    return metrics.gauges();
  }

  /**
   * {@inheritDoc}
   *
   * <p>The call allocates memory, and takes a few milliseconds, because it measures utilisation
   * with 32 samples. Utilisation is the share of samples in which a worker had events in hand. For
   * the metrics, a worker only updates its counts after each batch and, if latency measurement is
   * turned on, records latencies. The call reports a latency as the upper end of the latency's
   * histogram bucket, so the reported value is at most a hundredth too high.
   */
  @Override
  public void readMetrics(long[] values) {
    metrics.read(values);
  }

  /** Draws the graph as a tree, with each stage's lag and the number of events it has processed. */
  @Override
  public String toString() {
    return metrics.picture(
        "%s: %s, claimed %d, free %d of %d"
            .formatted(
                Checks.shown(plan.name),
                describe(),
                sequencer.claimedEnd() - warmedUpTo(),
                sequencer.remainingCapacity(),
                sequencer.capacity()));
  }

  private String describe() {
    if (failure() != null) {
      return "failed (" + failure() + ")";
    }
    if (ended.isOver()) {
      return "ended";
    }
    return sequencer.isCompleted() ? "closed" : started.isOver() ? "running" : "not started";
  }
}
