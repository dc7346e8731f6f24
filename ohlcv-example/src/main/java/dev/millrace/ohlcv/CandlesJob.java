package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleMaker;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.EngineException;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.input.InputException;
import dev.millrace.ohlcv.input.RowPipeline;
import dev.millrace.ohlcv.input.TradeSource;
import dev.millrace.ohlcv.output.CandleOutput;
import dev.millrace.ohlcv.output.Columns;
import dev.millrace.ohlcv.output.CsvOutput;
import dev.millrace.ohlcv.output.FillPrevious;
import dev.millrace.ohlcv.output.Format;
import dev.millrace.ohlcv.output.JsonOutput;
import dev.millrace.ohlcv.output.OutputTarget;
import dev.millrace.ohlcv.output.TableOutput;
import dev.millrace.ohlcv.trace.JobWatch;
import dev.millrace.telemetry.tool.TelemetryTool;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The work of {@code ohlcv candles}: this thread reads and feeds the engine, the engine's own
 * threads make the candles, and one of them writes them. With stages the reading thread only splits
 * the file into rows.
 */
final class CandlesJob {
  private static final int ROWS_ON_TERMINAL = 10;
  private static final int DAILY_WINDOW = 10_000; // 27 years
  private static final int USUAL_PARSERS = 2;

  private final Environment environment;
  private final CandlesCommand options;
  private final long startNanos = System.nanoTime();
  private Feeds feeds;
  private Interval interval;
  private OutputTarget target;
  private CandleWriter writer;

  /** How the rows get into what makes candles. */
  private interface Rows {
    void readAll(Runnable step) throws IOException, InputException, InterruptedException;
  }

  CandlesJob(Environment environment, CandlesCommand options) {
    this.environment = environment;
    this.options = options;
  }

  /** Does it, and returns the exit code; throws {@link IllegalArgumentException} on wrong usage. */
  int run() {
    try (Feeds opened = new Feeds(sources(), options.reading())) {
      feeds = opened;
      interval = interval();
      return write();
    } catch (InputException e) {
      return fail(e.getMessage());
    } catch (IOException e) {
      return fail("input must be readable: " + e.getMessage());
    }
  }

  private int write() throws IOException {
    try (OutputTarget opened = target();
        JobWatch watch = JobWatch.of(options.telemetry);
        Progress progress = new Progress(environment, feeds, options.output == null)) {
      target = opened;
      writer = new CandleWriter(feeds, output());
      writer.onWrite(progress::rowsAreShown);
      return make(watch, progress);
    } catch (IOException e) {
      return isClosedPipe(e)
          ? Ohlcv.OK
          : fail(outputName() + ": output must be writable: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fail("interrupted");
    }
  }

  private int make(JobWatch watch, Progress progress) throws IOException, InterruptedException {
    boolean fills = options.fill == CandlesCommand.Fill.PREVIOUS;
    CandleSink filled = fills ? new FillPrevious(interval, writer) : writer;
    CandleSink sink = watch.watching(watch.timing(filled), interval, feeds.symbols()::name);
    CandleEngine.Options engineOptions = engineOptions().withWatch(watch);
    feeds.onRejected(watch::newRejections);
    if (options.engine == CandleEngine.Kind.PIPELINE && feeds.isSingle()) {
      int parsers = options.parsers == null ? USUAL_PARSERS : options.parsers;
      RowPipeline rows = new RowPipeline(feeds.first(), engineOptions, parsers, sink);
      try (CandleMaker maker = rows.maker()) {
        watch.started(maker);
        return feed(rows::readAll, maker, progress);
      }
    }
    try (CandleEngine engine = options.engine.start(engineOptions, sink)) {
      watch.started(engine);
      Rows rows =
          step ->
              feeds.readAll(
                  trade -> {
                    engine.accept(trade);
                    step.run();
                  });
      return feed(rows, engine, progress);
    }
  }

  private int feed(Rows rows, CandleMaker maker, Progress progress)
      throws IOException, InterruptedException {
    try {
      try {
        rows.readAll(progress::step);
      } catch (InputException e) {
        maker.stop();
        return stopped(e.getMessage(), e.isOfRow());
      }
      maker.finish();
      progress.close();
      writer.end();
      target.complete();
    } catch (EngineException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof CandleWriter.RefusedException refused) {
        return stopped(refused.getMessage(), true);
      }
      throw e;
    }
    report(maker);
    return Ohlcv.OK;
  }

  private void report(CandleMaker maker) throws IOException {
    String summary = Summary.of(feeds, maker, writer.written(), interval);
    if (isTerminal()) { // not where texts are compared: it differs from run to run
      summary += Summary.ofMachine(feeds, maker, System.nanoTime() - startNanos);
    }
    if (options.format == Format.TABLE && options.output == null) {
      target.writer().write("\n" + summary);
    } else {
      environment.err().print(summary);
      environment.err().flush();
    }
  }

  /** Says what is wrong, and what was written before. */
  private int stopped(String message, boolean isOfRow) throws IOException {
    writer.stop();
    String what =
        target.appearsWhole()
            ? "nothing was written"
            : writer.written() == 0
                ? "no candle was written"
                : writer.written() + " candles before it were written";
    String hint = isOfRow ? "; --on-error skip leaves such rows out" : "";
    return fail(message + " (stopped: " + what + hint + ")");
  }

  private String outputName() {
    return options.output == null ? "stdout" : options.output.toString();
  }

  private List<TradeSource> sources() throws IOException, InputException {
    if (options.inputs.isEmpty()) {
      return List.of(TradeSource.sample());
    }
    List<TradeSource> sources = new ArrayList<>();
    for (String input : options.inputs) {
      sources.add(
          input.equals("-")
              ? TradeSource.stream(environment.in())
              : TradeSource.file(Path.of(input)));
    }
    return sources;
  }

  private Interval interval() {
    if (options.interval == null) {
      return Interval.parse(feeds.isBars() ? "1d" : "1m");
    }
    if (feeds.isBars() && !options.interval.isWholeDays()) {
      throw new IllegalArgumentException(
          "--interval must be whole days for daily bars: --interval=" + options.interval);
    }
    return options.interval;
  }

  private CandleEngine.Options engineOptions() {
    int usual = feeds.isBars() ? DAILY_WINDOW : CandleEngine.Options.DEFAULT_WINDOW;
    return new CandleEngine.Options(
        interval,
        options.window == null ? usual : options.window,
        0, // nobody asks for candles that are written
        feeds.hasSides(),
        options.shards);
  }

  private OutputTarget target() {
    if (options.output == null) {
      return environment.out().get();
    }
    try {
      return OutputTarget.file(options.output);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--output must be a file that can be written: --output="
              + options.output
              + " ("
              + e.getMessage()
              + ")",
          e);
    }
  }

  private CandleOutput output() throws IOException {
    Columns columns = new Columns(feeds.hasSides(), feeds.hasSymbols());
    Writer writer = target.writer();
    boolean terminal = isTerminal();
    return switch (options.format) {
      case CSV -> new CsvOutput(columns, writer);
      case JSON -> new JsonOutput(columns, writer);
      case TABLE ->
          new TableOutput(
              columns,
              interval,
              writer,
              terminal ? environment.outColumns() : 0,
              terminal && environment.colored(),
              terminal && !options.all && !feeds.isLive() ? ROWS_ON_TERMINAL : 0);
    };
  }

  private boolean isTerminal() {
    return options.output == null && environment.outColumns() > 0;
  }

  private int fail(String message) {
    environment.err().println(message);
    environment.err().flush();
    return Ohlcv.BAD_INPUT;
  }

  /** Whoever read our output has gone; that is no error. */
  private boolean isClosedPipe(IOException e) {
    return options.output == null && TelemetryTool.isClosedPipe(e);
  }
}
