package dev.millrace.stress;

import dev.millrace.queues.internal.RecordStore.Kind;
import dev.millrace.stress.QueueRound.Content;
import dev.millrace.stress.spec.Counts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The command line of the soaks: long runs in which every record is accounted for. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    description = {
      "Long runs in which every record is checked and accounted for.",
      "  spsc, mpsc, mpmc  each form of claim and poll, on queues that are completed meanwhile",
      "  kfifo             queues of random shape; the order is checked, too",
      "  records           RecordQueues of records of which some do not fit into their slots",
      "  messages          MessageQueues; each byte is checked",
      "  stalled           producers that stop within a claim, for a while or for good",
      "  pipeline          random graphs whose handlers throw at random",
      "  history, trace    writers that never wait, and readers that are slow on purpose",
      "  cache             caches of several kinds; no version of a key may come back",
      "  all               one after the other, and a table of them"
    })
public final class Soak implements Callable<Integer> {
  private static final List<String> ALL =
      List.of(
          "spsc",
          "mpsc",
          "mpmc",
          "kfifo",
          "records",
          "messages",
          "stalled",
          "pipeline",
          "history",
          "trace",
          "cache");

  private static final long MOST_NANOS = 10_000_000_000L; // of a round, unless it is of records

  @Parameters(paramLabel = "SOAK", description = "one of those above")
  private String name;

  @Mixin private Load load;

  final Map<String, Counts> rows = new LinkedHashMap<>();
  final Map<String, String> failures = new LinkedHashMap<>();

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

  @Override
  public Integer call() {
    for (String its : name.equals("all") ? ALL : List.of(name)) {
      run(its);
    }
    rows.forEach(this::print);
    print("all", all());
    return failures.isEmpty() ? 0 : 1;
  }

  /** Runs the rounds of a soak again and again, unless each has so many records. */
  private void run(String its) {
    SplittableRandom random = new SplittableRandom(load.seed);
    long begin = System.nanoTime();
    long nanos = (long) (load.seconds * 1e9);
    do {
      List<Round> rounds = rounds(its, load.only != null ? load.only : random.nextLong() >>> 16);
      for (Round round : rounds) {
        long most = load.records == Long.MAX_VALUE ? MOST_NANOS : Long.MAX_VALUE;
        round.nanos = Math.min(Math.min(round.nanos, most), nanos / rounds.size());
        run(round);
      }
    } while (load.only == null
        && load.records == Long.MAX_VALUE
        && failures.isEmpty()
        && System.nanoTime() - begin < nanos);
  }

  private List<Round> rounds(String its, long seed) {
    List<Round> rounds = new ArrayList<>();
    boolean isTrace = its.equals("trace");
    switch (its) {
      case "kfifo" -> rounds.add(QueueRound.kFifo(load, seed));
      case "records" -> add(rounds, Content.VALUES, load.kinds, seed, 1, 64, 65_536);
      case "messages" -> add(rounds, Content.MESSAGES, load.kinds, seed, 1_024, 65_536);
      case "stalled" -> addStalled(rounds, seed);
      case "pipeline" -> rounds.add(new PipelineRound(load, seed));
      case "history", "trace" ->
          load.capacities(4_096)
              .forEach(capacity -> rounds.add(new HistoryRound(load, isTrace, capacity, seed)));
      case "cache" ->
          load.capacities(1 << 24)
              .forEach(
                  bytes ->
                      load.shapes.forEach(
                          shape -> rounds.add(new CacheRound(load, shape, bytes, seed))));
      default -> {
        List<Kind> kinds = List.of(Kind.valueOf(its.toUpperCase(Locale.ROOT)));
        add(rounds, Content.ENTRIES, kinds, seed, 2, 64, 65_536);
      }
    }
    return rounds;
  }

  private void add(
      List<Round> rounds, Content content, List<Kind> kinds, long seed, Integer... capacities) {
    for (Kind kind : kinds) {
      for (int capacity : load.capacities(capacities)) {
        rounds.add(new QueueRound(load, content, kind, capacity, 0, seed));
        // a small queue is held by those that stall
        if (kind != Kind.SPSC && capacity > 32 && load.limitMillis > 0) {
          rounds.add(new QueueRound(load, content, kind, capacity, load.limitNanos(), seed));
        }
      }
    }
  }

  private void addStalled(List<Round> rounds, long seed) {
    int stops = load.stops;
    int large = Math.max(4_096, Integer.highestOneBit(4 * stops - 1) * 2);
    for (Content content : List.of(Content.ENTRIES, Content.MESSAGES)) {
      for (Kind kind : List.of(Kind.MPSC, Kind.MPMC)) {
        rounds.add(new StalledRound(load, content, kind, 64, Math.min(stops, 8), seed));
        rounds.add(new StalledRound(load, content, kind, large, stops / 10, seed));
        rounds.add(new StalledRound(load, content, kind, large, stops, seed));
      }
    }
  }

  /** Runs a round, and adds what was seen to a row. */
  private void run(Round round) {
    long begin = System.nanoTime();
    Counts counts = rows.computeIfAbsent(round.toString(), row -> new Counts());
    try {
      counts.add(round.call()).add("rounds", 1);
    } catch (Exception | AssertionError e) {
      failures.put(round.toString(), "FAILED, seed " + round.seed + ": " + e.getMessage());
      if (load.fault == null) {
        e.printStackTrace();
      }
    }
    counts.add("nanos", System.nanoTime() - begin);
  }

  /** All rounds together. */
  Counts all() {
    Counts all = new Counts();
    rows.values().forEach(all::add);
    return all;
  }

  private void print(String row, Counts counts) {
    double seconds = counts.get("nanos") / 1e9;
    System.out.printf("%-45s %8.1f s %,12.0f/s", row, seconds, counts.get("records") / seconds);
    for (String name : counts.names()) {
      if (counts.get(name) != 0 && !name.equals("nanos")) {
        String format = name.equals("checksum") ? "  %s %016x" : "  %s %,d";
        System.out.printf(format, name, counts.get(name));
      }
    }
    System.out.println("  " + failures.getOrDefault(row, ""));
  }
}
