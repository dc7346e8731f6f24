package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code ohlcv load}; the work is {@link LoadRun}'s, in a JVM of its own. */
@Command(
    name = "load",
    description = {
      "Writes trades and asks for candles at fixed rates, and checks every answer.",
      "Without options: the article's scenario, 50,000 trades and 1,000 queries a second for a"
          + " minute. A query asks for the last 24 hours of a symbol, 1,440 candles of a minute."
          + " Trades follow from the seed; their clock runs fast, so that the run covers 30 hours."
    },
    footer = {
      "",
      "Latency is measured from when a trade or query was due, so that what a stall holds up counts"
          + " too (no coordinated omission). Each engine runs in a JVM of its own, with the options"
          + " of this one: JDK_JAVA_OPTIONS=-Xmx256m reaches both.",
      "",
      "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false)
public final class LoadCommand implements Callable<Integer> {
  private static final int DONE = 0;
  private static final int FAILED = 1;

  private final int columns;

  @Spec private CommandSpec spec;

  @Option(names = "--rate", description = "Trades a second.")
  private int rate = 50_000;

  @Option(names = "--queries", description = "Queries a second, of all threads together.")
  private int queries = 1_000;

  @Option(names = "--seconds", description = "How long it is measured.")
  private int seconds = 60;

  @Option(
      names = "--warm-up",
      description = "Seconds at the same rates before; answers are checked, not measured.")
  private int warmUp = 5;

  @Option(
      names = "--threads",
      description =
          "Threads in all: one writes, one is the engine's, the others query. The engine pipeline"
              + " has one more, which publishes.")
  private int threads = 8;

  @Option(names = "--symbols", description = "How many symbols are traded.")
  private int symbols = 10;

  @Option(names = "--seed", description = "What the trades follow from.")
  private long seed = 1;

  @Option(names = "--engine", description = "${COMPLETION-CANDIDATES}. Default: off-heap.")
  private CandleEngine.Kind engine;

  @Option(
      names = "--compare",
      description = "Runs off-heap and naive, one after the other, and shows them side by side.")
  private boolean compare;

  /**
   * Makes the command.
   *
   * @param columns how wide the terminal is that messages go to; 0 if there is none
   */
  public LoadCommand(int columns) {
    this.columns = columns;
  }

  @Override
  public Integer call() {
    if (compare && engine != null) {
      throw wrongUsage("--compare runs both engines, off-heap and naive: --engine=" + engine);
    }
    CandleEngine.Kind chosen = engine == null ? CandleEngine.Kind.OFF_HEAP : engine;
    LoadSettings settings;
    try {
      settings = new LoadSettings(chosen, rate, queries, seconds, warmUp, threads, seed, symbols);
    } catch (IllegalArgumentException e) {
      throw wrongUsage("--" + e.getMessage());
    }
    PrintWriter err = spec.commandLine().getErr();
    PrintWriter out = spec.commandLine().getOut();
    List<LoadResult> results = new ArrayList<>();
    try {
      for (CandleEngine.Kind kind : compare ? CandleEngine.Kind.COMPARED : List.of(chosen)) {
        results.add(LoadChild.run(settings.withEngine(kind), columns));
      }
    } catch (IOException | InterruptedException e) {
      boolean failed = e instanceof IOException;
      err.println("ohlcv load: " + (failed ? e.getMessage() : "interrupted"));
      err.flush();
      return FAILED;
    }
    out.print(LoadReport.of(results));
    out.flush();
    return results.stream().anyMatch(result -> result.wrong() > 0) ? FAILED : DONE;
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
