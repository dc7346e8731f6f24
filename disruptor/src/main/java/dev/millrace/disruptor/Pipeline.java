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

/**
 * Stages that process the events of one ring, each in its own threads: in sequence, in parallel, or
 * as any acyclic graph.
 *
 * {@snippet file="Examples.java" region="pipeline"}
 *
 * <p>A stage comes directly after the producers unless {@link PipelineBuilder#after} names other
 * stages. Each handler of a stage sees every event, unless the stage's workers share them: then
 * each event goes to one free worker or, with keys, always to the same worker for the same key. A
 * stage gets an event once all workers of the stages before it have finished with it.
 *
 * <p><b>Roles.</b> Each handler runs in its own thread. Any thread may start, drain, close and
 * query the pipeline; the ring determines which threads may publish. A handler may publish into its
 * own ring with {@code tryPublish} or {@code tryClaim}, but must not wait for room there: it would
 * wait for itself. If it has to wait, {@code publish} and {@code claim} throw {@link
 * IllegalStateException}; a claim with a timeout waits that long and holds up its stage.
 *
 * <p><b>Ordering.</b> What a stage does with an event happens before what later stages do with it.
 * A handler sees events in the order of their sequences. Where workers share a stage, events are
 * handled concurrently; with keys, in order for each key.
 *
 * <p><b>Failure.</b> A handler's exception stops the pipeline, unless its stage {@linkplain
 * PipelineBuilder#retries retries} or {@linkplain PipelineBuilder#skipFailures skips failures}; an
 * {@link Error} or an interrupted thread always stops it. A pipeline that stops wakes all waiting
 * threads: claims throw {@link IllegalStateException} with the failure as its cause, and stages end
 * after their current batch. No stage ever ends silently while others continue.
 *
 * <p><b>Cost.</b> One handler call per batch, plus the cost of a {@link SequenceConsumer}. Nothing
 * is allocated after {@link #start()}.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Pipeline<E> implements Measured, AutoCloseable {
  static {
    PipelineAccess.SECRET.share(pipeline -> pipeline.workers);
  }

  /** Life cycle; only moves forward. */
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

  // Guarded by this object's lock, which is never held while waiting: a handler that calls close
  // must get its exception instead of blocking.
  private State state = State.BUILT;
  private List<Thread> threads = List.of();
  private String failedBy; // the first failure in words, with its stage and sequence
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

  /** Sets up latency measurement for each stage and end to end; returns the latter. */
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
   * @param ring holds the events; it must have no consumers other than the pipeline's
   * @return a builder
   */
  public static <F> PipelineBuilder<F> on(RecordRing<F> ring) {
    return new PipelineBuilder<>(Checks.notNull("ring", ring));
  }

  /**
   * Begins a pipeline on a ring of objects.
   *
   * @param <E> the events
   * @param ring holds the events; it must have no consumers other than the pipeline's
   * @return a builder
   */
  public static <E> PipelineBuilder<E> on(ObjectRing<E> ring) {
    return new PipelineBuilder<>(Checks.notNull("ring", ring));
  }

  /**
   * Adapts an event handler to batches: it is called for each event in turn. Each adapter has its
   * own copy of the code, so that the just-in-time compiler knows which handler it calls.
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
   * Starts a thread for each worker, and returns when all have started.
   *
   * @return this
   * @throws IllegalStateException if it was already started or closed; or if a thread could not be
   *     created or a handler's {@code onStart} failed, which is the cause
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
   * Starts the threads. One that cannot be started counts as ended, so that nothing waits for it.
   */
  private void startAll() {
    int running = 0;
    try {
      threads = workers.stream().map(Worker::newThread).toList();
      for (Thread thread : threads) {
        thread.start();
        running++;
      }
    } catch (Throwable e) { // from the factory, or no more threads can be created
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

  /** Ends the pipeline because of a failure; only the first one is kept. */
  void fail(String words, Throwable failure) {
    synchronized (this) {
      if (failedBy == null) {
        failedBy = words;
      }
    }
    sequencer.fail(failure);
  }

  /**
   * Sends events through all stages before the first real one, so that the just-in-time compiler
   * has seen the code. Counts restart afterwards; sequences do not. If handling an event has side
   * effects, handlers must be able to recognize a warm-up event by what the writer puts into it.
   * With a stall limit, an event that is given up while it is written is left out.
   *
   * @param count how many events; about 20,000 for code that runs once per event
   * @param writer writes an event; if it throws, the event is aborted and the exception goes to the
   *     caller
   * @throws IllegalStateException if the pipeline is not running, if events have been published
   *     before, or if a handler calls this method
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
      // Given up: this thread was stopped for longer than the stall limit. One event fewer.
    }
  }

  /**
   * Closes the ring to producers, and waits until all events are handled and the stages have ended.
   * May be repeated.
   *
   * @param timeout how long to wait
   * @return false if the timeout passed first
   * @throws IllegalStateException if the pipeline was not started, was closed, or has stopped
   *     because of a failure, which is the cause; or if a handler calls this method
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
   * Stops the pipeline: stages end after their current batch, all other events in the ring are
   * lost, and waiting producers get an exception. Waits until all threads have ended, then frees
   * the ring's memory. A second call does nothing. If the calling thread is interrupted while it
   * waits, handlers are interrupted too.
   *
   * @throws IllegalStateException if a handler calls it
   */
  @Override
  public void close() {
    checkCaller("closed");
    synchronized (this) {
      state = State.CLOSED; // no thread starts from now on
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

  /** Throws if a handler is the caller, because it would wait for itself. */
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
    for (int i = 0; i < workers.size(); i++) { // allocates nothing, unlike a stream
      if (workers.get(i).isRunBy(caller)) {
        return true;
      }
    }
    return false;
  }

  /** Waits uninterruptibly; an interrupt is passed on to the workers. */
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
   * Why the pipeline has stopped.
   *
   * @return the first failure that stopped it, or null
   */
  public Throwable failure() {
    return sequencer.failure();
  }

  /**
   * {@inheritDoc}
   *
   * <p>From the ring: {@code published}, {@code dropped}, {@code signalled}, {@code stalled},
   * {@code claimed}, {@code aborted}, {@code refused}. From each stage, in the order in which they
   * were declared: {@code <stage>.processed}, {@code .failed}, {@code .retries}, {@code .skipped}.
   * With {@link PipelineBuilder#latencies}, {@code <stage>.latencyCount} for each stage, and {@code
   * latencyCount} for end to end. All count from the end of the warm-up.
   */
  @Override
  public List<String> counters() {
    return metrics.counters();
  }

  /**
   * {@inheritDoc}
   *
   * <p>From the ring: {@code freeSlots}, {@code outOfUse}. From each stage: {@code <stage>.lag},
   * {@code .utilisationThousandths} and {@code .meanBatchThousandths}. With {@link
   * PipelineBuilder#latencies}, {@code <stage>.latencyP50Nanos}, {@code .latencyP99Nanos}, {@code
   * .latencyP999Nanos} and {@code .latencyMaxNanos} for each stage, and the same names without a
   * stage for end to end. Latencies are measured from the end of the warm-up.
   */
  @Override
  public List<String> gauges() {
    return metrics.gauges();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Takes some milliseconds, and allocates: utilisation is the share of 32 samples in which a
   * worker had events in hand. Apart from counting calls and events once per batch, stages do no
   * work for it. A latency is reported as the upper end of its histogram bucket, at most a
   * hundredth too long.
   */
  @Override
  public void readMetrics(long[] values) {
    metrics.read(values);
  }

  /** Draws the graph as a tree, with the lag of each stage and what it has processed. */
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
