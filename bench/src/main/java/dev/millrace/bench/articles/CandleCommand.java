package dev.millrace.bench.articles;

import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.load.HeldMemory;
import dev.millrace.ohlcv.load.Latencies;
import dev.millrace.ohlcv.load.LoadChild;
import dev.millrace.ohlcv.load.LoadResult;
import dev.millrace.ohlcv.load.LoadSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that makes the tables of the article about candles anew. */
@Command(
    name = "candle-tables",
    description =
        "Makes the article's tables of candles: both engines of the example side by side, as by"
            + " `ohlcv load`, flat out by threads and at a fixed rate. The tables are beside the"
            + " results; both are written after each round.",
    footer = "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage.")
public final class CandleCommand extends RoundsCommand {
  private static final int RATE = 50_000;
  private static final int QUERIES = 1_000;
  private static final int PACED_THREADS = 8;
  private static final int SYMBOLS = 10;
  private static final int MOST_CALLERS = 1_023;
  private static final int MOST_FLAT_OUT_SECONDS = 600;
  private static final int MOST_ROUNDS = 1_000;

  @Option(names = "--seconds", description = "how long a run at the fixed rate is measured")
  private int seconds = 60;

  @Option(names = "--flat-out-seconds", description = "how long a run flat out is measured")
  private int flatOutSeconds = 10;

  @Option(names = "--warm-up", description = "seconds before either")
  private int warmUp = 5;

  @Option(
      names = "--threads",
      split = ",",
      description =
          "threads that use the engine flat out, besides its own: the first writes, the others"
              + " query; a single one does both")
  private List<Integer> threads = List.of(1, 2, 4, 8);

  /** Makes the command. */
  public CandleCommand() {
    rounds = 3;
  }

  /** A run, as the progress bar names it. */
  private record Trial(LoadSettings settings) {
    @Override
    public String toString() {
      return settings.engine()
          + (settings.paced()
              ? ", at the fixed rate"
              : ", flat out, threads: " + settings.callers());
    }
  }

  /**
   * A run.
   *
   * @param ranks which percentiles were taken
   */
  private record Run(int round, List<Double> ranks, LoadResult result) {}

  @Override
  public Integer call() throws Exception {
    List<Run> runs =
        inRounds(
            trials(),
            (trial, round) -> new Run(round, Latencies.RANKS, LoadChild.run(trial.settings(), 0)),
            this::keepTables);
    print(Files.readString(markdown()));
    return runs.stream().anyMatch(run -> run.result().wrong() > 0) ? 1 : 0;
  }

  private void keepTables(List<Run> runs) throws IOException {
    List<String> flags = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
    flags.removeIf(flag -> flag.startsWith("-Dmillrace.module=")); // the script's
    flags.add(HeldMemory.TRACKING);
    keep(flags, runs);
    List<LoadResult> results = runs.stream().map(Run::result).toList();
    Files.writeString(
        markdown(),
        new CandleTables(results, Runtime.getRuntime().availableProcessors()).markdown());
  }

  private Path markdown() {
    String name = file().getFileName().toString();
    return file().resolveSibling(name.replaceAll("\\.json$", "") + ".md");
  }

  private List<Trial> trials() {
    if (threads.stream().distinct().count() < threads.size()) {
      throw wrongUsage("--threads must differ from each other: threads=" + threads);
    }
    List<Trial> trials = new ArrayList<>();
    try {
      LoadSettings.checkRange("rounds", rounds, 1, MOST_ROUNDS);
      LoadSettings.checkRange("flat-out-seconds", flatOutSeconds, 1, MOST_FLAT_OUT_SECONDS);
      threads.forEach(callers -> LoadSettings.checkRange("threads", callers, 1, MOST_CALLERS));
      for (CandleEngine.Kind engine : CandleEngine.Kind.COMPARED) {
        LoadSettings paced =
            new LoadSettings(engine, RATE, QUERIES, seconds, warmUp, PACED_THREADS, seed, SYMBOLS);
        trials.add(new Trial(paced));
        threads.forEach(callers -> trials.add(new Trial(paced.flatOut(callers, flatOutSeconds))));
      }
    } catch (IllegalArgumentException e) {
      throw wrongUsage("--" + e.getMessage());
    }
    return trials;
  }
}
