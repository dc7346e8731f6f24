package dev.millrace.stress;

import dev.millrace.queues.internal.RecordStore;
import dev.millrace.queues.messages.MessageQueue;
import dev.millrace.stress.QueueRound.Kind;
import dev.millrace.stress.QueueRound.Wait;
import dev.millrace.stress.SoakProducer.Fault;
import dev.millrace.stress.spec.Counts;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command line of the soaks: long runs in which every record is accounted for. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    description = "Long runs in which every record is checked and accounted for.")
public final class Soak {
  private static final int MOST_MESSAGE = 65_535 * MessageQueue.CELL_BYTES;
  private static final long STALL_NANOS = 100_000;
  private static final int MOST_STALLED = 32;
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Map<String, Counts> rows = new LinkedHashMap<>();
  private final Map<String, String> failures = new LinkedHashMap<>();

  /** Makes one without any rounds. */
  Soak() {}

  /**
   * Runs a soak; exits with 0 if all is well, 1 if not, 2 on wrong usage.
   *
   * @param args the soak and its options
   */
  public static void main(String[] args) {
    System.exit(new Soak().execute(args));
  }

  int execute(String... args) {
    return new CommandLine(this).setCaseInsensitiveEnumValuesAllowed(true).execute(args);
  }

  /** Options of the soaks of queues in order. */
  static final class Load {
    @Option(names = "--seconds", defaultValue = "120", description = "for each; default: 120")
    private double seconds;

    @Option(names = "--capacities", split = ",", defaultValue = "2,64,65536")
    private List<Integer> capacities;

    @Option(names = "--run", defaultValue = "16", description = "longest run; default: 16")
    private int run;

    @Option(
        names = "--wait",
        defaultValue = "yielding",
        description = "spinning, yielding, sleeping or parking; default: yielding")
    private Wait wait;
  }

  /** Options of the soaks of messages. */
  static final class MessageLoad {
    @Option(
        names = "--longest",
        defaultValue = "300",
        description = "lengths are drawn up to it; default: 300 bytes")
    private int longest;

    @Option(names = "--half", description = "lengths are drawn up to half of the queue")
    private boolean half;

    @Option(
        names = "--clocks",
        defaultValue = "1",
        description = "how many of the producers send the time; default: 1")
    private int clocks;

    @Option(
        names = "--limits-millis",
        split = ",",
        defaultValue = "0,5",
        description = "stall limits, 0 for none; default: 0,5")
    private List<Double> limitsMillis;

    @Option(
        names = "--stall-every",
        defaultValue = "100000",
        description = "after how many claims a producer exceeds the limit; default: 100000")
    private int stallEvery;

    private MessageShape shape(int capacity, int producers, boolean isLimited) {
      int most = Math.min(capacity / 2, MOST_MESSAGE) - Long.BYTES;
      return new MessageShape(producers, half ? most : longest, clocks, producers, !isLimited);
    }
  }

  /** Options of the soaks of stalled producers. */
  static final class Stalls {
    @Option(names = "--producers", defaultValue = "1000", description = "that stop; default: 1000")
    private int stops;

    @Option(names = "--limit-millis", defaultValue = "5", description = "stall limit; default: 5")
    private double limitMillis;
  }

  // ---- the soaks ----

  @Command(
      description = "A producer and a consumer on an SpscQueue, with every form of claim and poll.")
  int spsc(@Mixin Load load) {
    run(load, Kind.SPSC, 1, 1);
    return print();
  }

  @Command(
      description = "Producers and a consumer on an MpscQueue, with every form of claim and poll.")
  int mpsc(@Option(names = "--producers", defaultValue = "2") int producers, @Mixin Load load) {
    run(load, Kind.MPSC, producers, 1);
    return print();
  }

  @Command(
      description = "Producers and consumers on an MpmcQueue, with every form of claim and poll.")
  int mpmc(
      @Option(names = "--producers", defaultValue = "2") int producers,
      @Option(names = "--consumers", defaultValue = "2") int consumers,
      @Mixin Load load) {
    run(load, Kind.MPMC, producers, consumers);
    return print();
  }

  @Command(
      description =
          "Producers and consumers on RecordQueues of each kind, some of whose records do not fit"
              + " into their slots; each value is checked.")
  int records(
      @Option(names = "--threads", defaultValue = "2", description = "a side; default: 2")
          int threads,
      @Option(names = "--seconds", defaultValue = "120", description = "default: 120")
          double seconds,
      @Option(names = "--records", description = "for each, if that comes first; default: no end")
          Long records,
      @Option(
              names = "--capacities",
              split = ",",
              defaultValue = "1,64,65536",
              description = "default: 1,64,65536")
          List<Integer> capacities,
      @Option(names = "--seed", defaultValue = "1", description = "default: 1") long seed) {
    long nanos = nanos(seconds / (4 * capacities.size()));
    for (int capacity : capacities) {
      for (RecordStore.Kind kind : RecordStore.Kind.values()) {
        runRecords(kind, capacity, threads, records, nanos, 0, seed);
      }
      if (capacity > MOST_STALLED) { // or stalled producers may hold all of it
        runRecords(RecordStore.Kind.MPMC, capacity, threads, records, nanos, STALL_NANOS, seed);
      }
    }
    return print();
  }

  private void runRecords(
      RecordStore.Kind kind,
      int capacity,
      int threads,
      Long records,
      long nanos,
      long stallNanos,
      long seed) {
    run(
        new RecordRound(
            kind,
            capacity,
            kind == RecordStore.Kind.SPSC ? 1 : threads,
            kind == RecordStore.Kind.MPMC ? threads : 1,
            records == null ? Long.MAX_VALUE : records,
            nanos,
            stallNanos,
            seed,
            Fault.NONE));
  }

  @Command(
      description = {
        "Producers and consumers on MessageQueues, with every form of claim and poll; each byte is"
            + " checked.",
        "For a number of messages of each: --records 1000000000 --seconds 100000"
      })
  int messages(
      @Option(
              names = "--kinds",
              split = ",",
              defaultValue = "spsc,mpsc,mpmc",
              description = "default: spsc,mpsc,mpmc")
          List<Kind> kinds,
      @Option(names = "--producers", defaultValue = "2") int producers,
      @Option(names = "--consumers", defaultValue = "2") int consumers,
      @Option(names = "--seconds", defaultValue = "120", description = "for each; default: 120")
          double seconds,
      @Option(names = "--records", description = "for each, if that comes first; default: no end")
          Long records,
      @Option(
              names = "--capacities",
              split = ",",
              defaultValue = "1024,4096,65536",
              description = "in bytes; default: 1024,4096,65536")
          List<Integer> capacities,
      @Option(names = "--run", defaultValue = "16", description = "longest run; default: 16")
          int run,
      @Option(
              names = "--wait",
              defaultValue = "yielding",
              description = "spinning, yielding, sleeping or parking; default: yielding")
          Wait wait,
      @Mixin MessageLoad load) {
    for (Kind kind : kinds) {
      for (double millis : kind.hasManyProducers ? load.limitsMillis : List.of(0.0)) {
        for (int capacity : capacities) {
          int count = kind.hasManyProducers ? producers : 1;
          run(
              QueueRound.messages(
                  kind.ofMessages(),
                  capacity,
                  count,
                  kind.hasManyConsumers ? consumers : 1,
                  run,
                  wait,
                  records == null ? Long.MAX_VALUE : Math.ceilDiv(records, capacities.size()),
                  nanos(seconds / capacities.size()),
                  load.shape(capacity, count, millis > 0),
                  load.stallEvery,
                  (long) (millis * 1e6),
                  Fault.NONE));
        }
      }
    }
    return print();
  }

  @Command(
      description =
          "Producers that stop between claim and commit, for good or for a while; of messages in"
              + " each phase of a claim.")
  int stalled(
      @Option(names = "--seconds", defaultValue = "120", description = "for each; default: 120")
          double seconds,
      @Mixin Stalls stalls) {
    run(stalls, seconds);
    return print();
  }

  @Command(
      description =
          "The soaks spsc, mpsc, mpmc and stalled, one after the other, and a table of them.")
  int all(
      @Option(
              names = "--threads",
              split = ",",
              defaultValue = "2,8",
              description = "producers, and in mpmc as many consumers; default: 2,8")
          List<Integer> threads,
      @Mixin Load load,
      @Mixin Stalls stalls) {
    run(load, Kind.SPSC, 1, 1);
    for (int count : threads) {
      run(load, Kind.MPSC, count, 1);
      run(load, Kind.MPMC, count, count);
    }
    run(stalls, load.seconds);
    return print();
  }

  @Command(
      description = "Producers and consumers on KFifoQueues of many shapes; checks the order, too.")
  int kfifo(
      @Option(names = "--producers", defaultValue = "4") int producers,
      @Option(names = "--consumers", defaultValue = "4") int consumers,
      @Option(names = "--seconds", defaultValue = "120", description = "default: 120")
          double seconds,
      @Option(
              names = "--records",
              defaultValue = "100000",
              description = "a round; default: 100000")
          long records,
      @Option(names = "--seed", defaultValue = "1", description = "of the shapes; default: 1")
          long seed) {
    repeat(
        seconds,
        seed,
        its -> {
          QueueRound round = QueueRound.kFifo(producers, consumers, records, its, Fault.NONE);
          run("k %2d".formatted(round.k()), round);
        });
    return print();
  }

  @Command(description = "Pipelines of random graphs whose handlers throw at random.")
  int pipeline(
      @Option(names = "--seconds", defaultValue = "120", description = "default: 120")
          double seconds,
      @Option(names = "--seed", defaultValue = "1", description = "of the graphs; default: 1")
          long seed,
      @Option(names = "--only", description = "one graph alone, by the seed that a failure names")
          Long only) {
    if (only != null) {
      System.out.println(PipelinePlan.of(only));
    }
    repeat(
        only == null ? seconds : 0,
        seed,
        its -> {
          PipelinePlan plan = PipelinePlan.of(only == null ? its : only);
          String life = plan.life().name().toLowerCase(Locale.ROOT).replace('_', ' ');
          run(life, () -> new PipelineRound(plan, PipelineWorker.Fault.NONE).call());
        });
    return print();
  }

  @Command(description = "Writers and readers on a HistoryRing.")
  int history(
      @Option(names = "--writers", defaultValue = "4") int writers,
      @Option(names = "--readers", defaultValue = "4") int readers,
      @Option(names = "--seconds", defaultValue = "60") double seconds,
      @Option(names = "--capacity", defaultValue = "1440") int capacity) {
    List<Duration> pauses = Collections.nCopies(readers, Duration.ZERO);
    run(new HistoryRound(false, capacity, writers, pauses, nanos(seconds)));
    return print();
  }

  @Command(description = "Writers on a TraceLog in a file, and readers that are slow on purpose.")
  int trace(
      @Option(names = "--writers", defaultValue = "8", description = "default: 8") int writers,
      @Option(names = "--seconds", defaultValue = "60", description = "default: 60") double seconds,
      @Option(names = "--records", defaultValue = "4096", description = "kept; default: 4096")
          int records,
      @Option(
              names = "--pauses",
              split = ",",
              defaultValue = "PT0S,PT0.001S",
              description = "how long each reader rests after each record; default: PT0S,PT0.001S")
          List<Duration> pauses) {
    run(new HistoryRound(true, records, writers, pauses, nanos(seconds)));
    return print();
  }

  @Command(
      description = {
        "Threads that read, store, remove, load and iterate in caches of several shapes; each byte"
            + " is checked, and that no version of a key comes back.",
        "For a number of operations in all: --operations 1000000000 --seconds 100000"
      })
  int cache(
      @Option(names = "--threads", defaultValue = "8", description = "default: 8") int threads,
      @Option(names = "--seconds", defaultValue = "120", description = "default: 120")
          double seconds,
      @Option(names = "--operations", description = "if that comes first; default: no end")
          Long operations,
      @Option(
              names = "--bytes",
              defaultValue = "16777216",
              description = "of a cache, but the tiny one; default: 16777216")
          long bytes,
      @Option(
              names = "--shapes",
              split = ",",
              defaultValue = "shards,one_shard,entries,expiring,tiny,told",
              description = "default: shards,one_shard,entries,expiring,tiny,told")
          List<CacheShape> shapes,
      @Option(names = "--seed", defaultValue = "1", description = "default: 1") long seed) {
    for (CacheShape shape : shapes) {
      run(
          CacheRound.of(
              shape,
              bytes,
              threads,
              operations == null ? Long.MAX_VALUE : Math.ceilDiv(operations, shapes.size()),
              nanos(seconds / shapes.size()),
              seed,
              CacheWorker.Fault.NONE));
    }
    return print();
  }

  // ---- the runner ----

  private static long nanos(double seconds) {
    return (long) (seconds * 1e9);
  }

  /** The time is shared by the capacities. */
  private void run(Load load, Kind kind, int producers, int consumers) {
    long nanos = nanos(load.seconds / load.capacities.size());
    for (int capacity : load.capacities) {
      run(
          QueueRound.ordered(
              kind, capacity, producers, consumers, load.run, load.wait, nanos, Fault.NONE));
    }
  }

  /** The time is shared by the three of each kind. */
  private void run(Stalls stalls, double seconds) {
    int stops = stalls.stops;
    int large = Math.max(4_096, Integer.highestOneBit(4 * stops - 1) * 2);
    long limit = (long) (stalls.limitMillis * 1e6);
    for (Kind kind : List.of(Kind.MPSC, Kind.MPMC, Kind.MESSAGES_MPSC, Kind.MESSAGES_MPMC)) {
      run(new StalledRound(kind, 64, stops, Math.min(stops, 8), limit, nanos(seconds / 3)));
      run(new StalledRound(kind, large, stops, stops / 10, limit, nanos(seconds / 3)));
      run(new StalledRound(kind, large, stops, stops, limit, nanos(seconds / 3)));
    }
  }

  private void run(Callable<Counts> round) {
    System.err.println(round + " ...");
    run(round.toString(), round);
  }

  /** Runs rounds of random seeds until the time is over, or one fails; at least one. */
  void repeat(double seconds, long seed, LongConsumer round) {
    SplittableRandom random = new SplittableRandom(seed);
    long begin = System.nanoTime();
    long toldAt = begin;
    do {
      round.accept(random.nextLong() >>> 16);
      if (System.nanoTime() - toldAt > TELL_NANOS) {
        toldAt = System.nanoTime();
        print(System.err, "so far", all());
      }
    } while (failures.isEmpty() && System.nanoTime() - begin < nanos(seconds));
  }

  /** Runs a round, and adds what was seen to a row. */
  private void run(String row, Callable<Counts> round) {
    long begin = System.nanoTime();
    Counts counts = rows.computeIfAbsent(row, name -> new Counts());
    try {
      counts.add(round.call()).add("rounds", 1);
    } catch (Exception | AssertionError e) {
      e.printStackTrace();
      failures.put(row, "FAILED: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
    counts.add("nanos", System.nanoTime() - begin);
  }

  /** All rounds together. */
  Counts all() {
    Counts all = new Counts();
    rows.values().forEach(all::add);
    return all;
  }

  /** Prints the rows; returns the exit code. */
  private int print() {
    rows.forEach((row, counts) -> print(System.out, row, counts));
    if (rows.size() > 1) {
      print(System.out, "all", all());
    }
    return failures.isEmpty() ? 0 : 1;
  }

  private void print(PrintStream out, String row, Counts counts) {
    double seconds = counts.get("nanos") / 1e9;
    out.printf("%-45s %8.1f s %,12.0f/s", row, seconds, counts.get("records") / seconds);
    for (String name : counts.names()) {
      if (counts.get(name) != 0 && !name.equals("nanos")) {
        String format = name.equals("checksum") ? "  %s %016x" : "  %s %,d";
        out.printf(format, name, counts.get(name));
      }
    }
    out.println("  " + failures.getOrDefault(row, ""));
  }
}
