package dev.millrace.bench.articles;

import dev.millrace.bench.articles.CandleTables.Run;
import dev.millrace.bench.harness.RoundsCommand;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.load.LoadChild;
import dev.millrace.ohlcv.load.LoadSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that makes the tables of the article about candles anew. */
@Command(
    name = "candle-tables",
    description = {
      "Makes the article's tables of candles: both engines of the example side by side.",
      "Trades a second by threads, as fast as they go, with 1,000 queries a second meanwhile;"
          + " percentiles, garbage collection and memory at 50,000 trades and 1,000 queries a"
          + " second on 8 threads. What runs is what `ohlcv load` runs, with this JVM's options."
    },
    footer = {
      "",
      "From two rounds on, ratios have 95 %% intervals. The tables, in Markdown, are beside the"
          + " results; both are written after each round.",
      "",
      "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage."
    },
    sortOptions = false)
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

  @Override
  public Integer call() throws Exception {
    List<Run> runs =
        inRounds(
            trials(),
            (trial, round) -> new Run(round, LoadChild.run(trial.settings(), 0)),
            this::keepTables);
    String tables = Files.readString(markdown());
    print(tables);
    return runs.stream().anyMatch(run -> run.result().wrong() > 0) ? 1 : 0;
  }

  private void keepTables(List<Run> runs) throws IOException {
    CandleTables tables = CandleTables.of(started, repeat(), runs);
    keep(tables);
    Files.writeString(markdown(), tables.markdown());
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
