package dev.millrace.stress;

import dev.millrace.core.WaitStrategy;
import dev.millrace.queues.internal.RecordStore;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import picocli.CommandLine.Option;

/** The options of all soaks. */
final class Load {
  @Option(names = "--seconds", description = "for each soak; default: 120")
  double seconds = 120;

  @Option(names = "--records", description = "of a round, of which each is run once")
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

  @Option(names = "--capacities", split = ",", description = "of messages and caches in bytes")
  List<Integer> capacities;

  @Option(names = "--kinds", split = ",", description = "of records and messages; default: all")
  List<RecordStore.Kind> kinds = List.of(RecordStore.Kind.values());

  @Option(names = "--shapes", split = ",", description = "of caches; default: all")
  List<CacheRound.Shape> shapes = List.of(CacheRound.Shape.values());

  @Option(names = "--run", description = "the longest; default: 16")
  int run = 16;

  @Option(names = "--longest", description = "message, in bytes; default: 300")
  int longest = 300;

  @Option(names = "--limit-millis", description = "the stall limit; default: 5")
  double limitMillis = 5;

  @Option(names = "--stall-every", description = "so many claims; default: 100000")
  int stallEvery = 100_000;

  @Option(names = "--stops", description = "producers that stop, in stalled; default: 1000")
  int stops = 1_000;

  @Option(names = "--fault", description = "to plant: ${COMPLETION-CANDIDATES}")
  Fault fault;

  List<Integer> capacities(Integer... otherwise) {
    return capacities == null ? List.of(otherwise) : capacities;
  }

  long limitNanos() {
    return (long) (limitMillis * 1e6);
  }

  /**
   * Draws how to wait: not spinning without end, because there are more threads than processors.
   */
  static WaitStrategy drawWaits(SplittableRandom random) {
    return switch (random.nextInt(5)) {
      case 0 -> WaitStrategy.yielding();
      case 1 -> WaitStrategy.sleeping(Duration.ofNanos(50_000));
      case 2 -> WaitStrategy.parking();
      case 3 -> new WaitStrategy(0, 0, 5_000);
      default -> new WaitStrategy(0, 0, WaitStrategy.FOREVER);
    };
  }
}
