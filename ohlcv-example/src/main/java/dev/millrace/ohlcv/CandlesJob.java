package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.EngineException;
import dev.millrace.ohlcv.candle.HeapUse;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.InputException;
import dev.millrace.ohlcv.input.TradeLog;
import dev.millrace.ohlcv.output.CandleOutput;
import dev.millrace.ohlcv.output.Columns;
import dev.millrace.ohlcv.output.CsvOutput;
import dev.millrace.ohlcv.output.Format;
import dev.millrace.ohlcv.output.JsonOutput;
import dev.millrace.ohlcv.output.OutputTarget;
import dev.millrace.ohlcv.output.TableOutput;
import dev.millrace.ohlcv.trace.JobTelemetry;
import dev.millrace.telemetry.tool.TelemetryTool;
import java.io.IOException;

/**
 * The work of {@code ohlcv candles}: this thread reads and feeds the engine, the engine's own
 * threads make the candles, and one of them writes them.
 */
final class CandlesJob {
  private static final int ROWS_ON_TERMINAL = 10;
  private static final int PLOT_WIDTH = 100;

  private final Environment environment;
  private final CandlesCommand options;
  private final long startNanos = System.nanoTime();
  private Feeds feeds;
  private CandleEngine.Options engineOptions;
  private Interval interval;
  private OutputTarget target;
  private CandleWriter writer;
  private long feedBytes; // allocated by all threads from the first trade to the last candle

  CandlesJob(Environment environment, CandlesCommand options) {
    this.environment = environment;
    this.options = options;
  }

  /** Does it, and returns the exit code; throws {@link IllegalArgumentException} on wrong usage. */
  int run() {
    try (Feeds opened = options.feed.open(environment.in(), false)) {
      feeds = opened;
      // No history: candles that are written are not queried.
      engineOptions = options.feed.engineOptions(feeds, 0);
      interval = engineOptions.interval();
      return make();
    } catch (InputException e) {
      return fail(e.getMessage());
    } catch (IOException e) {
      String name = options.output == null ? "stdout" : options.output.toString();
      return options.output == null && TelemetryTool.isClosedPipe(e)
          ? Ohlcv.OK // whoever read our output has gone; that is no error
          : fail(name + ": output must be writable: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fail("interrupted");
    }
  }

  private int make() throws IOException, InterruptedException {
    boolean showsRows = isTerminal() && (rowsShown() == 0 || options.format != Format.TABLE);
    try (OutputTarget opened = OutputTarget.of(options.output, environment.out());
        JobTelemetry telemetry = JobTelemetry.of(options.telemetry);
        TradeLog log = options.feed.openLog(feeds);
        Progress progress = new Progress(feeds, showsRows ? 0 : environment.errColumns())) {
      target = opened;
      CandleOutput output = output();
      Interval fill = options.fill == CandlesCommand.Fill.PREVIOUS ? interval : null;
      writer = new CandleWriter(feeds, output, fill, options.feed.skips());
      CandleSink sink = telemetry == null ? writer : telemetry.watch(writer, feeds::symbol);
      try (CandleEngine engine = options.engine.start(engineOptions, sink)) {
        if (telemetry != null) {
          telemetry.report(engine);
          feeds.onBadRow(telemetry::newBadRows);
        }
        feed(engine, log, progress);
        if (engine.counts().trades() == 0 && feeds.counts().rows() > 0) {
          output.flush();
          return fail(Summary.ofNothing(feeds, engine) + stopped(false));
        }
        output.end();
        target.complete();
        report(engine);
        return Ohlcv.OK;
      } catch (InputException e) {
        output.flush();
        return fail(e.getMessage() + stopped(e.isOfRow()));
      }
    }
  }

  private void feed(CandleEngine engine, TradeLog log, Progress progress)
      throws IOException, InterruptedException {
    long startBytes = HeapUse.ofProcess();
    try {
      try {
        feeds.readAll(
            trade -> {
              if (log != null) {
                log.keep(trade);
              }
              engine.accept(trade);
              progress.step();
            });
      } catch (InputException e) {
        engine.stop(); // what it throws is of a row before
        throw e;
      }
      engine.finish();
      feedBytes = HeapUse.ofProcess() - startBytes;
      progress.close();
    } catch (EngineException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw e;
    }
  }

  private void report(CandleEngine engine) throws IOException {
    String summary = Summary.of(feeds, engine, writer.written(), interval);
    if (isTerminal()) { // not where texts are compared: it differs from run to run
      summary += Summary.ofMachine(engine, System.nanoTime() - startNanos, feedBytes);
    }
    if (options.format == Format.TABLE && options.output == null) {
      target.writer().write("\n" + summary);
    } else {
      environment.err().print(summary);
      environment.err().flush();
    }
  }

  /** What was written before the end. */
  private String stopped(boolean isOfRow) {
    String what =
        target.appearsWhole()
            ? "nothing was written"
            : writer.written() == 0
                ? "no candle was written"
                : writer.written() + " candles before it were written";
    String hint = isOfRow ? "; --on-error skip leaves such rows out" : "";
    return " (stopped: " + what + hint + ")";
  }

  private CandleOutput output() {
    Columns columns = new Columns(feeds.hasSides(), feeds.hasSymbols());
    boolean colored = isTerminal() && environment.colored();
    int width = isTerminal() ? environment.outColumns() : PLOT_WIDTH;
    return switch (options.format) {
      case CSV -> new CsvOutput(columns, target.writer());
      case JSON -> new JsonOutput(columns, target.writer());
      case TABLE ->
          new TableOutput(
              feeds.hasSymbols(), interval, target.writer(), width, colored, rowsShown());
    };
  }

  /** How many rows of a table are shown; 0 for all. */
  private int rowsShown() {
    return isTerminal() && !options.all && !feeds.isLive() ? ROWS_ON_TERMINAL : 0;
  }

  private boolean isTerminal() {
    return options.output == null && environment.outColumns() > 0;
  }

  private int fail(String message) {
    environment.err().println(message);
    environment.err().flush();
    return Ohlcv.BAD_INPUT;
  }
}
