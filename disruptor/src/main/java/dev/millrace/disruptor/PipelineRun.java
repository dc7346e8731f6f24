package dev.millrace.disruptor;

import dev.millrace.core.Measured.Metric;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Pipeline.Snapshot;
import dev.millrace.disruptor.Pipeline.StageSnapshot;
import dev.millrace.disruptor.Sequencer.Counters;
import dev.millrace.disruptor.WorkCounts.Counts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The workers of a pipeline, and its life. */
final class PipelineRun<E> {
  private static final int THOUSANDTHS = 1_000;
  private static final int LOOKS = 32;
  private static final long NANOS_BETWEEN_LOOKS = 20_000;

  /** How far it has come; only forward. */
  private enum State {
    BUILT,
    STARTED,
    CLOSED
  }

  /** The workers of a stage. */
  private record Crew<E>(Stage<E> stage, List<Worker<E>> workers) {}

  /** Where events and counts begin behind the warm-up. */
  private record WarmUp<E>(long end, Counters producers, Map<Worker<E>, Counts> workers) {}

  private final PipelineGraph<E> graph;
  private final Sequencer sequencer;
  private final Map<String, Crew<E>> crews = new LinkedHashMap<>();
  private final CountDownLatch started;
  private final CountDownLatch ended;

  // Guarded by this object's lock, which is never held while something is waited for: a handler may
  // close as well, and must be told.
  private State state = State.BUILT;
  private List<Thread> threads = List.of();
  private String failedBy; // the first failure in words, with its stage and sequence
  private long publishedAtEnd = -1; // once the memory is freed
  private WarmUp<E> warmUp = new WarmUp<>(0, Counters.NONE, Map.of()); // what to take off

  PipelineRun(PipelineGraph<E> graph) {
    this.graph = graph;
    this.sequencer = graph.ring.sequencer;
    for (Stage<E> stage : graph.stages()) {
      crews.put(stage.name, new Crew<>(stage, workers(stage)));
    }
    int count = (int) allWorkers().count();
    this.started = new CountDownLatch(count);
    this.ended = new CountDownLatch(count);
  }

  private List<Worker<E>> workers(Stage<E> stage) {
    SequenceConsumer[] upstream =
        stage.after.stream()
            .flatMap(name -> crews.get(name).workers.stream())
            .map(worker -> worker.consumer)
            .toArray(SequenceConsumer[]::new);
    int count = stage.handlers.size();
    List<SequenceConsumer> consumers = new ArrayList<>();
    if (stage.kind == Stage.Kind.SHARED
        && count > 1) { // one alone sees all, and may pass over some
      consumers.addAll(sequencer.newSharedConsumers(count, stage.waits, upstream));
    }
    while (consumers.size() < count) {
      consumers.add(sequencer.newConsumer(stage.waits, upstream));
    }
    boolean skips = graph.skips() && stage.after.isEmpty();
    List<Worker<E>> workers = new ArrayList<>();
    for (SequenceConsumer consumer : consumers) {
      workers.add(new Worker<>(this, graph, stage, workers.size(), consumer, skips));
    }
    return workers;
  }

  private Stream<Worker<E>> allWorkers() {
    return crews.values().stream().flatMap(crew -> crew.workers.stream());
  }

  private synchronized List<Thread> threads() {
    return threads;
  }

  private synchronized WarmUp<E> warmUp() {
    return warmUp;
  }

  // ---- life ----

  void start() {
    synchronized (this) {
      if (state != State.BUILT) {
        throw new IllegalStateException(
            "pipeline must be started only once, before it is closed: state=" + state);
      }
      state = State.STARTED;
      startAll();
    }
    awaitAll(started);
    if (failure() != null) {
      throw failed();
    }
  }

  /** Starts the threads; those that cannot be count as ended, or all would wait for them. */
  private void startAll() {
    int count = (int) allWorkers().count();
    int running = 0;
    try {
      threads = allWorkers().map(Worker::newThread).toList();
      for (Thread thread : threads) {
        thread.start();
        running++;
      }
    } catch (Throwable e) { // the factory's, or there is no room for more threads
      sequencer.fail(e);
      for (int left = running; left < count; left++) {
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

  /**
   * Ends the pipeline because of a failure, unless one has before.
   *
   * @param sequence the event, or -1 if the failure is of none
   */
  void fail(String stage, long sequence, Throwable failure) {
    synchronized (this) {
      if (failedBy == null) {
        failedBy = describe(stage, sequence, failure);
      }
    }
    sequencer.fail(failure);
  }

  static String describe(String stage, long sequence, Throwable failure) {
    String where = sequence < 0 ? " failed: " : " failed at sequence " + sequence + ": ";
    return "stage \"" + stage + "\"" + where + failure;
  }

  Throwable failure() {
    return sequencer.failure();
  }

  private IllegalStateException failed() {
    synchronized (this) {
      String how = failedBy == null ? "failed to start: " + failure() : failedBy;
      return new IllegalStateException(graph.name + ", " + how, failure());
    }
  }

  void warmUp(int count, Consumer<? super E> writer) throws InterruptedException {
    checkCaller("warmed up");
    checkRuns();
    if (sequencer.claimedEnd() != warmUp().end()) {
      throw new IllegalStateException(
          "events must not be published before the warm-up: claimed=" + sequencer.claimedEnd());
    }
    Batch<E> view = graph.ring.newBatch();
    for (int written = 0; written < count; written++) {
      long sequence = sequencer.awaitClaim(1, WaitStrategy.FOREVER);
      if (sequence < 0) {
        throw failure() == null ? graph.ring.closed() : failed();
      }
      view.begin(sequence, 1);
      boolean isWritten = false;
      try {
        writer.accept(view.at(0));
        isWritten = true;
      } finally {
        if (!isWritten) {
          sequencer.abort(sequence);
        }
      }
      sequencer.commit(sequence);
    }
    while (sequencer.slowest() < sequencer.claimedEnd()) {
      if (failure() != null) {
        throw failed();
      }
      Thread.sleep(1);
    }
    Map<Worker<E>, Counts> counts = new HashMap<>();
    allWorkers().forEach(worker -> counts.put(worker, worker.counts.now()));
    synchronized (this) {
      warmUp = new WarmUp<>(sequencer.claimedEnd(), sequencer.counters(), counts);
    }
  }

  private synchronized void checkRuns() {
    if (state != State.STARTED) {
      throw new IllegalStateException("pipeline must be started and open: state=" + state);
    }
  }

  boolean drain(long limitNanos) throws InterruptedException {
    checkCaller("drained");
    checkRuns();
    sequencer.complete();
    boolean isDrained = ended.await(limitNanos, TimeUnit.NANOSECONDS);
    if (failure() != null) {
      throw failed();
    }
    if (isDrained && sequencer.isStopped() && sequencer.slowest() < sequencer.claimedEnd()) {
      throw new IllegalStateException("pipeline must stay open until drained: " + graph.name);
    }
    return isDrained;
  }

  void close() {
    checkCaller("closed");
    synchronized (this) {
      state = State.CLOSED; // no thread starts from now on
    }
    sequencer.stop();
    if (!threads().isEmpty()) {
      awaitAll(ended);
    }
    synchronized (this) {
      if (publishedAtEnd < 0) {
        publishedAtEnd = sequencer.publishedEnd();
        graph.ring.close();
      }
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

  Snapshot snapshot() {
    Map<Crew<E>, Integer> busy = new LinkedHashMap<>();
    for (int look = 0; look < LOOKS; look++) {
      for (Crew<E> crew : crews.values()) {
        long working = crew.workers.stream().filter(one -> one.consumer.isAtWork()).count();
        busy.merge(crew, (int) working, Integer::sum);
      }
      LockSupport.parkNanos(NANOS_BETWEEN_LOOKS);
    }
    List<StageSnapshot> stages = new ArrayList<>();
    busy.forEach((crew, times) -> stages.add(look(crew, times / (double) LOOKS)));
    return new Snapshot(
        publishedEnd() - warmUp().end(),
        sequencer.remainingCapacity(),
        sequencer.counters().since(warmUp().producers()),
        List.copyOf(stages));
  }

  private long publishedEnd() {
    synchronized (this) {
      return publishedAtEnd < 0 ? sequencer.publishedEnd() : publishedAtEnd;
    }
  }

  List<Metric> metrics() {
    List<Metric> metrics = new ArrayList<>();
    metrics.add(Metric.counter("published"));
    metrics.add(Metric.gauge("freeSlots"));
    metrics.add(Metric.counter("dropped"));
    metrics.add(Metric.counter("signalled"));
    metrics.add(Metric.counter("stalled"));
    for (String stage : crews.keySet()) {
      metrics.add(Metric.counter(stage + ".processed"));
      metrics.add(Metric.counter(stage + ".failed"));
      metrics.add(Metric.counter(stage + ".retries"));
      metrics.add(Metric.counter(stage + ".skipped"));
      metrics.add(Metric.gauge(stage + ".lag"));
      metrics.add(Metric.gauge(stage + ".utilisationThousandths"));
      metrics.add(Metric.gauge(stage + ".meanBatchThousandths"));
    }
    return List.copyOf(metrics);
  }

  void readMetrics(long[] values) {
    Snapshot now = snapshot();
    int i = 0;
    values[i++] = now.published();
    values[i++] = now.freeSlots();
    values[i++] = now.producers().dropped();
    values[i++] = now.producers().signalled();
    values[i++] = now.producers().stalled();
    for (StageSnapshot stage : now.stages()) {
      values[i++] = stage.processed();
      values[i++] = stage.failed();
      values[i++] = stage.retries();
      values[i++] = stage.skipped();
      values[i++] = stage.lag();
      values[i++] = Math.round(stage.utilisation() * THOUSANDTHS);
      values[i++] = Math.round(stage.meanBatch() * THOUSANDTHS);
    }
  }

  private StageSnapshot look(Crew<E> crew, double busyWorkers) {
    Map<Worker<E>, Counts> before = warmUp().workers();
    Counts all = Counts.NONE;
    long least = Long.MAX_VALUE;
    for (Worker<E> worker : crew.workers) {
      Counts own = worker.counts.now().minus(before.getOrDefault(worker, Counts.NONE));
      all = all.plus(own);
      least = Math.min(least, own.events());
    }
    boolean eachSeesAll = crew.stage.kind == Stage.Kind.EACH_SEES_ALL;
    return new StageSnapshot(
        crew.stage.name,
        eachSeesAll ? least : all.events(),
        all.failed(),
        all.retries(),
        all.skipped(),
        lag(crew),
        busyWorkers / crew.workers.size(),
        all.batches() == 0 ? 0 : all.events() / (double) all.batches());
  }

  private static <E> long lag(Crew<E> crew) {
    long most = 0;
    for (Worker<E> worker : crew.workers) {
      long progress = worker.consumer.progress(); // first, or it may be ahead
      most = Math.max(most, worker.consumer.source() - progress);
    }
    return most;
  }

  String picture() {
    PipelinePicture picture =
        new PipelinePicture(
            graph.name
                + ": "
                + describe()
                + ", claimed "
                + (sequencer.claimedEnd() - warmUp().end())
                + ", free "
                + sequencer.remainingCapacity()
                + " of "
                + sequencer.capacity());
    for (Crew<E> crew : crews.values()) {
      picture.add(crew.stage.name, crew.stage.after, describe(crew));
    }
    return picture.draw();
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

  private String describe(Crew<E> crew) {
    int count = crew.workers.size();
    String how =
        switch (crew.stage.kind) {
          case EACH_SEES_ALL -> count == 1 ? "" : " x" + count;
          case SHARED -> " x" + count + " shared";
          case SHARED_BY_KEY -> " x" + count + " shared by key";
        };
    StageSnapshot now = look(crew, 0);
    String failures = now.failed() == 0 ? "" : ", failed " + now.failed();
    String skips = now.skipped() == 0 ? "" : ", skipped " + now.skipped();
    return how + ", lag " + now.lag() + ", processed " + now.processed() + failures + skips;
  }
}
