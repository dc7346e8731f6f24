package dev.millrace.ohlcv.serve;

import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.Interval;
import dev.millrace.ohlcv.candle.Symbols;
import dev.millrace.ohlcv.input.FeedOptions;
import dev.millrace.ohlcv.input.Feeds;
import dev.millrace.ohlcv.input.InputException;
import dev.millrace.ohlcv.input.TradeLog;
import dev.millrace.ohlcv.output.Columns;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.BindException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * The work of {@code ohlcv serve}: one thread feeds the engine, the engine's threads make candles,
 * the server's answer, and this one waits until it is stopped.
 */
public final class ServeJob {
  private static final int OK = 0;
  private static final int BAD_INPUT = 1;
  private static final long CACHE_BYTES = 64 << 20;
  private static final Duration STOP = Duration.ofSeconds(2);
  private static final Duration FEED_STOP = Duration.ofMillis(500); // it may be in a read

  private final FeedOptions feed;
  private final Settings settings;
  private final CandleEngine.Factory engines;
  private final InputStream in;
  private final PrintWriter err;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * How it serves.
   *
   * @param speed how many times as fast as the trades were made, or {@link Replay#MAX}
   * @param repeats whether it begins again at the end of the inputs
   * @param history how many closed candles of a symbol can be asked for
   * @param host the address to listen on
   * @param port the port, or 0
   * @param caches whether answers are cached
   */
  record Settings(
      double speed, boolean repeats, int history, String host, int port, boolean caches) {}

  ServeJob(
      FeedOptions feed,
      Settings settings,
      CandleEngine.Factory engines,
      InputStream in,
      PrintWriter err) {
    this.feed = feed;
    this.settings = settings;
    this.engines = engines;
    this.in = in;
    this.err = err;
  }

  /** Serves until it is stopped; throws {@link IllegalArgumentException} on wrong usage. */
  int run() {
    Thread hook = Thread.ofPlatform().unstarted(this::stop);
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return serve(feed.open(in, true));
    } catch (InputException e) {
      return fail(e.getMessage());
    } catch (BindException e) {
      return fail(
          "address must be free to listen on: --host=%s, --port=%d (%s)"
              .formatted(settings.host(), settings.port(), e.getMessage()));
    } catch (IOException e) {
      return fail(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return fail("interrupted");
    } finally {
      ended.countDown();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // it runs already
      }
    }
  }

  /** Ends it, and waits for that. */
  void stop() {
    stop.countDown();
    try {
      ended.await(STOP.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int serve(Feeds first) throws IOException, InterruptedException {
    CandleEngine.Options options = feed.engineOptions(first, settings.history());
    Interval interval = options.interval();
    Symbols symbols = new Symbols();
    long cacheBytes = settings.caches() ? CACHE_BYTES : 0;
    try (TradeLog log = feed.openLog(first);
        CandleEngine engine = engines.start(options, new Nowhere());
        CandleQueries queries =
            new CandleQueries(
                engine, options, symbols, new Columns(first.hasSides(), false), cacheBytes);
        CandleServer server =
            new CandleServer(
                queries,
                engine,
                symbols,
                interval,
                metrics(engine, queries),
                settings.host(),
                settings.port())) {
      err.printf(
          "Serving candles on http://%s:%d/ until it is stopped.%n",
          settings.host(), server.port());
      err.flush();
      Replay replay = new Replay(engine, symbols, settings.speed());
      FutureTask<Void> feeding = new FutureTask<>(() -> feed(first, log, replay, interval));
      Thread feeder = Thread.ofPlatform().name("feed").daemon().start(feeding);
      try {
        stop.await();
      } finally {
        feeder.interrupt();
      }
      return feeder.join(FEED_STOP) ? outcome(feeding) : OK;
    }
  }

  private Void feed(Feeds first, TradeLog log, Replay replay, Interval interval)
      throws IOException, InterruptedException {
    boolean isDone = false;
    try {
      try (first) { // here, because closing an input waits for the thread that reads it
        replay.play(first, log);
      }
      while (settings.repeats()) {
        replay.moveOn(interval);
        try (Feeds again = feed.open(in, true)) {
          replay.play(again, null);
        }
      }
      isDone = true; // goes on serving
      return null;
    } finally {
      if (!isDone) {
        stop.countDown();
      }
    }
  }

  /** What has come of the feed. */
  private static int outcome(FutureTask<Void> feeding) throws IOException, InterruptedException {
    try {
      feeding.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (!(e.getCause() instanceof InterruptedException)) { // which means that it was stopped
        throw new IllegalStateException(e.getCause());
      }
    }
    return OK;
  }

  private static Metrics metrics(CandleEngine engine, CandleQueries queries) {
    Metrics metrics = new Metrics();
    metrics.counter("ohlcv_trades", () -> engine.counts().trades());
    metrics.counter("ohlcv_late", () -> engine.counts().late());
    engine.measured().ifPresent(each -> metrics.all("millrace_pipeline", each));
    metrics.gauge("millrace_ring_capacity", () -> CandleEngine.PIPELINE_CAPACITY);
    queries.cache().ifPresent(each -> metrics.all("millrace_cache", each));
    return metrics;
  }

  private int fail(String message) {
    err.println("ohlcv serve: " + message);
    err.flush();
    return BAD_INPUT;
  }

  /** Closed candles are in the engine's history, where they can be asked for. */
  private static final class Nowhere implements CandleSink {
    @Override
    public void candle(Candle candle) {}
  }
}
