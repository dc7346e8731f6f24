package dev.millrace.stress;

import dev.millrace.core.Producer;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.ObjectRing;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.stress.PipelinePlan.Life;
import dev.millrace.stress.PipelinePlan.StagePlan;
import dev.millrace.stress.PipelineWorker.Fault;
import dev.millrace.stress.PipelineWorker.Planned;
import dev.millrace.stress.PipelineWorker.PlannedError;
import dev.millrace.stress.SoakProducer.Ways;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.KFifoSpec;
import dev.millrace.stress.spec.PipelineSpec;
import dev.millrace.stress.spec.PipelineSpec.Shape;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One pipeline, from its making to its end: a random graph whose handlers throw at random and whose
 * producers abort, stall and are refused. It is checked what became of every event in every stage,
 * and that all threads have ended.
 */
final class PipelineRound implements Callable<Counts> {
  private static final long PUT_NANOS = 250_000_000;
  private static final int ONE_STALL_IN = 300;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PipelinePlan plan;
  private final PipelineSpec spec;
  private final List<PipelineWorker> workers = new ArrayList<>();
  private final List<SoakProducer> producers = new ArrayList<>();
  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
  private final AtomicLong heard = new AtomicLong(); // failures, by the listener
  private final Pipeline<Entry> pipeline;
  private final BooleanSupplier isClosed;
  private final Crew crew;
  private volatile boolean isEnding;
  private volatile boolean isDrained;

  /**
   * Makes a round.
   *
   * @param fault what the first worker of the first stage does wrong
   */
  @SuppressWarnings("MustBeClosedChecker") // closed in the end
  PipelineRound(PipelinePlan plan, Fault fault) {
    this.plan = plan;
    List<Shape> shapes = plan.stages().stream().map(StagePlan::shape).toList();
    this.spec = new PipelineSpec(shapes, plan.producers(), plan.firstSkips());
    FlyweightType<Entry> type = Entry.type(plan.checkCount(), true);
    Runnable close;
    if (plan.areObjects()) {
      ObjectRing<Entry> ring = ObjectRing.of(plan.options(), () -> newObject(type));
      this.pipeline = build(Pipeline.on(ring), fault);
      this.isClosed = () -> ring.isCompleted() && ring.isDrained();
      close = ring::close;
      addProducers(() -> new ObjectProducer(ring));
    } else {
      RecordRing<Entry> ring = RecordRing.of(type, plan.options());
      this.pipeline = build(Pipeline.on(ring), fault);
      this.isClosed = () -> ring.isCompleted() && ring.isDrained();
      close = ring::close;
      addProducers(plan.options().manyProducers() ? ring::newProducer : ring::producer);
    }
    this.crew = new Crew("pipeline seed " + plan.seed(), close, this::state);
    crew.watch(
        "events must move",
        () ->
            workers.stream().mapToLong(PipelineWorker::steps).sum()
                + producers.stream().mapToLong(SoakProducer::steps).sum());
  }

  /** An object that lies off the heap as well, but in a place of its own. */
  private static Entry newObject(FlyweightType<Entry> type) {
    long sizeBytes = type.layout().sizeBytes();
    Entry object = type.newFlyweight(Arena.ofAuto().allocate(sizeBytes, Long.BYTES));
    object.moveTo(0);
    return object;
  }

  private void addProducers(Supplier<Producer<Entry>> ends) {
    Ways ways =
        new Ways(
            plan.longestRun(),
            true,
            false,
            plan.pauseEvery(),
            plan.stalls() ? ONE_STALL_IN : 0,
            plan.stalls() ? plan.options().stallNanos() : 0,
            plan.options().onFull());
    for (Sent sent : spec.sents()) {
      producers.add(
          new SoakProducer(
              ends.get(),
              plan.options().manyProducers() ? ends.get() : null,
              sent,
              KFifoSpec.Log.none(),
              ways,
              SoakProducer.Fault.NONE,
              plan.seed() * 64 + 63 - producers.size()));
    }
  }

  private String state() {
    return plan + "\n" + pipeline;
  }

  // ---- making ----

  private Pipeline<Entry> build(PipelineBuilder<Entry> builder, Fault fault) {
    builder
        .named("soak")
        .threads(this::newThread)
        .onFailure(stage -> (failure, sequence) -> onFailure(stage, sequence, failure));
    for (int stage = 0; stage < plan.stages().size(); stage++) {
      StagePlan its = plan.stages().get(stage);
      List<BatchHandler<Entry>> handlers = new ArrayList<>();
      for (int worker = 0; worker < its.shape().workers(); worker++) {
        Fault of = stage == 0 && worker == 0 ? fault : Fault.NONE;
        PipelineWorker made = new PipelineWorker(plan, stage, worker, spec.log(stage, worker), of);
        workers.add(made);
        handlers.add(its.batches() ? made : Pipeline.each(made));
      }
      describe(builder.stage(its.shape().name()), its, handlers);
    }
    return builder.build();
  }

  private Thread newThread(Runnable job) {
    Thread thread =
        (plan.isVirtual() ? Thread.ofVirtual() : Thread.ofPlatform().daemon()).unstarted(job);
    threads.add(thread);
    return thread;
  }

  private void describe(
      PipelineBuilder<Entry> stage, StagePlan its, List<BatchHandler<Entry>> handlers) {
    Shape shape = its.shape();
    Iterator<BatchHandler<Entry>> inTurn = handlers.iterator();
    switch (shape.kind()) {
      case ALL -> {
        if (handlers.size() == 1) {
          stage.handledBy(handlers.getFirst());
        } else {
          stage.handledBy(handlers.getFirst(), handlers.getLast());
        }
      }
      case SHARED -> stage.sharedBy(shape.workers(), inTurn::next);
      case BY_KEY ->
          stage.sharedByKey(
              shape.workers(), event -> PipelineSpec.keyOf(event.wholeNumber()), inTurn::next);
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

  private void onFailure(String stage, long sequence, Throwable failure) {
    if (isPlanned(failure)) {
      heard.incrementAndGet();
    }
    if (failure instanceof Planned planned
        && planned.sequence() >= 0
        && planned.sequence() != sequence) {
      throw new AssertionError(
          "failure must be told with its event: " + sequence + " of " + stage, failure);
    }
  }

  private static boolean isPlanned(Throwable failure) {
    return failure instanceof Planned || failure instanceof PlannedError;
  }

  // ---- life ----

  /** Runs to the end; throws an {@link AssertionError} if the pipeline does not keep its word. */
  @Override
  public Counts call() throws Exception {
    crew.start("starter", this::begin);
    crew.join();
    workers.forEach(PipelineWorker::arm);
    long end = System.nanoTime() + PUT_NANOS;
    for (SoakProducer producer : producers) {
      crew.start("producer", () -> put(producer, end));
    }
    if (plan.life() == Life.CLOSE || plan.life() == Life.DRAIN_AMID) {
      crew.start("ender", this::endAmid);
    } else {
      crew.watchUntil(crew::isDone, this::sample);
      crew.start("ender", this::drain);
    }
    crew.join();
    return settle();
  }

  private void begin() throws InterruptedException {
    pipeline.start();
    if (plan.warmUp() > 0) {
      pipeline.warmUp(plan.warmUp(), event -> event.number(Entry.WARM_UP));
    }
  }

  /** Publishes until it is through, the time has passed, or the ring is closed. */
  private void put(SoakProducer producer, long endNanos) {
    long endNumber = (long) plan.events() * plan.producers();
    BooleanSupplier isOver =
        () -> producer.sent().peekNumber() >= endNumber || System.nanoTime() - endNanos >= 0;
    boolean refuses = false;
    Exception told = null;
    try {
      refuses = !producer.run(isOver);
    } catch (IllegalStateException | InterruptedException e) {
      told = e; // memory was freed during an access, which may leave the thread interrupted
    }
    if ((refuses || told != null) && !isEnding && pipeline.failure() == null) {
      throw new AssertionError("ring must be open: " + told, told);
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

  private void drain() throws InterruptedException {
    try {
      isDrained = pipeline.drain(PATIENCE);
      QueueRound.check(isDrained, "pipeline must get drained", state());
    } catch (IllegalStateException e) {
      checkFailure();
      Throwable failure = pipeline.failure();
      if (failure == null || !failure.equals(e.getCause())) {
        throw new AssertionError("pipeline must not fail: " + state(), e);
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
                Counts.checkWithin(name, value, 0, Long.MAX_VALUE);
              } else if (name.endsWith(".utilisationThousandths")) {
                Counts.checkWithin(name, value, 0, 1_000);
              }
            });
  }

  // ---- the end ----

  private Counts settle() throws Exception {
    for (Thread thread : threads) {
      QueueRound.check(thread.join(PATIENCE), "thread must end", thread + ", " + state());
    }
    try {
      checkFailure();
      spec.checkLives();
      Counts counts = spec.balance(isDrained);
      Counts.check("failures told", heard.get(), counts.get("thrown"));
      if (isDrained) {
        spec.check(
            pipeline.metrics(),
            plan.options().capacity(),
            !plan.stalls(),
            plan.options().manyProducers());
      }
      pipeline.close();
      pipeline.close();
      QueueRound.check(isClosed.getAsBoolean(), "ring must be closed", pipeline);
      return counts.add("drained", isDrained ? 1 : 0);
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
}
