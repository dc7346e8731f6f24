package dev.millrace.ohlcv.serve;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.input.FeedOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of {@code ohlcv serve}; the work is {@link ServeJob}'s. */
@Command(
    name = "serve",
    description = {
      "Serves candles over HTTP while trades come in. Without an input: 100,000 trades on Bitstamp"
          + " in 2013, again and again, ten minutes a second.",
      "GET / is a page; /candles, /symbols, /stream, /health and /metrics are for programs."
    },
    footer = {
      "",
      "Runs until a signal stops it, as Ctrl-C does. Exit codes: 130 or 143 after the signal, 1 bad"
          + " input or a port in use, 2 wrong usage."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ServeCommand implements Callable<Integer> {
  private static final double SAMPLE_SPEED = 600;
  private static final int MAX_HISTORY = 10_000_000;
  private static final int MAX_PORT = 65_535;

  private final InputStream in;
  private final PrintWriter err;
  private final CandleEngine.Factory engines;

  @Mixin private FeedOptions feed;

  @Option(
      names = "--speed",
      paramLabel = "N|max",
      description =
          "How many times as fast as the trades were made. Default: 600 for the trades that come"
              + " with it, max for the standard input and for a log, else 1.")
  private String speed;

  @Option(names = "--repeat", description = "Begins again at the end of the inputs, later in time.")
  private boolean repeats;

  @Option(
      names = "--history",
      paramLabel = "N",
      defaultValue = "10080",
      description =
          "How many closed candles of a symbol can be asked for. Default: ${DEFAULT-VALUE}, a week"
              + " of minutes.")
  private int history;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "The address to listen on. Default: ${DEFAULT-VALUE}, for this machine alone.")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "The port to listen on; 0 for any. Default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(names = "--no-cache", description = "Renders every answer instead of caching it.")
  private boolean hasNoCache;

  private ServeCommand(InputStream in, PrintWriter err, CandleEngine.Factory engines) {
    this.in = in;
    this.err = err;
    this.engines = engines;
  }

  /**
   * Makes the command, with an option for the column of each role.
   *
   * @param in the standard input
   * @param err for messages
   * @param engines makes the engine that is asked
   */
  public static CommandLine of(InputStream in, PrintWriter err, CandleEngine.Factory engines) {
    CommandLine line = new CommandLine(new ServeCommand(in, err, engines));
    FeedOptions.addColumns(line.getCommandSpec());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line;
  }

  @Override
  public Integer call() throws IOException {
    feed.check();
    feed.requireRange("--history", history, MAX_HISTORY);
    if (port < 0 || port > MAX_PORT) {
      throw feed.wrongUsage("--port must be in 0..%d: --port=%d".formatted(MAX_PORT, port));
    }
    boolean isSample = feed.inputs().isEmpty();
    if (repeats && (feed.keeps() || feed.isLive())) {
      throw feed.wrongUsage(
          "--repeat must be without --log, and with inputs that can be read again");
    }
    ServeJob.Settings settings =
        new ServeJob.Settings(
            speed(isSample),
            repeats || (isSample && !feed.keeps()),
            history,
            host,
            port,
            !hasNoCache);
    try {
      return new ServeJob(feed, settings, engines, in, err).run();
    } catch (IllegalArgumentException e) { // an option does not go with what the file is
      throw feed.wrongUsage(e.getMessage());
    }
  }

  private double speed(boolean isSample) {
    if (speed == null) {
      return isSample ? SAMPLE_SPEED : feed.isLive() ? Replay.MAX : 1;
    }
    if (speed.equals("max")) {
      return Replay.MAX;
    }
    try {
      double number = Double.parseDouble(speed);
      if (number > 0 && number <= 1e9) {
        return number;
      }
    } catch (NumberFormatException e) {
      // the same rule says it
    }
    throw feed.wrongUsage("--speed must be max or a number up to 1e9: --speed=" + speed);
  }
}
