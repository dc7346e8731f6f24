package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.input.Role;
import dev.millrace.ohlcv.output.Format;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of {@code ohlcv candles}; the work is {@link CandlesJob}'s. */
@Command(
    name = "candles",
    description = {
      "Reads trades, prints candles. Without options: of 100,000 trades on Bitstamp in 2013.",
      "Known layouts need no column option: Tardis, Binance, Bitstamp, Kraken's JSON, Kaggle's"
          + " daily prices; others are recognised by common column names."
    },
    footer = {
      "",
      "Exit codes: 0 done, 1 bad input (also a column that is not there, or no trade), 2 wrong"
          + " usage."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Ohlcv.Version.class,
    sortOptions = false)
final class CandlesCommand implements Callable<Integer> {
  private static final int MAX_WINDOW = 10_000_000;
  private static final int MAX_SHARDS = 64; // more would only wait for each other

  private final Environment environment;

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --input FILE.")
  private List<String> files = List.of();

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description =
          "CSV or JSON, plain or .gz; - for the standard input; a directory for what --log kept."
              + " Repeat it to merge several by time.")
  List<String> inputs = new ArrayList<>();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      description =
          "Length of a candle: 1s, 1m, 5m, 1h, 1d, 1w ... Default: 1m; 1d for daily bars.")
  String interval;

  @Option(
      names = "--fill",
      paramLabel = "HOW",
      description = "Candles without trades: none or previous. Default: none.")
  Fill fill = Fill.NONE;

  @Option(
      names = "--window",
      paramLabel = "N",
      description =
          "How many candles of a symbol stay open for trades out of order. Default: 1440; 10000 for"
              + " daily bars.")
  Integer window;

  @Option(
      names = "--engine",
      paramLabel = "ENGINE",
      description =
          "${COMPLETION-CANDIDATES}. The candles are the same. Default: ${DEFAULT-VALUE}.")
  CandleEngine.Kind engine = CandleEngine.Kind.OFF_HEAP;

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many threads share the symbols. The candles are the same. Default:"
              + " ${DEFAULT-VALUE}.")
  int shards;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  Format format = Format.TABLE;

  @Option(
      names = "--all",
      description = "Shows all candles on a terminal, too, instead of the last ten.")
  boolean all;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Where to write; it appears when it is whole. Default: standard output.")
  Path output;

  @Option(
      names = "--on-error",
      paramLabel = "HOW",
      description = "After a bad row: stop or skip (and count). Default: stop.")
  private OnError onError = OnError.STOP;

  @Option(
      names = "--telemetry",
      paramLabel = "FILE",
      description =
          "Writes live telemetry to this file: counters, rejected trades, closed candles. ohlcv top"
              + " shows it.")
  Path telemetry;

  @Option(
      names = "--log",
      paramLabel = "DIR",
      description =
          "Keeps the trades in a log. After a kill the same command goes on where it stopped.")
  Path log;

  @Option(
      names = "--from",
      paramLabel = "NUMBER|TIME",
      description = "Where to begin in an input that is a log. Default: its first trade.")
  String from;

  /** What to do where nothing was traded. */
  enum Fill {
    NONE,
    PREVIOUS
  }

  /** What to do after a bad row. */
  enum OnError {
    STOP,
    SKIP
  }

  private CandlesCommand(Environment environment) {
    this.environment = environment;
  }

  /** Makes the command, with an option for the column of each role. */
  static CommandLine of(Environment environment) {
    CommandLine line = new CommandLine(new CandlesCommand(environment));
    for (Role role : Role.OPTIONS) {
      line.getCommandSpec()
          .addOption(
              OptionSpec.builder("--" + role)
                  .paramLabel("COLUMN")
                  .type(String.class)
                  .description(role.description())
                  .build());
    }
    return line;
  }

  @Override
  public Integer call() throws IOException {
    requireRange("--window", window, MAX_WINDOW);
    requireRange("--shards", shards, MAX_SHARDS);
    inputs.addAll(0, files);
    if (inputs.contains("") || (log != null && log.toString().isEmpty())) {
      String option = inputs.contains("") ? "--input" : "--log";
      throw wrongUsage(option + " must have a name: " + option + "=");
    }
    if (Collections.frequency(inputs, "-") > 1) {
      throw wrongUsage("--input must be - once at most: --input=" + inputs);
    }
    if (from != null && inputs.stream().noneMatch(input -> Files.isDirectory(Path.of(input)))) {
      throw wrongUsage("--from must be with a log as --input: --from=" + from);
    }
    for (String input : inputs) {
      boolean isFile = output != null && Files.isRegularFile(output) && !input.equals("-");
      if (isFile && Files.exists(Path.of(input)) && Files.isSameFile(output, Path.of(input))) {
        throw wrongUsage(
            "--output must be another file than --input: --output=%s, --input=%s"
                .formatted(output, input));
      }
    }
    try {
      return new CandlesJob(environment, this).run();
    } catch (IllegalArgumentException e) { // an option does not go with what the file is
      throw wrongUsage(e.getMessage());
    }
  }

  /** The user's columns, by name or number. */
  Map<Role, String> columns() {
    Map<Role, String> columns = new EnumMap<>(Role.class);
    for (Role role : Role.OPTIONS) {
      String column = spec.findOption("--" + role).getValue();
      if (column != null) {
        columns.put(role, column);
      }
    }
    return columns;
  }

  boolean skips() {
    return onError == OnError.SKIP;
  }

  private void requireRange(String option, Integer value, int most) {
    if (value != null && (value < 1 || value > most)) {
      throw wrongUsage(option + " must be in 1.." + most + ": " + option + "=" + value);
    }
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
