package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.input.EpochUnit;
import dev.millrace.ohlcv.input.ReadOptions;
import dev.millrace.ohlcv.input.ReadOptions.Role;
import dev.millrace.ohlcv.output.Format;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
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
      "Exit codes: 0 done, 1 bad input (also a column that is not there), 2 wrong usage."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Ohlcv.Version.class,
    sortOptions = false)
final class CandlesCommand implements Callable<Integer> {
  private static final int MAX_WINDOW = 10_000_000;
  private static final int MAX_PARSERS = 64;

  private final Environment environment;

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --input FILE.")
  private List<String> files = List.of();

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description =
          "CSV or JSON, plain or .gz; - for the standard input. Repeat it to merge several by"
              + " time.")
  List<String> inputs = List.of();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      description =
          "Length of a candle: 1s, 1m, 5m, 1h, 1d, 1w ... Default: 1m; 1d for daily bars.")
  Interval interval;

  @Option(names = "--time", paramLabel = "COLUMN", description = "Column of the time.")
  private String time;

  @Option(names = "--price", paramLabel = "COLUMN", description = "Column of the price.")
  private String price;

  @Option(names = "--volume", paramLabel = "COLUMN", description = "Column of the volume.")
  private String volume;

  @Option(
      names = "--side",
      paramLabel = "COLUMN",
      description =
          "Column of the taker's side: buy or sell, or true or false; of the maker's, if its name"
              + " says so.")
  private String side;

  @Option(names = "--symbol", paramLabel = "COLUMN", description = "Column of the symbol.")
  private String symbol;

  @Option(
      names = "--time-unit",
      paramLabel = "UNIT",
      description = "Of times that are numbers: ${COMPLETION-CANDIDATES}. Default: by their size.")
  private EpochUnit timeUnit;

  @Option(
      names = "--keep",
      paramLabel = "COLUMN=VALUE",
      description =
          "Keeps only rows with that value. Repeat it for more values of a column, and for more"
              + " columns.")
  private List<String> keep = List.of();

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
          "${COMPLETION-CANDIDATES}. The candles are the same; those of naive to 15 digits."
              + " pipeline has threads for each stage: parse, validate, aggregate, publish."
              + " Default: ${DEFAULT-VALUE}.")
  CandleEngine.Kind engine = CandleEngine.Kind.OFF_HEAP;

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Among how many threads the symbols are shared out, with the engines off-heap and"
              + " pipeline. The candles are the same. Default: ${DEFAULT-VALUE}.")
  int shards;

  @Option(
      names = "--parsers",
      paramLabel = "N",
      description = "How many threads parse, with the engine pipeline. Default: 2.")
  Integer parsers;

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
          "Tells of the work in this file, also while it is done: counters, rejected trades, closed"
              + " candles, latencies. ohlcv top shows it.")
  Path telemetry;

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

  CandlesCommand(Environment environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    requireRange("--window", window, MAX_WINDOW);
    requireRange("--shards", shards, CandleEngine.Options.MAX_SHARDS);
    if (shards > 1 && engine == CandleEngine.Kind.NAIVE) {
      throw wrongUsage("--shards must be 1 with --engine naive: --shards=" + shards);
    }
    if (parsers != null && engine != CandleEngine.Kind.PIPELINE) {
      throw wrongUsage("--parsers must go with --engine pipeline: --engine=" + engine);
    }
    requireRange("--parsers", parsers, MAX_PARSERS);
    if (!files.isEmpty() && !inputs.isEmpty()) {
      throw wrongUsage("FILE must not go with --input: " + files + ", --input=" + inputs);
    }
    inputs = files.isEmpty() ? inputs : files;
    if (Collections.frequency(inputs, "-") > 1) {
      throw wrongUsage("--input must be - once at most: --input=" + inputs);
    }
    if (parsers != null && inputs.size() > 1) {
      throw wrongUsage("--parsers must go with one input: each of several has its own thread");
    }
    for (String input : inputs) {
      Path path = input.equals("-") ? null : Path.of(input);
      requireOther("--output", output, "--input", path);
      requireOther("--telemetry", telemetry, "--input", path);
    }
    requireOther("--telemetry", telemetry, "--output", output);
    try {
      return new CandlesJob(environment, this).run();
    } catch (IllegalArgumentException e) { // an option does not go with what the file is
      throw wrongUsage(e.getMessage());
    }
  }

  private void requireRange(String option, Integer value, int most) {
    if (value != null && (value < 1 || value > most)) {
      throw wrongUsage(option + " must be in 1.." + most + ": " + option + "=" + value);
    }
  }

  /** Throws if a file that is written is also read, or written by another option. */
  private void requireOther(String option, Path file, String otherOption, Path otherFile) {
    if (file != null && otherFile != null && isSame(file, otherFile)) {
      throw wrongUsage(
          String.format(
              "%s must be another file than %s: %s=%s, %s=%s",
              option, otherOption, option, file, otherOption, otherFile));
    }
  }

  private static boolean isSame(Path one, Path other) {
    if (Files.exists(one) && !Files.isRegularFile(one)) {
      return false; // a terminal, for one, may be read and written
    }
    try {
      // By path for files that do not exist yet; the file system knows hard links.
      return one.toFile().getCanonicalFile().equals(other.toFile().getCanonicalFile())
          || (Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other));
    } catch (IOException e) {
      return false; // cannot be opened either, which is reported then
    }
  }

  /** How the inputs are to be read. */
  ReadOptions reading() {
    Map<Role, String> columns = new EnumMap<>(Role.class);
    columns.put(Role.TIME, time);
    columns.put(Role.PRICE, price);
    columns.put(Role.VOLUME, volume);
    columns.put(Role.SIDE, side);
    columns.put(Role.SYMBOL, symbol);
    columns.values().removeIf(Objects::isNull);
    return new ReadOptions(columns, timeUnit, kept(), onError == OnError.SKIP);
  }

  private Map<String, List<String>> kept() {
    Map<String, List<String>> kept = new LinkedHashMap<>();
    for (String condition : keep) {
      int equals = condition.indexOf('=');
      if (equals < 1) {
        throw wrongUsage("--keep must be COLUMN=VALUE: --keep=" + condition);
      }
      kept.computeIfAbsent(condition.substring(0, equals), column -> new ArrayList<>())
          .add(condition.substring(equals + 1));
    }
    return kept;
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
