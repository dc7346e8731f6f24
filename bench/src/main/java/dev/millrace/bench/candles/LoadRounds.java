package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Child;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.RoundsCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * A command that runs engines under load, each run in a JVM of its own, and prints tables.
 *
 * @param <T> what a JVM is asked to do
 * @param <R> what it finds
 */
abstract class LoadRounds<T extends Child.Job<R>, R> extends RoundsCommand {
  private static final int MOST_ROUNDS = 1_000;
  private static final int MOST_SECONDS = 86_400;
  private static final int MOST_WARM_UP = 3_600;
  private static final int MOST_HEAP = 1 << 20;
  private static final int MOST_RATE = 10_000_000;
  private static final int MOST_QUERIES = 1_000_000;
  private static final int MOST_SYMBOLS = 1_000;

  /** How many times as long as it is measured a run may take, with the check of its answers. */
  private static final int PATIENCE = 10;

  @Option(names = "--rate", description = "trades a second, at the fixed rate")
  private int rate = 50_000;

  @Option(names = "--queries", description = "queries a second, of all threads together")
  private int queries = 1_000;

  @Option(names = "--symbols", description = "how many symbols are traded")
  private int symbols = 10;

  @Option(names = "--seconds", description = "how long a run at the fixed rate is measured")
  private int seconds = 60;

  @Option(
      names = "--warm-up",
      description = "seconds of each run before; their answers are checked, but not measured")
  private int warmUp = 5;

  @Option(names = "--collector", description = "${COMPLETION-CANDIDATES}; DEFAULT is G1")
  private Jvm collector = Jvm.DEFAULT;

  @Option(names = "--heap", description = "megabytes of each JVM")
  private int heap = 1_024;

  private final Class<R> result;

  private record Run<R>(int round, R result) {}

  LoadRounds(Class<R> result) {
    this.result = result;
  }

  /** A run at the fixed rate. */
  protected final LoadSettings paced(CandleContender engine, int threads) {
    return new LoadSettings(engine, rate, queries, seconds, warmUp, threads, seed, symbols, true);
  }

  /** The collector and the heap of what is measured. */
  protected final List<String> flags() {
    List<String> flags = new ArrayList<>(collector.flags());
    flags.addAll(List.of("-Xms%dm".formatted(heap), "-Xmx%dm".formatted(heap)));
    return flags;
  }

  /** The tables of all runs so far. */
  protected abstract String tables(List<R> results, int processors);

  /** Whether a run had wrong answers or failed. */
  protected abstract boolean isWrong(R result);

  /** Runs all in each round, prints the tables, and returns the exit code. */
  protected final int run(List<T> trials) throws Exception {
    check("rounds", rounds, 1, MOST_ROUNDS);
    check("rate", rate, 1, MOST_RATE);
    check("queries", queries, 1, MOST_QUERIES);
    check("symbols", symbols, 1, MOST_SYMBOLS);
    check("seconds", seconds, 1, MOST_SECONDS);
    check("warm-up", warmUp, 0, MOST_WARM_UP);
    check("heap", heap, 1, MOST_HEAP);
    long trades = (long) rate * (seconds + warmUp);
    if (trades > LoadSettings.MAX_TRADES) {
      throw wrongUsage(
          "--rate times seconds must be at most %d: trades=%d"
              .formatted(LoadSettings.MAX_TRADES, trades));
    }
    List<Run<R>> runs =
        inRounds(trials, (trial, round) -> new Run<>(round, measure(trial)), this::keepTables);
    print(Files.readString(markdown()));
    return runs.stream().map(Run::result).anyMatch(this::isWrong) ? 1 : 0;
  }

  private R measure(T trial) throws IOException, InterruptedException {
    long most = Child.MOST_SECONDS + (long) PATIENCE * (warmUp + seconds);
    return Child.run(trial, childFlags(), most, result);
  }

  private List<String> childFlags() {
    List<String> flags = new ArrayList<>(flags());
    flags.add(HeldMemory.TRACKING);
    return flags;
  }

  private void keepTables(List<Run<R>> runs) throws IOException {
    List<String> flags = new ArrayList<>(Child.FLAGS);
    flags.addAll(childFlags());
    keep(flags, runs);
    List<R> results = runs.stream().map(Run::result).toList();
    Files.writeString(markdown(), tables(results, Runtime.getRuntime().availableProcessors()));
  }

  private Path markdown() {
    String name = file().getFileName().toString();
    return file().resolveSibling(name.replaceAll("\\.json$", "") + ".md");
  }
}
