package dev.millrace.stress;

import dev.millrace.core.OnFull;
import dev.millrace.core.WaitStrategy;
import dev.millrace.disruptor.RingOptions;
import dev.millrace.stress.spec.FifoSpec;
import dev.millrace.stress.spec.PipelineSpec.Kind;
import dev.millrace.stress.spec.PipelineSpec.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A pipeline of the soak, its producers, what goes wrong, and how it ends: all drawn at random.
 *
 * @param seed of all that is random while it runs
 * @param stages each behind those that it comes after
 * @param options the ring's
 * @param checkCount how many words of an event show whether it is of one piece
 * @param areObjects whether they are objects
 * @param producers how many
 * @param longestRun the most slots that are claimed at a time
 * @param events how many a producer publishes at the most
 * @param pauseEvery after how many claims a producer rests on average; 0 for never
 * @param warmUp how many events go before
 * @param isVirtual whether the workers' threads are
 * @param life how it ends
 * @param actNanos when that begins, if it is while producers claim
 */
record PipelinePlan(
    long seed,
    List<StagePlan> stages,
    RingOptions options,
    int checkCount,
    boolean areObjects,
    int producers,
    int longestRun,
    int events,
    int pauseEvery,
    int warmUp,
    boolean isVirtual,
    Life life,
    long actNanos) {
  private static final int MOST_STAGES = 6;
  private static final int LARGEST_CAPACITY_LOG2 = 10;

  /** How a pipeline ends. */
  enum Life {
    /** Drained, when the producers are through. */
    DRAIN,
    /** Drained while many producers claim. */
    DRAIN_AMID,
    /** Closed while everybody works. */
    CLOSE,
    /** A handler throws what is not tried again. */
    STOP,
    /** A handler throws an error. */
    ERROR
  }

  /**
   * A stage.
   *
   * @param shape as the ledger sees it
   * @param batches whether its handlers take batches
   * @param maxBatch the largest; 0 for the default
   * @param waits how it waits
   * @param throwsEvery on which share of the events its handlers throw; 0 for none
   * @param slowEvery after how many events a handler rests; 0 for never
   * @param stopAt the first event's number on which the pipeline stops; -1 for none
   */
  record StagePlan(
      Shape shape,
      boolean batches,
      int maxBatch,
      WaitStrategy waits,
      Duration timeout,
      int throwsEvery,
      int slowEvery,
      int stopAt) {
    /** How often a handler throws on an event. */
    int throwsOn(int number, int place) {
      long chance = FifoSpec.mix(number * 64L + place) >>> 16;
      if (throwsEvery == 0 || chance % throwsEvery != 0) {
        return 0;
      }
      int most = shape.retries() + (shape.skips() ? 1 : 0);
      return most == 0 ? 0 : 1 + (int) ((chance >>> 24) % most);
    }

    /** Whether a handler throws on an event until that is passed over. */
    boolean failsOn(int number, int place) {
      return throwsOn(number, place) > shape.retries();
    }
  }

  boolean stalls() {
    return options.stallNanos() != WaitStrategy.FOREVER;
  }

  boolean firstSkips() {
    return options.onFull() == OnFull.DROP_OLDEST;
  }

  /** Where a handler leaves its mark; workers that share events share it. */
  int place(int stage, int worker) {
    return 2 * stage + (stages.get(stage).shape.kind() == Kind.ALL ? worker : 0);
  }

  /** Where the handlers of all stages before a stage leave their marks. */
  List<Integer> placesBefore(int stage) {
    TreeSet<Integer> before = new TreeSet<>(stages.get(stage).shape.after());
    for (int its = stage - 1; its >= 0; its--) {
      if (before.contains(its)) {
        before.addAll(stages.get(its).shape.after());
      }
    }
    return before.stream()
        .flatMap(
            its ->
                IntStream.range(0, stages.get(its).shape.workers())
                    .mapToObj(worker -> place(its, worker)))
        .distinct()
        .toList();
  }

  @Override
  public String toString() {
    return "pipeline seed %d, %s, %s with %d checks, producers %d, warm-up %d, %s%s"
        .formatted(
            seed,
            options,
            areObjects ? "objects" : "records",
            checkCount,
            producers,
            warmUp,
            life,
            stages.stream().map(stage -> "\n  " + stage).collect(Collectors.joining()));
  }

  // ---- drawn at random ----

  /** Makes the plan of a seed. */
  static PipelinePlan of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int capacity = 1 << (1 + random.nextInt(LARGEST_CAPACITY_LOG2));
    RingOptions options = options(random, capacity);
    boolean many = options.manyProducers();
    Life life = life(random, many);
    boolean isVirtual = random.nextInt(8) == 0;
    return new PipelinePlan(
        seed,
        stages(random, options.onFull() == OnFull.DROP_OLDEST, life),
        options,
        random.nextInt(3),
        random.nextBoolean(),
        many ? 1 + random.nextInt(3) : 1,
        1 + random.nextInt(Math.min(capacity, 64)),
        1 << (6 + random.nextInt(9)),
        oneOf(random, 0, 0, 20, 200),
        oneOf(random, 0, 0, 0, 1 + random.nextInt(2_000)),
        isVirtual,
        life,
        random.nextLong(1_000_000, 60_000_000));
  }

  @SafeVarargs
  private static <T> T oneOf(SplittableRandom random, T... all) {
    return all[random.nextInt(all.length)];
  }

  private static Life life(SplittableRandom random, boolean many) {
    return switch (random.nextInt(16)) {
      case 0, 1, 2 -> many ? Life.DRAIN_AMID : Life.DRAIN;
      case 3, 4 -> Life.CLOSE;
      case 5, 6 -> Life.STOP;
      case 7 -> Life.ERROR;
      default -> Life.DRAIN;
    };
  }

  private static RingOptions options(SplittableRandom random, int capacity) {
    boolean many = random.nextInt(3) > 0;
    OnFull any = oneOf(random, OnFull.values());
    boolean isWaiting = random.nextInt(3) > 0 || (any == OnFull.DROP_OLDEST && !many);
    RingOptions options =
        (many ? RingOptions.multiProducer(capacity) : RingOptions.singleProducer(capacity))
            .withOnFull(isWaiting ? OnFull.WAIT : any)
            .withProducerWaits(waits(random));
    return many && random.nextInt(4) == 0
        ? options.withStallLimit(Duration.ofNanos(random.nextLong(100_000, 5_000_000)))
        : options;
  }

  /** No spinning without end, for there are more threads than processors. */
  private static WaitStrategy waits(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> WaitStrategy.yielding();
      case 1 -> WaitStrategy.sleeping(Duration.ofNanos(50_000));
      case 2 -> WaitStrategy.parking();
      case 3 -> new WaitStrategy(0, 0, 5_000);
      default -> new WaitStrategy(0, 0, WaitStrategy.FOREVER);
    };
  }

  private static List<StagePlan> stages(SplittableRandom random, boolean firstSkips, Life life) {
    int count = 1 + random.nextInt(MOST_STAGES);
    int stops = life == Life.STOP || life == Life.ERROR ? random.nextInt(count) : -1;
    List<StagePlan> stages = new ArrayList<>();
    for (int stage = 0; stage < count; stage++) {
      List<Integer> after = new ArrayList<>();
      for (int before = 0; before < stage; before++) {
        if (random.nextInt(5) < 2) {
          after.add(before);
        }
      }
      if (firstSkips && stage > 0 && after.isEmpty()) {
        after.add(0);
      }
      boolean mustBeSole = firstSkips && stage == 0;
      stages.add(stage(random, stage, after, mustBeSole, stage == stops));
    }
    return stages;
  }

  private static StagePlan stage(
      SplittableRandom random, int stage, List<Integer> after, boolean mustBeSole, boolean stops) {
    Kind kind = oneOf(random, Kind.values());
    int workers = mustBeSole ? 1 : 1 + random.nextInt(kind == Kind.ALL ? 2 : 3);
    int retries = oneOf(random, 0, 0, 1, 3);
    Shape shape = new Shape("stage" + stage, kind, workers, List.copyOf(after), retries, !stops);
    return new StagePlan(
        shape,
        random.nextBoolean(),
        oneOf(random, 0, 1, 2, 1 + random.nextInt(100)),
        waits(random),
        random.nextInt(4) == 0 ? Duration.ofNanos(random.nextLong(50_000, 2_000_000)) : null,
        oneOf(random, 0, 2, 50, 1_000),
        oneOf(random, 0, 0, 100, 1_000),
        stops ? random.nextInt(1 << (2 + random.nextInt(12))) : -1);
  }
}
