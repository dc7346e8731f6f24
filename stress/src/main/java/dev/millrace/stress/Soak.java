package dev.millrace.stress;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the soaks: long runs in which every record is accounted for. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    description = "Long runs in which every record is checked and accounted for.",
    subcommands = {
      Soak.Spsc.class,
      Soak.Mpsc.class,
      Soak.Mpmc.class,
      Soak.Stalled.class,
      Soak.All.class,
      Soak.KFifo.class,
      Soak.Pipelines.class,
      Soak.History.class,
      Soak.Trace.class
    })
public final class Soak {
  private Soak() {}

  /**
   * Runs a soak; exits with 0 if all is well, 1 if not, 2 on wrong usage.
   *
   * @param args the soak and its options
   */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Soak()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
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
    private QueueSoak.Wait wait;

    /** The time is shared by the capacities. */
    void addTo(Table table, QueueSoak.Kind kind, int producers, int consumers) {
      long nanos = (long) (seconds * 1e9 / capacities.size());
      for (int capacity : capacities) {
        table.add(
            new QueueSoak(
                kind,
                producers,
                consumers,
                capacity,
                run,
                wait.strategy(),
                nanos,
                SoakProducer.Fault.NONE));
      }
    }
  }

  /** Options of the soaks of stalled producers. */
  static final class Stalls {
    @Option(names = "--producers", defaultValue = "1000", description = "that stop; default: 1000")
    private int stops;

    @Option(names = "--limit-millis", defaultValue = "5", description = "stall limit; default: 5")
    private double limitMillis;

    /** The time is shared by the three of each kind. */
    void addTo(Table table, double seconds) {
      addTo(table, QueueSoak.Kind.MPSC, seconds);
      addTo(table, QueueSoak.Kind.MPMC, seconds);
    }

    private void addTo(Table table, QueueSoak.Kind kind, double seconds) {
      long limit = (long) (limitMillis * 1e6);
      long nanos = (long) (seconds * 1e9 / 3);
      int large = Math.max(4_096, Integer.highestOneBit(4 * stops - 1) * 2);
      int few = Math.min(stops, 8);
      table.add(new StalledSoak(kind, 64, stops, few, limit, nanos));
      table.add(new StalledSoak(kind, large, stops, stops / 10, limit, nanos));
      table.add(new StalledSoak(kind, large, stops, stops, limit, nanos));
    }
  }

  /** Soaks, each in a row that tells what was seen. */
  static final class Table {
    private final List<String> rows = new ArrayList<>();
    private boolean failed;

    void add(QueueSoak soak) {
      add(
          soak.toString(),
          () -> {
            QueueSoak.Result result = soak.call();
            return row(result.totals(), 0, result.nanos()) + "all accounted for";
          });
    }

    void add(StalledSoak soak) {
      add(
          soak.toString(),
          () -> {
            StalledSoak.Result result = soak.call();
            return row(result.totals(), result.late(), result.nanos())
                + String.format(
                    "%,d slots for good, %,d refused though only slow%s",
                    result.slotsForGood(),
                    result.totals().refused(),
                    result.restHeld() ? ", then none left" : "");
          });
    }

    private void add(String name, Callable<String> soak) {
      System.err.println(name + " ...");
      String row;
      try {
        row = soak.call();
      } catch (Exception | AssertionError e) {
        e.printStackTrace();
        failed = true;
        row = "FAILED: " + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      }
      rows.add(String.format("%-45s %s", name, row));
    }

    private static String row(Ledger.Totals totals, long late, long nanos) {
      return String.format(
          "%,15d %,12d %,8d  %016x %6.1f %6.2f  ",
          totals.committed(),
          totals.aborted(),
          late,
          totals.checksum(),
          nanos / 1e9,
          totals.committed() * 1e3 / nanos);
    }

    /** Prints the table; returns the exit code. */
    int print() {
      System.out.printf(
          "%-45s %15s %12s %8s  %16s %6s %6s%n",
          "queue", "records", "aborted", "late", "checksum", "s", "M/s");
      rows.forEach(System.out::println);
      return failed ? 1 : 0;
    }
  }

  /** Records through the SPSC queue. */
  @Command(
      name = "spsc",
      mixinStandardHelpOptions = true,
      description = "A producer and a consumer on an SpscQueue, with every form of claim and poll.")
  static final class Spsc implements Callable<Integer> {
    @Mixin private Load load;

    @Override
    public Integer call() {
      Table table = new Table();
      load.addTo(table, QueueSoak.Kind.SPSC, 1, 1);
      return table.print();
    }
  }

  /** Records through the MPSC queue. */
  @Command(
      name = "mpsc",
      mixinStandardHelpOptions = true,
      description = "Producers and a consumer on an MpscQueue, with every form of claim and poll.")
  static final class Mpsc implements Callable<Integer> {
    @Option(names = "--producers", defaultValue = "2")
    private int producers;

    @Mixin private Load load;

    @Override
    public Integer call() {
      Table table = new Table();
      load.addTo(table, QueueSoak.Kind.MPSC, producers, 1);
      return table.print();
    }
  }

  /** Records through the MPMC queue. */
  @Command(
      name = "mpmc",
      mixinStandardHelpOptions = true,
      description = "Producers and consumers on an MpmcQueue, with every form of claim and poll.")
  static final class Mpmc implements Callable<Integer> {
    @Option(names = "--producers", defaultValue = "2")
    private int producers;

    @Option(names = "--consumers", defaultValue = "2")
    private int consumers;

    @Mixin private Load load;

    @Override
    public Integer call() {
      Table table = new Table();
      load.addTo(table, QueueSoak.Kind.MPMC, producers, consumers);
      return table.print();
    }
  }

  /** Producers that stop. */
  @Command(
      name = "stalled",
      mixinStandardHelpOptions = true,
      description = "Producers that stop between claim and commit, for good or for a while.")
  static final class Stalled implements Callable<Integer> {
    @Option(names = "--seconds", defaultValue = "120", description = "for each; default: 120")
    private double seconds;

    @Mixin private Stalls stalls;

    @Override
    public Integer call() {
      Table table = new Table();
      stalls.addTo(table, seconds);
      return table.print();
    }
  }

  /** All soaks of queues in order. */
  @Command(
      name = "all",
      mixinStandardHelpOptions = true,
      description =
          "The soaks spsc, mpsc, mpmc and stalled, one after the other, and a table of them.")
  static final class All implements Callable<Integer> {
    @Option(
        names = "--threads",
        split = ",",
        defaultValue = "2,8",
        description = "producers, and in mpmc as many consumers; default: 2,8")
    private List<Integer> threads;

    @Mixin private Load load;

    @Mixin private Stalls stalls;

    @Override
    public Integer call() {
      Table table = new Table();
      load.addTo(table, QueueSoak.Kind.SPSC, 1, 1);
      for (int count : threads) {
        load.addTo(table, QueueSoak.Kind.MPSC, count, 1);
        load.addTo(table, QueueSoak.Kind.MPMC, count, count);
      }
      stalls.addTo(table, load.seconds);
      return table.print();
    }
  }

  /** Records through K-FIFO queues. */
  @Command(
      name = "kfifo",
      mixinStandardHelpOptions = true,
      description = "Producers and consumers on KFifoQueues of many shapes; checks the order, too.")
  static final class KFifo implements Callable<Integer> {
    @Option(names = "--producers", defaultValue = "4")
    private int producers;

    @Option(names = "--consumers", defaultValue = "4")
    private int consumers;

    @Option(names = "--seconds", defaultValue = "120", description = "default: 120")
    private double seconds;

    @Option(names = "--records", defaultValue = "100000", description = "a round; default: 100000")
    private long records;

    @Option(names = "--seed", defaultValue = "1", description = "of the shapes; default: 1")
    private long seed;

    @Override
    public Integer call() throws Exception {
      KFifoSoak.Result result =
          new KFifoSoak(producers, consumers, records, (long) (seconds * 1e9), seed).call();
      System.out.printf(
          "KFifoQueue, %d -> %d, %.1f s%n", producers, consumers, result.nanos() / 1e9);
      System.out.printf(
          "%5s %7s %13s %11s %11s %11s %22s%n",
          "k", "rounds", "records", "aborted", "full", "empty", "most overtakes of k-1");
      result.perK().forEach((k, seen) -> print(k + "", seen, " of " + (k - 1)));
      print("all", result.all(), "");
      return 0;
    }

    private static void print(String k, KFifoSoak.PerK seen, String most) {
      KFifoLedger.Totals totals = seen.totals();
      System.out.printf(
          "%5s %,7d %,13d %,11d %,11d %,11d %22s%n",
          k,
          seen.rounds(),
          totals.records(),
          totals.aborted(),
          totals.full(),
          totals.empty(),
          totals.mostOvertakes() + most);
    }
  }

  /** Pipelines of random graphs. */
  @Command(
      name = "pipeline",
      mixinStandardHelpOptions = true,
      description = "Pipelines of random graphs whose handlers throw at random.")
  static final class Pipelines implements Callable<Integer> {
    @Option(names = "--seconds", defaultValue = "120", description = "default: 120")
    private double seconds;

    @Option(names = "--seed", defaultValue = "1", description = "of the graphs; default: 1")
    private long seed;

    @Option(names = "--only", description = "one graph alone, by the seed that a failure names")
    private Long only;

    @Override
    public Integer call() throws Exception {
      if (only != null) {
        System.out.println(PipelinePlan.of(only));
        System.out.println(PipelineRound.run(PipelinePlan.of(only), PipelineWorker.Fault.NONE));
        return 0;
      }
      Map<PipelinePlan.Life, PipelineSoak.PerLife> seen =
          new PipelineSoak((long) (seconds * 1e9), seed).call();
      System.out.printf(
          "%-10s %8s %8s %13s %11s %11s %9s %11s %11s%n",
          "life", "graphs", "drained", "events", "thrown", "failed", "refused", "dropped",
          "skipped");
      seen.forEach((life, its) -> print(life.name(), its));
      print("all", PipelineSoak.all(seen));
      return 0;
    }

    private static void print(String life, PipelineSoak.PerLife its) {
      PipelineLedger.Totals totals = its.totals();
      System.out.printf(
          "%-10s %,8d %,8d %,13d %,11d %,11d %,9d %,11d %,11d%n",
          life.toLowerCase(Locale.ROOT).replace('_', ' '),
          its.graphs(),
          its.drained(),
          totals.events(),
          totals.thrown(),
          totals.failed(),
          totals.refused(),
          totals.dropped(),
          totals.skipped());
    }
  }

  /** Writers and readers on a history ring. */
  @Command(
      name = "history",
      mixinStandardHelpOptions = true,
      description = "Writers and readers on a HistoryRing.")
  static final class History implements Callable<Integer> {
    @Option(names = "--writers", defaultValue = "4")
    private int writers;

    @Option(names = "--readers", defaultValue = "4")
    private int readers;

    @Option(names = "--seconds", defaultValue = "60")
    private long seconds;

    @Option(names = "--capacity", defaultValue = "1440")
    private int capacity;

    @Override
    public Integer call() throws Exception {
      HistorySoak.Result result =
          new HistorySoak(capacity, writers, readers, seconds * 1_000_000_000).call();
      System.out.printf(
          "HistoryRing capacity %,d, %d writers: %,d written = %,d committed + %,d refused%n",
          capacity, writers, result.written(), result.committed(), result.refused());
      for (HistorySoak.ReaderResult reader : result.perReader()) {
        System.out.printf(
            "  reader: %,d read + %,d lost + %,d refused = %,d; %,d windows, all whole%n",
            reader.read(),
            reader.lost(),
            reader.refused(),
            reader.read() + reader.lost() + reader.refused(),
            reader.windows());
      }
      return 0;
    }
  }

  /** Records in a trace log, read from its file by ever slower readers. */
  @Command(
      name = "trace",
      mixinStandardHelpOptions = true,
      description = "Writers on a TraceLog in a file, and readers that are slow on purpose.")
  static final class Trace implements Callable<Integer> {
    @Option(names = "--writers", defaultValue = "8", description = "default: 8")
    private int writers;

    @Option(names = "--seconds", defaultValue = "60", description = "default: 60")
    private double seconds;

    @Option(names = "--records", defaultValue = "4096", description = "kept; default: 4096")
    private int records;

    @Option(
        names = "--pauses",
        split = ",",
        defaultValue = "PT0S,PT0.001S",
        description = "how long each reader rests after each record; default: PT0S,PT0.001S")
    private List<Duration> pauses;

    @Override
    public Integer call() throws Exception {
      Path file = Files.createTempDirectory("millrace").resolve("soak.telemetry");
      try {
        long nanos = (long) (seconds * 1e9);
        print(new TraceSoak(file, records, writers, pauses, nanos).call());
      } finally {
        Files.deleteIfExists(file);
        Files.delete(file.getParent());
      }
      return 0;
    }

    private void print(TraceSoak.Result result) {
      System.out.printf(
          "TraceLog of %,d records, %d writers: %,d tried = %,d left out + %,d written;"
              + " written = %,d committed + %,d refused%n",
          records,
          writers,
          result.tried(),
          result.leftOut(),
          result.written(),
          result.committed(),
          result.refused());
      for (TraceSoak.ReaderResult reader : result.readers()) {
        System.out.printf(
            "  reader with rests of %s: %,d read + %,d lost + %,d refused = %,d, all whole%n",
            reader.pause(), reader.read(), reader.lost(), reader.refused(), reader.sum());
      }
    }
  }
}
