package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.CandleEngine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options of the commands that read trades. */
public final class FeedOptions {
  private static final int DAILY_WINDOW = 10_000; // 27 years
  private static final int MAX_WINDOW = 10_000_000;
  private static final int MAX_SHARDS = 64; // more would only wait for each other

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --input FILE.")
  private List<String> files = List.of();

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description =
          "CSV or JSON, plain or .gz; - for the standard input; a directory for what --log kept."
              + " Repeat it to merge several by time.")
  private List<String> named = new ArrayList<>();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      description =
          "Length of a candle: 1s, 1m, 5m, 1h, 1d, 1w ... Default: 1m; 1d for daily bars.")
  private String interval; // null for the usual

  @Option(
      names = "--window",
      paramLabel = "N",
      description =
          "How many candles of a symbol stay open for trades out of order. Default: 1440; 10000 for"
              + " daily bars.")
  private Integer window; // null for the usual

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many threads share the symbols. The candles are the same. Default:"
              + " ${DEFAULT-VALUE}.")
  private int shards;

  @Option(
      names = "--on-error",
      paramLabel = "HOW",
      description = "After a bad row: stop or skip (and count). Default: stop.")
  private OnError onError = OnError.STOP;

  @Option(
      names = "--log",
      paramLabel = "DIR",
      description =
          "Keeps the trades in a log. After a kill the same command goes on where it stopped.")
  private Path log;

  @Option(
      names = "--from",
      paramLabel = "NUMBER|TIME",
      description = "Where to begin in an input that is a log. Default: its first trade.")
  private String from;

  private enum OnError {
    STOP,
    SKIP
  }

  /** Adds an option for the column of each role. */
  public static void addColumns(CommandSpec spec) {
    for (Role role : Role.OPTIONS) {
      spec.addOption(
          OptionSpec.builder("--" + role)
              .paramLabel("COLUMN")
              .type(String.class)
              .description(role.description())
              .build());
    }
  }

  /**
   * Checks what can be checked before the inputs are opened.
   *
   * @throws ParameterException if an option is wrong
   */
  public void check() {
    requireRange("--window", window, MAX_WINDOW);
    requireRange("--shards", shards, MAX_SHARDS);
    List<String> inputs = inputs();
    if (inputs.contains("") || (log != null && log.toString().isEmpty())) {
      String option = inputs.contains("") ? "--input" : "--log";
      throw wrongUsage(option + " must have a name: " + option + "=");
    }
    if (Collections.frequency(inputs, "-") > 1) {
      throw wrongUsage("--input must be - once at most: --input=" + inputs);
    }
    if (from != null && !hasLog()) {
      throw wrongUsage("--from must be with a log as --input: --from=" + from);
    }
  }

  /** Whether the trades are kept in a log. */
  public boolean keeps() {
    return log != null;
  }

  /** The names of the inputs; none means the trades that come with the example. */
  public List<String> inputs() {
    List<String> inputs = new ArrayList<>(files);
    inputs.addAll(named);
    return inputs;
  }

  /**
   * Opens the inputs.
   *
   * @param followsLogs whether the end of a log is waited at for trades to come
   */
  public Feeds open(InputStream standardInput, boolean followsLogs)
      throws IOException, InterruptedException {
    return new Feeds(sources(standardInput, followsLogs), columns(), skips());
  }

  /** Opens the log that keeps the trades; null if they are not kept. */
  public TradeLog openLog(Feeds feeds) {
    return log == null ? null : new TradeLog(log, feeds);
  }

  /**
   * How an engine makes candles of inputs.
   *
   * @param historyCandles how many closed candles of a symbol are kept for queries
   * @throws IllegalArgumentException if the interval is none, or does not go with the inputs; in
   *     words of the command line
   */
  public CandleEngine.Options engineOptions(Feeds feeds, int historyCandles) {
    int usual = feeds.isBars() ? DAILY_WINDOW : CandleEngine.Options.DEFAULT_WINDOW;
    return new CandleEngine.Options(
        feeds.interval(interval),
        window == null ? usual : window,
        historyCandles,
        feeds.hasSides(),
        shards);
  }

  /** Whether trades of an input come as they are made: its end may be long in coming. */
  public boolean isLive() {
    return inputs().contains("-") || hasLog();
  }

  private boolean hasLog() {
    return inputs().stream().anyMatch(input -> Files.isDirectory(Path.of(input)));
  }

  private List<TradeSource> sources(InputStream standardInput, boolean followsLogs) {
    return inputs().isEmpty()
        ? List.of(TradeSource.sample())
        : inputs().stream()
            .map(
                input ->
                    input.equals("-")
                        ? TradeSource.stream(standardInput)
                        : Files.isDirectory(Path.of(input))
                            ? TradeSource.log(Path.of(input), from, followsLogs)
                            : TradeSource.file(Path.of(input)))
            .toList();
  }

  /** The user's columns, by name or number. */
  private Map<Role, String> columns() {
    Map<Role, String> columns = new EnumMap<>(Role.class);
    for (Role role : Role.OPTIONS) {
      String column = spec.findOption("--" + role).getValue();
      if (column != null) {
        columns.put(role, column);
      }
    }
    return columns;
  }

  /** Whether bad rows are counted instead of ending the run. */
  public boolean skips() {
    return onError == OnError.SKIP;
  }

  /** Checks a number that was given. */
  public void requireRange(String option, Integer value, int most) {
    if (value != null && (value < 1 || value > most)) {
      throw wrongUsage(option + " must be in 1.." + most + ": " + option + "=" + value);
    }
  }

  /** What is thrown if an option is wrong. */
  public ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
