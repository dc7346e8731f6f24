package dev.millrace.stress;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.internal.RecordStore;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import picocli.CommandLine.Option;

/** The options of all soaks. */
final class Load {
  private static final WaitStrategy[] WAITS = {
    WaitStrategy.yielding(),
    WaitStrategy.sleeping(Duration.ofNanos(50_000)),
    WaitStrategy.parking(),
    new WaitStrategy(0, 0, 5_000),
    new WaitStrategy(0, 0, WaitStrategy.FOREVER)
  };

  @Option(names = "--seconds", description = "for each soak; default: 120")
  double seconds = 120;

  @Option(names = "--records", description = "per round; then each round is run once")
  long records = Long.MAX_VALUE;

  @Option(names = "--seed", description = "of all that is random; default: 1")
  long seed = 1;

  @Option(names = "--only", description = "rounds alone, by the seed that a failure names")
  Long only;

  @Option(
      names = {"--producers", "--writers", "--threads"},
      description = "where there may be many; default: 4")
  int producers = 4;

  @Option(
      names = {"--consumers", "--readers"},
      description = "where there may be many; default: 4")
  int consumers = 4;

  @Option(names = "--capacities", split = ",", description = "of messages and caches: in bytes")
  List<Integer> capacities;

  @Option(names = "--kinds", split = ",", description = "of records and messages; default: all")
  List<RecordStore.Kind> kinds = List.of(RecordStore.Kind.values());

  @Option(names = "--shapes", split = ",", description = "of caches; default: all")
  List<CacheRound.Shape> shapes = List.of(CacheRound.Shape.values());

  @Option(names = "--run", description = "longest run; default: 16")
  int run = 16;

  @Option(names = "--longest", description = "longest message in bytes; default: 300")
  int longest = 300;

  @Option(names = "--limit-millis", description = "the stall limit; default: 5")
  double limitMillis = 5;

  @Option(
      names = "--stall-every",
      description = "claims between two that take about the stall limit; default: 100000")
  int stallEvery = 100_000;

  @Option(names = "--stops", description = "producers that stop, in stalled; default: 1000")
  int stops = 1_000;

  @Option(names = "--fault", description = "to plant: ${COMPLETION-CANDIDATES}")
  Fault fault = Fault.NONE;

  List<Integer> capacities(Integer... otherwise) {
    return capacities == null ? List.of(otherwise) : capacities;
  }

  long limitNanos() {
    return (long) (limitMillis * 1e6);
  }

  /** Draws how to wait: not spinning without end, because threads outnumber processors. */
  static WaitStrategy drawWaits(SplittableRandom random) {
    return WAITS[random.nextInt(WAITS.length)];
  }
}
