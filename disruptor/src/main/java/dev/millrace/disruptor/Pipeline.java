package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import dev.millrace.core.WaitStrategy;
import dev.millrace.core.internal.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/**
 * Stages that handle the events of one ring, each in threads of its own: one after the other, side
 * by side, or in any acyclic graph.
 *
 * <pre>{@code
 * Pipeline<TradeFlyweight> pipeline =
 *     Pipeline.on(ring)
 *         .stage("parse").sharedBy(4, Parser::new)
 *         .stage("journal").handledBy(new Journal())
 *         .stage("aggregate").after("parse", "journal").handledBy(new Aggregator())
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
 * <p><b>Failure.</b> A handler's exception stops the pipeline, unless its stage {@linkplain
 * PipelineBuilder#retries retries} or {@linkplain PipelineBuilder#skipFailures skips failures}; an
 * {@link Error}, or a thread that is interrupted, always stops it. A pipeline that stops wakes all
 * waiting threads: claims throw {@link IllegalStateException} with the failure as its cause, and
 * stages end after the batch in hand. No stage ever ends silently while others go on.
 *
 * <p><b>Cost.</b> A call of a handler per batch, and what a {@link SequenceConsumer} costs. Nothing
 * is allocated after {@link #start()}.
 *
 * @param <E> the events
 * @since 0.1.0
 */
public final class Pipeline<E> implements Measured, AutoCloseable {
  /** How far it has come; only forward. */
  private enum State {
    BUILT,
    STARTED,
    CLOSED
  }

  private final PipelineBuilder<E> plan;
  private final Sequencer sequencer;
  private final List<Stage<E>> stages; // in the order in which they were begun
  private final List<Worker<E>> workers = new ArrayList<>();
  private final PipelineMetrics<E> metrics;
  private final CountDownLatch started;
  private final CountDownLatch ended;

  // Guarded by this object's lock, which is never held while something is waited for: a handler may
  // close as well, and must be told.
  private State state = State.BUILT;
  private List<Thread> threads = List.of();
  private String failedBy; // the first failure in words, with its stage and sequence
  private long warmedUpTo; // the sequence behind the warm-up

  Pipeline(PipelineBuilder<E> plan, List<Stage<E>> stages) {
    this.plan = plan;
    this.sequencer = plan.ring.sequencer;
    this.stages = stages;
    Latency endToEnd = plan.sampleEvery > 0 ? measureLatencies() : null;
    stages.forEach(this::addWorkers);
    this.metrics = new PipelineMetrics<>(sequencer, stages, endToEnd);
    this.started = new CountDownLatch(workers.size());
    this.ended = new CountDownLatch(workers.size());
  }

  /** Measures the latencies of each stage, and end to end, which it returns. */
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
    // one alone sees all, and may pass over some
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
   * @param ring where the events are; no consumer of it must be made elsewhere
   * @return a builder
   */
  public static <F> PipelineBuilder<F> on(RecordRing<F> ring) {
    return new PipelineBuilder<>(Checks.notNull("ring", ring));
  }

  /**
   * Begins a pipeline on a ring of objects.
   *
   * @param <E> the events
   * @param ring where the events are; no consumer of it must be made elsewhere
   * @return a builder
   */
  public static <E> PipelineBuilder<E> on(ObjectRing<E> ring) {
    return new PipelineBuilder<>(Checks.notNull("ring", ring));
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

  // ---- life ----

  /**
   * Starts a thread for each worker, and returns when all have started.
   *
   * @return this
   * @throws IllegalStateException if it was started or closed before; or if a thread could not be
   *     made or a handler's {@code onStart} failed, which is the cause
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

  /** Starts the threads; those that cannot be count as ended, or all would wait for them. */
  private void startAll() {
    int running = 0;
    try {
      threads = workers.stream().map(Worker::newThread).toList();
      for (Thread thread : threads) {
        thread.start();
        running++;
      }
    } catch (Throwable e) { // the factory's, or there is no room for more threads
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

  /** Ends the pipeline because of a failure, unless one has before. */
  void fail(String words, Throwable failure) {
    synchronized (this) {
      if (failedBy == null) {
        failedBy = words;
      }
    }
    sequencer.fail(failure);
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
    Checks.notNull("writer", writer);
    checkCaller("warmed up");
    checkRuns();
    if (sequencer.claimedEnd() != warmedUpTo()) {
      throw new IllegalStateException(
          "events must not be published before the warm-up: claimed=" + sequencer.claimedEnd());
    }
    Batch<E> view = plan.ring.newBatch();
    for (int written = 0; written < count; written++) {
      write(view, writer);
    }
    while (sequencer.slowest() < sequencer.claimedEnd()) {
      checkFailure();
      Thread.sleep(1);
    }
    metrics.beginAnew();
    synchronized (this) {
      warmedUpTo = sequencer.claimedEnd();
    }
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
    sequencer.commit(sequence);
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
    long limitNanos = Checks.nanos("timeout", timeout);
    checkCaller("drained");
    checkRuns();
    sequencer.complete();
    boolean isDrained = ended.await(limitNanos, TimeUnit.NANOSECONDS);
    checkFailure();
    if (isDrained && sequencer.isStopped() && sequencer.slowest() < sequencer.claimedEnd()) {
      throw new IllegalStateException("pipeline must stay open until drained: " + plan.name);
    }
    return isDrained;
  }

  /**
   * Stops: stages end after the batch in hand, what else is in the ring is lost, and producers that
   * wait get an exception. Returns when all threads have ended, and frees the ring's memory. A
   * second call does nothing. If the calling thread is interrupted meanwhile, handlers are
   * interrupted too.
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
      throw new IllegalStateException(plan.name + ", " + how, failure());
    }
  }

  /** Refuses a handler, which would wait for itself. */
  private void checkCaller(String what) {
    if (threads().contains(Thread.currentThread())) {
      throw new IllegalStateException(
          "pipeline must not be " + what + " by a handler: " + Thread.currentThread());
    }
  }

  /** Waits whatever happens; if it is interrupted, so are the workers. */
  private void awaitAll(CountDownLatch latch) {
    boolean wasInterrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        wasInterrupted = true;
        threads().forEach(Thread::interrupt);
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- looks ----

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
   * <p>Those of the ring: {@code published}, {@code dropped}, {@code signalled}, {@code stalled},
   * {@code claimed}, {@code aborted}, {@code refused}. Of each stage, in the order in which they
   * were begun: {@code <stage>.processed}, {@code .failed}, {@code .retries}, {@code .skipped}.
   * With {@link PipelineBuilder#latencies}, {@code <stage>.latencyCount} of each stage, and {@code
   * latencyCount} end to end. All are since the warm-up.
   */
  @Override
  public List<String> counters() {
    return metrics.counters();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Those of the ring: {@code freeSlots}, {@code outOfUse}. Of each stage: {@code <stage>.lag},
   * {@code .utilisationThousandths} and {@code .meanBatchThousandths}. With {@link
   * PipelineBuilder#latencies}, {@code <stage>.latencyP50Nanos}, {@code .latencyP99Nanos}, {@code
   * .latencyP999Nanos} and {@code .latencyMaxNanos} of each stage, and the same without a stage end
   * to end. Latencies are since the warm-up.
   */
  @Override
  public List<String> gauges() {
    return metrics.gauges();
  }

  /**
   * {@inheritDoc}
   *
   * <p>Takes some milliseconds, for utilisation is the share of 32 looks in which a worker had
   * events in hand, and allocates. No stage counts for it, but for its calls and their events once
   * a batch. A latency is the longest that its bucket counts, at most a hundredth too long.
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
                plan.name,
                describe(),
                sequencer.claimedEnd() - warmedUpTo(),
                sequencer.remainingCapacity(),
                sequencer.capacity()));
  }

  private String describe() {
    if (failure() != null) {
      return "failed (" + failure() + ")";
    }
    if (ended.getCount() == 0) {
      return "ended";
    }
    return sequencer.isCompleted() ? "closed" : started.getCount() == 0 ? "running" : "not started";
  }
}
