package dev.millrace.ohlcv;

import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleMaker;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.EngineException;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.input.InputException;
import dev.millrace.ohlcv.input.ReadOptions;
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

  private final Environment environment;
  private final Options options;
  private final long startNanos = System.nanoTime();

  /**
   * What to do.
   *
   * @param inputs files, {@code -} for the standard input; none for the sample
   * @param interval null for the usual one of the input
   * @param window null for the usual one of the input
   * @param parsers how many threads parse, where there are stages
   * @param all whether a terminal gets all candles, too
   * @param output null for the standard output
   * @param telemetry where to tell of the work, or null
   */
  record Options(
      List<String> inputs,
      ReadOptions read,
      Interval interval,
      boolean fillPrevious,
      Integer window,
      CandleEngine.Kind engine,
      int shards,
      int parsers,
      Format format,
      boolean all,
      Path output,
      Path telemetry) {}

  /** How the rows get into what makes candles. */
  private interface Feed {
    void readAll(Runnable step) throws IOException, InputException, InterruptedException;
  }

  CandlesJob(Environment environment, Options options) {
    this.environment = environment;
    this.options = options;
  }

  /** Does it, and returns the exit code; throws {@link IllegalArgumentException} on wrong usage. */
  int run() {
    try (Feeds feeds = new Feeds(sources(), options.read)) {
      return run(feeds);
    } catch (InputException e) {
      return fail(e.getMessage());
    } catch (IOException e) {
      return fail("input must be readable: " + e.getMessage());
    }
  }

  private int run(Feeds feeds) throws IOException {
    Interval interval = interval(feeds);
    try (OutputTarget target = target();
        JobWatch watch = JobWatch.of(options.telemetry)) {
      CandleWriter writer = new CandleWriter(feeds, output(feeds, interval, target));
      Progress progress = new Progress(environment, feeds, options.output == null);
      writer.onWrite(progress::rowsAreShown);
      CandleSink sink = options.fillPrevious ? new FillPrevious(interval, writer) : writer;
      try {
        return make(feeds, interval, watch, sink, writer, progress, target);
      } finally {
        progress.close();
      }
    } catch (IOException e) {
      return isClosedPipe(e)
          ? Ohlcv.OK
          : fail(outputName() + ": output must be writable: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fail("interrupted");
    }
  }

  private int make(
      Feeds feeds,
      Interval interval,
      JobWatch watch,
      CandleSink filled,
      CandleWriter writer,
      Progress progress,
      OutputTarget target)
      throws IOException, InterruptedException {
    CandleEngine.Options engineOptions = engineOptions(feeds, interval).withWatch(watch);
    CandleSink sink = watch.watching(watch.timing(filled), interval, feeds.symbols()::name);
    feeds.onRejected(watch::newRejections);
    if (options.engine == CandleEngine.Kind.PIPELINE && feeds.isSingle()) {
      RowPipeline rows = new RowPipeline(feeds.first(), engineOptions, options.parsers, sink);
      try (CandleMaker maker = rows.maker()) {
        watch.started(maker);
        return feed(rows::readAll, feeds, maker, writer, progress, target);
      }
    }
    try (CandleEngine engine = options.engine.start(engineOptions, sink)) {
      watch.started(engine);
      Feed feed =
          step ->
              feeds.readAll(
                  trade -> {
                    engine.accept(trade);
                    step.run();
                  });
      return feed(feed, feeds, engine, writer, progress, target);
    }
  }

  private int feed(
      Feed feed,
      Feeds feeds,
      CandleMaker maker,
      CandleWriter writer,
      Progress progress,
      OutputTarget target)
      throws IOException, InterruptedException {
    try {
      try {
        feed.readAll(progress::step);
      } catch (InputException e) {
        maker.stop();
        writer.stop();
        return fail(e.getMessage() + written(writer, target, e.isOfRow()));
      }
      maker.finish();
      progress.close();
      writer.end();
      target.complete();
    } catch (EngineException e) {
      return explain(e, writer, target);
    }
    report(feeds, maker, writer, target);
    return Ohlcv.OK;
  }

  private int explain(EngineException e, CandleWriter writer, OutputTarget target)
      throws IOException {
    if (e.getCause() instanceof IOException io) {
      throw io;
    }
    if (e.getCause() instanceof CandleWriter.RefusedException refused) {
      writer.stop();
      return fail(refused.getMessage() + written(writer, target, true));
    }
    throw e;
  }

  private void report(Feeds feeds, CandleMaker maker, CandleWriter writer, OutputTarget target)
      throws IOException {
    String summary = Summary.of(feeds, maker, writer.written(), interval(feeds));
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

  private static String written(CandleWriter writer, OutputTarget target, boolean isOfRow) {
    String what =
        target.appearsWhole()
            ? "nothing was written"
            : writer.written() == 0
                ? "no candle was written"
                : writer.written() + " candles before it were written";
    return " (stopped: " + what + (isOfRow ? "; --on-error skip leaves such rows out)" : ")");
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

  private Interval interval(Feeds feeds) {
    if (options.interval == null) {
      return Interval.parse(feeds.isBars() ? "1d" : "1m");
    }
    if (feeds.isBars() && !options.interval.isWholeDays()) {
      throw new IllegalArgumentException(
          "--interval must be whole days for daily bars: --interval=" + options.interval);
    }
    return options.interval;
  }

  private CandleEngine.Options engineOptions(Feeds feeds, Interval interval) {
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

  private CandleOutput output(Feeds feeds, Interval interval, OutputTarget target)
      throws IOException {
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
