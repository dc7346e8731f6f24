package dev.millrace.stress;

import dev.millrace.core.Sequence;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingProducer;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.stress.PipelineLedger.Shape;
import dev.millrace.stress.PipelinePlan.Life;
import dev.millrace.stress.PipelinePlan.StagePlan;
import dev.millrace.stress.PipelineWorker.Fault;
import dev.millrace.stress.PipelineWorker.Planned;
import dev.millrace.stress.PipelineWorker.PlannedError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** One pipeline of the soak, from its making to its end. */
final class PipelineRound<E extends PipelineEvent> {
  private static final long PUT_NANOS = 250_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PipelinePlan plan;
  private final BooleanSupplier isCompleted;
  private final Supplier<PipelinePort> ports;
  private final PipelineLedger ledger;
  private final List<PipelineWorker<E>> workers = new ArrayList<>();
  private final List<PipelineProducer> producers = new ArrayList<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final AtomicLong heard = new AtomicLong(); // failures, by the listener
  private final Pipeline<E> pipeline;
  private final Crew crew;
  private volatile boolean isEnding;
  private volatile boolean isDrained;

  /**
   * Runs a plan.
   *
   * @param fault what the first worker of the first stage does wrong
   * @return what was seen
   * @throws AssertionError if the pipeline does not keep its word
   */
  static Result run(PipelinePlan plan, Fault fault) throws Exception {
    if (plan.recordBytes() == 0) {
      ObjectRing<PipelineObject> ring = ObjectRing.of(plan.options(), PipelineObject::new);
      return new PipelineRound<>(
              plan,
              fault,
              Pipeline.on(ring),
              ring::isCompleted,
              ring::close,
              () -> new PipelinePort.Objects(ring))
          .run();
    }
    RecordRing<PipelineRecord> ring =
        RecordRing.of(
            FlyweightType.of(memory -> PipelineRecord.of(plan.recordBytes(), memory)),
            plan.options());
    Result result =
        new PipelineRound<>(
                plan,
                fault,
                Pipeline.on(ring),
                ring::isCompleted,
                ring::close,
                () -> new PipelinePort.Records(producer(ring, plan)))
            .run();
    checkFreed(ring);
    return result;
  }

  private static RingProducer<PipelineRecord> producer(
      RecordRing<PipelineRecord> ring, PipelinePlan plan) {
    return plan.options().manyProducers() ? ring.newProducer() : ring.producer();
  }

  private static void checkFreed(RecordRing<?> ring) {
    if (!ring.isDrained()) {
      throw new AssertionError("ring must be closed: " + ring);
    }
  }

  /**
   * What was seen.
   *
   * @param totals the ledger's
   * @param isDrained whether it was drained, or stopped before
   */
  record Result(PipelineLedger.Totals totals, boolean isDrained) {}

  private PipelineRound(
      PipelinePlan plan,
      Fault fault,
      PipelineBuilder<E> builder,
      BooleanSupplier isCompleted,
      Runnable closing,
      Supplier<PipelinePort> ports) {
    this.plan = plan;
    this.isCompleted = isCompleted;
    this.ports = ports;
    List<Shape> shapes = plan.stages().stream().map(StagePlan::shape).toList();
    this.ledger = new PipelineLedger(shapes, plan.producers(), plan.firstSkips());
    for (int stage = 0; stage < shapes.size(); stage++) {
      for (int worker = 0; worker < shapes.get(stage).workers(); worker++) {
        Fault its = stage == 0 && worker == 0 ? fault : Fault.NONE;
        workers.add(new PipelineWorker<>(plan, stage, worker, ledger.log(stage, worker), its));
      }
    }
    this.pipeline = build(builder);
    this.crew = new Crew("pipeline seed " + plan.seed(), closing, this::state);
  }

  private String state() {
    return plan + "\n" + pipeline;
  }

  // ---- making ----

  private Pipeline<E> build(PipelineBuilder<E> builder) {
    builder
        .named("soak")
        .threads(this::newThread)
        .onFailure(stage -> (failure, sequence) -> onFailure(stage, sequence, failure));
    for (int stage = 0; stage < plan.stages().size(); stage++) {
      describe(stage, builder.stage(plan.stages().get(stage).shape().name()));
    }
    return builder.build();
  }

  private Thread newThread(Runnable job) {
    ThreadFactory factory =
        plan.isVirtual() ? Thread.ofVirtual().factory() : Thread.ofPlatform().daemon().factory();
    Thread thread = factory.newThread(job);
    threads.add(thread);
    return thread;
  }

  private void describe(int number, PipelineBuilder<E> stage) {
    StagePlan its = plan.stages().get(number);
    Shape shape = its.shape();
    int first =
        plan.stages().subList(0, number).stream().mapToInt(one -> one.shape().workers()).sum();
    List<BatchHandler<E>> handlers = new ArrayList<>();
    for (PipelineWorker<E> worker : workers.subList(first, first + shape.workers())) {
      handlers.add(its.batches() ? worker : each(worker));
    }
    Supplier<BatchHandler<E>> inTurn = handlers.iterator()::next;
    switch (shape.kind()) {
      case ALL -> {
        if (handlers.size() == 1) {
          stage.handledBy(handlers.getFirst());
        } else {
          stage.handledBy(handlers.getFirst(), handlers.getLast());
        }
      }
      case SHARED -> stage.sharedBy(shape.workers(), inTurn);
      case BY_KEY ->
          stage.sharedByKey(
              shape.workers(), event -> PipelineEvent.keyOf(event.wholeNumber()), inTurn);
    }
    stage
        .after(
            shape.after().stream()
                .map(before -> plan.stages().get(before).shape().name())
                .toArray(String[]::new))
        .waiting(its.waits())
        .retries(shape.retries());
    if (shape.skips()) {
      stage.skipFailures();
    }
    if (its.timeout() != null) {
      stage.timeout(its.timeout());
    }
    if (its.maxBatch() > 0) {
      stage.maxBatch(its.maxBatch());
    }
  }

  /** Its handler of events one by one, which is told of the beginning and the end as well. */
  private static <E extends PipelineEvent> BatchHandler<E> each(PipelineWorker<E> worker) {
    BatchHandler<E> events = Pipeline.each(worker);
    return new BatchHandler<>() {
      @Override
      public void onBatch(dev.millrace.disruptor.Batch<E> batch) throws Exception {
        events.onBatch(batch);
      }

      @Override
      public void onStart() {
        worker.onStart();
      }

      @Override
      public void onEnd() {
        worker.onEnd();
      }
    };
  }

  private void onFailure(String stage, long sequence, Throwable failure) {
    boolean isPlanned = failure instanceof Planned || failure instanceof PlannedError;
    if (isPlanned) {
      heard.incrementAndGet();
    }
    if (failure instanceof Planned planned
        && planned.sequence() >= 0
        && planned.sequence() != sequence) {
      throw new AssertionError(
          "failure must be told with its event: " + sequence + " of " + stage, failure);
    }
  }

  // ---- life ----

  private Result run() throws Exception {
    Crew.Watched watched = new Progress();
    List<Crew.Watched> all = List.of(watched);
    crew.start(Thread.ofPlatform().name("starter").daemon(), this::begin);
    crew.watchUntil(crew::isDone, all, () -> {});
    workers.forEach(PipelineWorker::arm);
    for (int i = 0; i < plan.producers(); i++) {
      PipelinePut put = ledger.puts().get(i);
      producers.add(
          new PipelineProducer(
              plan, i, ports.get(), put, () -> isEnding || pipeline.failure() != null));
    }
    long end = System.nanoTime() + PUT_NANOS;
    for (PipelineProducer producer : producers) {
      crew.start(Thread.ofPlatform().name("producer").daemon(), () -> producer.run(end));
    }
    if (plan.life() == Life.CLOSE || plan.life() == Life.DRAIN_AMID) {
      crew.start(Thread.ofPlatform().name("ender").daemon(), this::endAmid);
      crew.watchUntil(crew::isDone, all, () -> {});
    } else {
      crew.watchUntil(crew::isDone, all, this::sample);
      crew.start(Thread.ofPlatform().name("ender").daemon(), this::drain);
      crew.watchUntil(crew::isDone, all, () -> {});
    }
    return settle();
  }

  private void begin() throws InterruptedException {
    pipeline.start();
    if (plan.warmUp() > 0) {
      pipeline.warmUp(plan.warmUp(), event -> event.begin(PipelineEvent.WARM_UP));
    }
  }

  private void endAmid() throws InterruptedException {
    LockSupport.parkNanos(plan.actNanos());
    isEnding = true;
    if (plan.life() == Life.CLOSE) {
      pipeline.close();
    } else {
      drain();
    }
  }

  @SuppressWarnings("ReferenceEquality") // this very failure
  private void drain() throws InterruptedException {
    try {
      isDrained = pipeline.drain(PATIENCE);
      if (!isDrained) {
        throw new AssertionError("pipeline must get drained: " + state());
      }
    } catch (IllegalStateException e) {
      boolean isPlanned =
          pipeline.failure() instanceof Planned || pipeline.failure() instanceof PlannedError;
      boolean mayStop = plan.life() == Life.STOP || plan.life() == Life.ERROR;
      if (!mayStop || !isPlanned || e.getCause() != pipeline.failure()) {
        throw new AssertionError("pipeline must not fail: " + state(), pipeline.failure());
      }
    }
  }

  /** What any thread may ask while it runs. */
  private void sample() {
    pipeline
        .metrics()
        .forEach(
            (name, value) -> {
              if (name.endsWith(".lag")) {
                Ledger.checkWithin(name, value, 0, Long.MAX_VALUE);
              } else if (name.endsWith(".utilisationThousandths")) {
                Ledger.checkWithin(name, value, 0, 1_000);
              }
            });
  }

  // ---- the end ----

  private Result settle() throws Exception {
    for (Thread thread : threads) {
      if (!thread.join(PATIENCE)) {
        throw new AssertionError("thread must end: " + thread + ", " + state());
      }
    }
    try {
      checkFailure();
      for (PipelineLog log : ledger.allLogs().toList()) {
        log.checkLife("a worker");
      }
      PipelineLedger.Totals totals = ledger.balance(isDrained);
      Ledger.check("failures told", heard.get(), totals.thrown());
      if (isDrained) {
        ledger.check(
            pipeline.metrics(),
            plan.options().capacity(),
            !plan.stalls(),
            plan.options().manyProducers());
      }
      pipeline.close();
      pipeline.close();
      checkClosed();
      return new Result(totals, isDrained);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\n" + plan, e);
    }
  }

  private void checkFailure() {
    Throwable failure = pipeline.failure();
    boolean isPlanned =
        switch (plan.life()) {
          case STOP -> failure == null || failure instanceof Planned;
          case ERROR -> failure == null || failure instanceof PlannedError;
          default -> failure == null;
        };
    if (!isPlanned) {
      throw new AssertionError("pipeline must not fail: " + failure, failure);
    }
  }

  private void checkClosed() {
    if (!isCompleted.getAsBoolean()) {
      throw new AssertionError("ring must be closed: " + pipeline);
    }
  }

  /** All that moves, for who watches whether it does. */
  private final class Progress implements Crew.Watched {
    private final Sequence looks = new Sequence();

    @Override
    public long rounds() {
      return seenSum();
    }

    @Override
    public long seenSum() {
      looks.setPlain(looks.getPlain() + 1); // plain: one thread watches
      return ledger.allLogs().mapToLong(PipelineLog::calls).sum()
          + producers.stream().mapToLong(PipelineProducer::steps).sum();
    }
  }
}
