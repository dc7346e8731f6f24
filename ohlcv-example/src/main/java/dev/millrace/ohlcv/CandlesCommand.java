package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.input.FeedOptions;
import dev.millrace.ohlcv.output.Format;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
  private final Environment environment;

  @Mixin FeedOptions feed;

  @Option(
      names = "--fill",
      paramLabel = "HOW",
      description = "Candles without trades: none or previous. Default: none.")
  Fill fill = Fill.NONE;

  @Option(
      names = "--engine",
      paramLabel = "ENGINE",
      description =
          "${COMPLETION-CANDIDATES}. The candles are the same. Default: ${DEFAULT-VALUE}.")
  CandleEngine.Kind engine = CandleEngine.Kind.OFF_HEAP;

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
      names = "--telemetry",
      paramLabel = "FILE",
      description =
          "Writes live telemetry to this file: counters, rejected trades, closed candles. ohlcv top"
              + " shows it.")
  Path telemetry;

  /** What to do where nothing was traded. */
  enum Fill {
    NONE,
    PREVIOUS
  }

  private CandlesCommand(Environment environment) {
    this.environment = environment;
  }

  /** Makes the command, with an option for the column of each role. */
  static CommandLine of(Environment environment) {
    CommandLine line = new CommandLine(new CandlesCommand(environment));
    FeedOptions.addColumns(line.getCommandSpec());
    return line;
  }

  @Override
  public Integer call() throws IOException {
    feed.check();
    for (String input : feed.inputs()) {
      boolean isFile = output != null && Files.isRegularFile(output) && !input.equals("-");
      if (isFile && Files.exists(Path.of(input)) && Files.isSameFile(output, Path.of(input))) {
        throw feed.wrongUsage(
            "--output must be another file than --input: --output=%s, --input=%s"
                .formatted(output, input));
      }
    }
    try {
      return new CandlesJob(environment, this).run();
    } catch (IllegalArgumentException e) { // an option does not go with what the file is
      throw feed.wrongUsage(e.getMessage());
    }
  }
}
