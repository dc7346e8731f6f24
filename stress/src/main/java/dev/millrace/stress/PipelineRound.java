package dev.millrace.stress;

import dev.millrace.core.OnFull;
import dev.millrace.core.Sequence;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.Batch;
import dev.millrace.disruptor.BatchHandler;
import dev.millrace.disruptor.EventHandler;
import dev.millrace.disruptor.Pipeline;
import dev.millrace.disruptor.PipelineBuilder;
import dev.millrace.disruptor.RecordRing;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.stress.Fault.Plant;
import dev.millrace.stress.spec.Counts;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.FifoSpec.Sent;
import dev.millrace.stress.spec.PipelineSpec;
import dev.millrace.stress.spec.PipelineSpec.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * One pipeline, from its making to its end, all of it drawn at random from a seed: a graph whose
 * handlers throw and whose producers abort, stall and are refused. Each handler checks that those
 * before have left their marks in the event, and leaves its own.
 */
final class PipelineRound extends Round {
  private static final long SEND_NANOS = 250_000_000;
  private static final long REST_NANOS = 20_000;
  private static final int MORE_NUMBERS = 1_000; // of a producer's last claims
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration FOREVER = Duration.ofNanos(WaitStrategy.FOREVER);

  /** How a pipeline ends. */
  private enum Life {
    /** Drained, when the producers have sent all. */
    DRAIN,
    /** Drained while many producers claim. */
    DRAIN_AMID,
    /** Closed while all threads work. */
    CLOSE,
    /** A handler throws what is not tried again. */
    STOP,
    /** A handler throws an error. */
    ERROR
  }

  /** What a handler throws, as it was drawn. */
  private static final class Planned extends Exception {
    private static final long serialVersionUID = 1L;
    private final long sequence;

    Planned(long sequence) {
      super("planned, sequence=" + sequence, null, false, false);
      this.sequence = sequence;
    }
  }

  private final SplittableRandom random;
  private final RingOptions options;
  private final Life life;
  private final PipelineSpec spec;
  private final List<Stage> stages = new ArrayList<>();
  private final Queue<Thread> handling = new ConcurrentLinkedQueue<>();
  private final AtomicLong heard = new AtomicLong(); // failures, by the listener
  private final AtomicLong starts = new AtomicLong();
  private final AtomicLong ends = new AtomicLong();
  private RecordRing<Entry> ring; // null before it is made
  private Pipeline<Entry> pipeline;
  private volatile boolean isEnding;
  private volatile boolean isDrained;

  PipelineRound(Load load, long seed) {
    super(load, seed);
    this.random = new SplittableRandom(seed);
    int capacity = 1 << (1 + random.nextInt(10));
    boolean many = random.nextInt(3) > 0;
    this.onFull = random.nextBoolean() ? OnFull.WAIT : oneOf(OnFull.values());
    this.onFull = onFull == OnFull.DROP_OLDEST && !many ? OnFull.WAIT : onFull;
    this.stallNanos = many && random.nextInt(4) == 0 ? random.nextLong(100_000, 5_000_000) : 0;
    this.options =
        (many ? RingOptions.multiProducer(capacity) : RingOptions.singleProducer(capacity))
            .withOnFull(onFull)
            .withProducerWaits(Load.drawWaits(random))
            .withStallLimit(stallNanos > 0 ? Duration.ofNanos(stallNanos) : FOREVER);
    Life its = oneOf(Life.DRAIN, Life.DRAIN_AMID, Life.DRAIN, Life.CLOSE, Life.STOP, Life.ERROR);
    this.life = its == Life.DRAIN_AMID && !many ? Life.DRAIN : its;
    this.name = "pipeline, " + life.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    this.run = 1 + random.nextInt(Math.min(capacity, 64));
    int producers = many ? 1 + random.nextInt(3) : 1;
    int events = 1 << (6 + random.nextInt(9)); // of each producer
    this.records = Math.min(records, (long) events * producers);
    this.nanos = SEND_NANOS;
    this.faultOfSender = Fault.NONE; // the first handler does it
    this.spec = new PipelineSpec(producers, producers * (events + MORE_NUMBERS), skips());
  }

  @SafeVarargs
  private <T> T oneOf(T... all) {
    return all[random.nextInt(all.length)];
  }

  private boolean skips() {
    return onFull == OnFull.DROP_OLDEST;
  }

  // ---- making ----

  private void open() {
    ring = RecordRing.of(Entry.type(1 + random.nextInt(3)), options);
    close = ring::close;
    state = () -> options + ", " + pipeline;
    boolean areVirtual = random.nextInt(8) == 0;
    Thread.Builder threads = areVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
    PipelineBuilder<Entry> builder =
        Pipeline.on(ring)
            .threads(job -> addThread(threads.unstarted(job)))
            .onFailure(stage -> (failure, sequence) -> onFailure(failure, sequence));
    int count = 1 + random.nextInt(Entry.PLACES / 2);
    int stops = life == Life.STOP || life == Life.ERROR ? random.nextInt(count) : -1;
    for (int i = 0; i < count; i++) {
      addStage(builder, i, i == stops);
    }
    pipeline = builder.build();
    for (Sent sent : spec.sents()) {
      boolean many = options.manyProducers();
      Sink first = new Sink.Of(many ? ring.newProducer() : ring.producer());
      addSender(first, many ? new Sink.Of(ring.newProducer()) : null, sent);
    }
  }

  private Thread addThread(Thread thread) {
    handling.add(thread);
    return thread;
  }

  private void addStage(PipelineBuilder<Entry> builder, int index, boolean stops) {
    Kind kind = oneOf(Kind.values());
    int retries = oneOf(0, 0, 1, 3);
    int workers = skips() && index == 0 ? 1 : 1 + random.nextInt(kind == Kind.ALL ? 2 : 3);
    List<Stage> after =
        stages.stream()
            .filter(its -> random.nextInt(5) < 2 || (skips() && its.index == 0))
            .toList();
    Map<Integer, Stage> before = new HashMap<>();
    for (Stage its : after) {
      before.putAll(its.before);
      IntStream.range(0, its.places).forEach(worker -> before.put(its.place(worker), its));
    }
    Stage stage =
        new Stage(
            spec.addStage("stage" + index, kind, retries, !stops),
            index,
            kind == Kind.ALL ? workers : 1,
            before,
            oneOf(2, 50, 1_000, 1_000_000),
            stops ? random.nextInt(1 << (2 + random.nextInt(12))) : Long.MAX_VALUE);
    stages.add(stage);
    List<BatchHandler<Entry>> handlers = new ArrayList<>();
    boolean isBatched = random.nextBoolean();
    for (int i = 0; i < workers; i++) {
      Handler handler = new Handler(stage, i, index + i == 0 ? load.fault : Fault.NONE);
      handlers.add(isBatched ? handler : Pipeline.each(handler));
    }
    builder.stage(stage.spec.name());
    PipelineBuilder<Entry> begun =
        switch (kind) {
          case ALL ->
              workers == 1
                  ? builder.handledBy(handlers.getFirst())
                  : builder.handledBy(handlers.getFirst(), handlers.getLast());
          case SHARED -> builder.sharedBy(workers, handlers.iterator()::next);
          case BY_KEY -> builder.sharedByKey(workers, Stage::keyOf, handlers.iterator()::next);
        };
    begun
        .after(after.stream().map(its -> its.spec.name()).toArray(String[]::new))
        .waiting(Load.drawWaits(random))
        .retries(retries)
        .timeout(oneOf(FOREVER, Duration.ofNanos(random.nextLong(50_000, 2_000_000))))
        .maxBatch(oneOf(256, 1, 2, 1 + random.nextInt(100)));
    if (!stops) {
      begun.skipFailures();
    }
  }

  private void onFailure(Throwable failure, long sequence) {
    if (planned(failure) instanceof Planned planned) {
      heard.incrementAndGet();
      Counts.check("sequence reported with a failure", sequence, planned.sequence);
    }
  }

  /** What was drawn, or null; an error has it as its cause. */
  private static Throwable planned(Throwable failure) {
    return failure instanceof Error ? failure.getCause() : failure;
  }

  /**
   * A stage.
   *
   * @param places how many of its handlers leave a mark of their own: one if workers share events
   * @param before the places of the marks that events have before it, each with its stage
   * @param throwsEvery on which share of the events its handlers throw
   * @param stopAt the first event's number on which the pipeline stops
   */
  private record Stage(
      PipelineSpec.Stage spec,
      int index,
      int places,
      Map<Integer, Stage> before,
      int throwsEvery,
      long stopAt) {
    static long keyOf(Entry event) {
      return PipelineSpec.keyOf(event.wholeNumber());
    }

    int place(int worker) {
      return 2 * index + (places > 1 ? worker : 0);
    }

    /** How often a handler throws on an event. */
    int throwsOn(long number, int place) {
      long chance = FifoSpec.mix(number * 64L + place) >>> 16;
      int most = spec.retries() + (spec.skips() ? 1 : 0);
      return most == 0 || chance % throwsEvery != 0 ? 0 : 1 + (int) ((chance >>> 24) % most);
    }

    /** The mark that a handler leaves: 0 if it never handles the event. */
    byte markOf(long number, int place) {
      boolean isFailed = throwsOn(number, place) > spec.retries();
      return isFailed ? 0 : (byte) (FifoSpec.mix(number * Entry.PLACES + place) >>> 56 | 1);
    }
  }

  // ---- handling ----

  private final class Handler implements BatchHandler<Entry>, EventHandler<Entry> {
    private final Stage stage;
    private final int place;
    private final PipelineSpec.Log log;
    private final Plant plant;
    private final SplittableRandom rests = random.split();
    private final Sequence steps = new Sequence();
    private long last = -1; // the sequence of the event in hand
    private Fault wrong = Fault.NONE; // what is done wrong with it

    Handler(Stage stage, int worker, Fault fault) {
      this.stage = stage;
      this.place = stage.place(worker);
      this.log = spec.new Log(stage.spec);
      this.plant = new Plant(fault);
      watch(steps::getOpaque);
    }

    @Override
    public void onStart() {
      starts.incrementAndGet();
    }

    @Override
    public void onEnd() {
      ends.incrementAndGet();
    }

    @Override
    public void onBatch(Batch<Entry> batch) throws Exception {
      Counts.checkWithin("events of a batch", batch.remaining(), 1, batch.size());
      while (batch.next()) {
        onEvent(batch.event(), batch.sequence(), batch.isLast());
      }
    }

    @Override
    public void onEvent(Entry event, long sequence, boolean endOfBatch) throws Exception {
      steps.setOpaque(steps.getPlain() + 1); // opaque: a count; plain: this thread's own
      long number = event.wholeNumber();
      if (number == Entry.WARM_UP) {
        return;
      }
      stage.before.forEach((its, before) -> checkMark(event, its, before.markOf(number, its)));
      checkMark(event, place, (byte) 0);
      if (sequence != last) { // a fault that began with a retry would break the rule of retries
        last = sequence;
        wrong = plant.due();
      }
      if (wrong == Fault.LOSE) {
        event.mark(place, stage.markOf(number, place));
        return;
      }
      int thrown = log.given(wrong == Fault.REORDER ? sequence + 1 : sequence, number);
      boolean stops = number >= stage.stopAt;
      if (stops || thrown < stage.throwsOn(number, place)) {
        log.threw();
        Planned planned = new Planned(sequence);
        if (stops && life == Life.ERROR) {
          throw new Error(planned);
        }
        throw planned;
      }
      event.mark(place, wrong == Fault.LAG ? 0 : stage.markOf(number, place));
      log.handled();
      if (wrong == Fault.MISCOUNT) {
        log.threw();
      }
      if (wrong == Fault.REPEAT) {
        int _ = log.given(sequence, number);
      }
      if (rests.nextInt(1_000) == 0) {
        LockSupport.parkNanos(REST_NANOS);
      }
    }

    private void checkMark(Entry event, int its, byte mustBe) {
      if (event.mark(its) != mustBe) {
        String rule = its == place ? "once" : "after those before";
        throw new AssertionError(
            "event must be handled " + rule + ": " + event + ", " + stage.spec.name());
      }
    }
  }

  // ---- life ----

  @Override
  Counts run() throws Exception {
    open();
    start("starter", this::begin);
    join();
    startEnds();
    if (life == Life.CLOSE || life == Life.DRAIN_AMID) {
      LockSupport.parkNanos(random.nextLong(1_000_000, 60_000_000));
      isEnding = true;
    } else {
      awaitSent();
      stop("producer");
    }
    start("ender", life == Life.CLOSE ? pipeline::close : this::drain);
    join();
    return settle();
  }

  private void begin() throws InterruptedException {
    pipeline.start();
    int count = oneOf(0, 0, 0, 1 + random.nextInt(2_000));
    if (count > 0) {
      pipeline.warmUp(count, event -> event.number(Entry.WARM_UP));
    }
  }

  @Override
  void send(Sender sender) {
    try {
      super.send(sender);
    } catch (IllegalStateException | InterruptedException e) {
      // Memory was freed during an access, which may leave the thread interrupted. Nothing else may
      // end a sender halfway, because the drain would wait for a claim that it leaves open.
      if (!isEnding || life != Life.CLOSE) {
        throw new AssertionError("only a close may stop a producer: " + e.getMessage(), e);
      }
    }
  }

  @Override
  void checkCompleted() {
    Counts.check(isEnding || pipeline.failure() != null, "ring must be open", pipeline);
  }

  private void drain() throws InterruptedException {
    try {
      isDrained = pipeline.drain(PATIENCE);
      Counts.check(isDrained, "pipeline must get drained", state.get());
    } catch (IllegalStateException e) {
      Throwable failure = pipeline.failure();
      boolean isTold = failure != null && Objects.equals(e.getCause(), failure);
      Counts.check(isTold, "failure of a drain must be the pipeline's", e);
    }
  }

  @Override
  void sample() {
    pipeline.metrics().forEach((name, count) -> Counts.checkWithin(name, count, 0, Long.MAX_VALUE));
  }

  private Counts settle() throws InterruptedException {
    for (Thread thread : handling) {
      Counts.check(thread.join(PATIENCE), "thread must end", thread + ", " + pipeline);
    }
    Throwable failure = pipeline.failure();
    boolean mayFail = life == Life.STOP || life == Life.ERROR;
    if (failure != null && !(mayFail && planned(failure) instanceof Planned)) {
      throw new AssertionError("pipeline must not fail: " + failure, failure);
    }
    Counts.check("calls of onStart", starts.get(), handling.size());
    Counts.check("calls of onEnd", ends.get(), handling.size());
    Counts counts = spec.balance(isDrained);
    Counts.check("failures reported", heard.get(), counts.get("thrown"));
    if (isDrained) {
      Map<String, Long> metrics = pipeline.metrics();
      Counts.check("freeSlots", metrics.get("freeSlots"), options.capacity());
      spec.check(counts, metrics, stallNanos == 0, options.manyProducers());
    }
    pipeline.close();
    pipeline.close();
    Counts.check(ring.isCompleted() && ring.isDrained(), "ring is open after the close", pipeline);
    return counts.add("drained", isDrained ? 1 : 0);
  }
}
