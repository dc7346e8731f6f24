package dev.millrace.stress;

import dev.millrace.queues.internal.RecordStore.Kind;
import dev.millrace.stress.QueueRound.Content;
import dev.millrace.stress.spec.Counts;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
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
      "  spsc, mpsc, mpmc  each form of claim and poll, on queues that are completed while"
          + " producers claim",
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
  /** What is run. */
  enum Name {
    SPSC,
    MPSC,
    MPMC,
    KFIFO,
    RECORDS,
    MESSAGES,
    STALLED,
    PIPELINE,
    HISTORY,
    TRACE,
    CACHE,
    ALL
  }

  private static final long LEAST_NANOS = 10_000_000; // of a round that is repeated

  @Parameters(paramLabel = "SOAK", description = "one of those above")
  private Name name;

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
    EnumSet<Name> names = EnumSet.of(name);
    (name == Name.ALL ? EnumSet.complementOf(names) : names).forEach(this::run);
    rows.forEach(this::print);
    print("all", all());
    return failures.isEmpty() ? 0 : 1;
  }

  /** Repeats the rounds of a soak until the time is over; once with --only or --records. */
  private void run(Name its) {
    SplittableRandom random = new SplittableRandom(load.seed);
    long begin = System.nanoTime();
    long nanos = (long) (load.seconds * 1e9);
    boolean isOnce = load.only != null || load.records < Long.MAX_VALUE;
    do {
      List<Round> rounds = rounds(its, load.only != null ? load.only : random.nextLong() >>> 16);
      for (Round round : rounds) {
        // many short rounds, because each ends once
        long most = isOnce ? nanos : LEAST_NANOS << random.nextInt(11);
        round.nanos = Math.min(Math.min(round.nanos, most), nanos / rounds.size());
        run(round);
      }
    } while (!isOnce && failures.isEmpty() && System.nanoTime() - begin < nanos);
  }

  private List<Round> rounds(Name its, long seed) {
    List<Round> rounds = new ArrayList<>();
    boolean isTrace = its == Name.TRACE;
    switch (its) {
      case KFIFO -> rounds.add(QueueRound.kFifo(load, seed));
      case RECORDS -> add(rounds, Content.VALUES, load.kinds, seed, 1, 64, 65_536);
      case MESSAGES -> add(rounds, Content.MESSAGES, load.kinds, seed, 1_024, 65_536);
      case STALLED -> addStalled(rounds, seed);
      case PIPELINE -> rounds.add(new PipelineRound(load, seed));
      case HISTORY, TRACE ->
          load.capacities(4_096)
              .forEach(capacity -> rounds.add(new HistoryRound(load, isTrace, capacity, seed)));
      case CACHE ->
          load.capacities(1 << 24)
              .forEach(
                  bytes ->
                      load.shapes.forEach(
                          shape -> rounds.add(new CacheRound(load, shape, bytes, seed))));
      default -> {
        List<Kind> kinds = List.of(Kind.valueOf(its.name()));
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
      if (load.fault == Fault.NONE) {
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
