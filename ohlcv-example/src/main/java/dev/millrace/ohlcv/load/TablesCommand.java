package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code ohlcv tables}; each run is {@link LoadRun}'s, in a JVM of its own. */
@Command(
    name = "tables",
    description = {
      "Makes the article's tables anew: both engines side by side.",
      "Trades a second by threads, as fast as they go, with 1,000 queries a second meanwhile;"
          + " percentiles, garbage collection and memory at 50,000 trades and 1,000 queries a"
          + " second on 8 threads. What runs is what `ohlcv load` runs."
    },
    footer = {
      "",
      "Each run has a JVM of its own, with the options of this one, in rounds whose order is"
          + " shuffled. From two rounds on, ratios have 95 %% intervals. Results are tables.json"
          + " and tables.md; they are written after each round.",
      "",
      "Exit codes: 0 done, 1 wrong answers or a failure, 2 wrong usage."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class TablesCommand implements Callable<Integer> {
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int RATE = 50_000;
  private static final int QUERIES = 1_000;
  private static final int PACED_THREADS = 8;
  private static final int SYMBOLS = 10;
  private static final int MOST_CALLERS = 1_023;
  private static final int MOST_FLAT_OUT_SECONDS = 600;
  private static final int MOST_ROUNDS = 1_000;

  private final int columns;

  @Spec private CommandSpec spec;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "How long a run at the fixed rate is measured. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--flat-out-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long a run flat out is measured. Default: ${DEFAULT-VALUE}.")
  private int flatOutSeconds;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      defaultValue = "5",
      description = "Seconds before either. Default: ${DEFAULT-VALUE}.")
  private int warmUp;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often everything is run. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--threads",
      paramLabel = "N,N",
      split = ",",
      defaultValue = "1,2,4,8",
      description =
          "Threads that use the engine flat out, besides its own: the first writes, the others"
              + " query; a single one does both. Default: ${DEFAULT-VALUE}.")
  private List<Integer> threads = new ArrayList<>();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "What the trades and the runs' order follow from. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description = "Where results go. Default: ohlcv-example/target/tables.")
  private Path output;

  /**
   * Makes the command.
   *
   * @param columns how wide the terminal is that messages go to; 0 if there is none
   */
  public TablesCommand(int columns) {
    this.columns = columns;
  }

  @Override
  public Integer call() {
    List<LoadSettings> trials = trials();
    try {
      Path folder = output == null ? defaultOutput() : output;
      Tables tables = Tables.begin(command());
      tables.run(
          trials,
          rounds,
          seed,
          trial -> LoadChild.run(trial, null, columns),
          this::tell,
          () -> write(tables, folder));
      PrintWriter out = spec.commandLine().getOut();
      out.print(TablesMarkdown.of(tables));
      out.flush();
      tell("written: " + folder.toAbsolutePath().normalize());
      return tables.runs().stream().anyMatch(run -> run.result().wrong() > 0) ? FAILED : DONE;
    } catch (IOException e) {
      return failure(e.getMessage());
    } catch (InterruptedException e) {
      return failure("interrupted");
    }
  }

  private List<LoadSettings> trials() {
    if (threads.stream().distinct().count() < threads.size()) {
      throw wrongUsage("--threads must differ from each other: threads=" + threads);
    }
    List<LoadSettings> trials = new ArrayList<>();
    try {
      LoadSettings.checkRange("rounds", rounds, 1, MOST_ROUNDS);
      LoadSettings.checkRange("flat-out-seconds", flatOutSeconds, 1, MOST_FLAT_OUT_SECONDS);
      for (int callers : threads) {
        LoadSettings.checkRange("threads", callers, 1, MOST_CALLERS);
      }
      for (CandleEngine.Kind engine : CandleEngine.Kind.COMPARED) {
        LoadSettings paced =
            new LoadSettings(engine, RATE, QUERIES, seconds, warmUp, PACED_THREADS, seed, SYMBOLS);
        trials.add(paced);
        threads.forEach(callers -> trials.add(paced.flatOut(callers, flatOutSeconds)));
      }
    } catch (IllegalArgumentException e) {
      throw wrongUsage("--" + e.getMessage());
    }
    return trials;
  }

  private String command() {
    return "ohlcv-example/ohlcv tables --seconds %d --flat-out-seconds %d --warm-up %d"
            .formatted(seconds, flatOutSeconds, warmUp)
        + " --rounds %d --threads %s --seed %d"
            .formatted(
                rounds,
                threads.stream().map(String::valueOf).collect(Collectors.joining(",")),
                seed);
  }

  /** The script knows the module's folder. */
  private static Path defaultOutput() {
    return Path.of(System.getProperty("ohlcv.module", "."), "target", "tables");
  }

  private static void write(Tables tables, Path folder) throws IOException {
    tables.write(folder.resolve("tables.json"));
    Files.writeString(folder.resolve("tables.md"), TablesMarkdown.of(tables));
  }

  private void tell(String message) {
    spec.commandLine().getErr().println("ohlcv tables: " + message);
    spec.commandLine().getErr().flush();
  }

  private int failure(String message) {
    tell(message);
    return FAILED;
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
