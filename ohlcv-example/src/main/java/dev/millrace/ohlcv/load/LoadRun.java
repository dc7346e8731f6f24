package dev.millrace.ohlcv.load;

import com.sun.management.ThreadMXBean;
import dev.millrace.core.Sequence;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.trace.JobWatch;
import dev.millrace.ohlcv.trace.Latency;
import dev.millrace.ohlcv.trace.Timing;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleConsumer;
import org.HdrHistogram.Histogram;

/**
 * One run of one engine in this JVM: fill the window, warm up, measure, see what is held, and only
 * then check all answers. Flat out, where keeping them would be measured too, only those that are
 * asked for after the end.
 */
final class LoadRun implements AutoCloseable {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long LOOK_MILLIS = 100;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final CandleSink NOWHERE = candle -> {};

  private final LoadSettings settings;
  private final DoubleConsumer progress;
  private final JobWatch watch; // another's
  private final LoadClock clock;
  private final Sequence written = new Sequence();
  private final List<AnswerLog> logs = new ArrayList<>();
  private final GarbageWatch garbage = new GarbageWatch();

  /**
   * Prepares a run.
   *
   * @param progress told, now and then, how many seconds of warming up and measuring have passed
   * @param watch looks on
   */
  LoadRun(LoadSettings settings, DoubleConsumer progress, JobWatch watch) {
    this.settings = settings;
    this.progress = progress;
    this.watch = watch;
    this.clock = new LoadClock(settings);
    int logged = settings.paced() ? settings.queriers() : 0;
    for (int i = 0; i <= logged; i++) {
      logs.add(new AnswerLog()); // the last is for the answers after the end
    }
  }

  /** Runs. */
  LoadResult run() throws IOException, InterruptedException {
    HeldMemory before = HeldMemory.now();
    CandleEngine.Options options = settings.engineOptions().withWatch(watch);
    CandleSink sink = watch.watching(NOWHERE, options.interval(), symbol -> "");
    try (CandleEngine engine = settings.engine().start(options, sink)) {
      watch.started(engine);
      List<Querier> queriers = new ArrayList<>();
      for (int i = 0; i < settings.askers(); i++) {
        AnswerLog log = settings.paced() ? logs.get(i) : null;
        Timing answered = watch.newTiming("query-" + i, Latency.ANSWERED);
        queriers.add(new Querier(settings, engine, clock, written, i, log, answered));
      }
      boolean writerAsks = settings.queriers() == 0;
      TradeWriter writer =
          new TradeWriter(
              settings, engine, clock, written, writerAsks ? queriers.getFirst() : null);
      Measured measured = measure(writer, queriers);
      awaitPlaced(engine, written.getAcquire()); // acquire: the writer has ended
      long logBytes = logs.stream().mapToLong(AnswerLog::sizeBytes).sum();
      HeldMemory.Held held = HeldMemory.now().since(before, logBytes);
      engine.finish();
      askAfterEnd(engine);
      return result(writer, queriers, measured, held);
    }
  }

  @Override
  public void close() {
    garbage.close();
    logs.forEach(AnswerLog::close);
  }

  /** The measured part from outside. */
  private record Measured(Instant begin, Instant end, long allocatedBytes) {}

  private Measured measure(TradeWriter writer, List<Querier> queriers) throws InterruptedException {
    try (ExecutorService threads = Executors.newFixedThreadPool(settings.callers())) {
      List<Future<Void>> running = new ArrayList<>();
      running.add(threads.submit(writer));
      queriers.stream()
          .limit(settings.queriers())
          .forEach(querier -> running.add(threads.submit(querier)));
      try {
        boolean begun = false;
        Instant begin = Instant.now();
        long allocated = 0;
        while (!areDone(running)) {
          if (!begun && clock.isStarted() && System.nanoTime() >= clock.measuredNanos()) {
            begun = true;
            begin = Instant.now();
            allocated = allocatedBytes();
          }
          report();
        }
        return new Measured(begin, Instant.now(), allocatedBytes() - allocated);
      } finally {
        threads.shutdownNow(); // if one has failed, the others end by interruption
      }
    }
  }

  /** Waits a little for the first that is not done; throws what a thread has thrown. */
  private static boolean areDone(List<Future<Void>> running) throws InterruptedException {
    for (Future<Void> thread : running) {
      if (thread.state() == Future.State.FAILED) {
        throw new IllegalStateException(thread.exceptionNow());
      }
    }
    for (Future<Void> thread : running) {
      try {
        thread.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        return false;
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
    return true;
  }

  private void report() {
    if (clock.isStarted()) {
      progress.accept((System.nanoTime() - clock.startNanos()) / NANOS_PER_SECOND);
    }
  }

  /** Waits until the engine has placed so many trades. */
  static void awaitPlaced(CandleEngine engine, long trades) throws InterruptedException {
    long start = System.nanoTime();
    for (long placed = engine.counts().trades(); placed < trades; ) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new IllegalStateException(
            "engine must place all trades: written=" + trades + ", placed=" + placed);
      }
      Thread.sleep(1);
      placed = engine.counts().trades();
    }
  }

  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getTotalThreadAllocatedBytes();
  }

  /** One more answer for each symbol, when nothing moves: it must hold every trade. */
  private void askAfterEnd(CandleEngine engine) {
    long all = written.getAcquire(); // acquire: the writer has ended
    try (Querier.Answers answers =
        new Querier.Answers(engine, logs.getLast(), settings.symbols())) {
      for (int symbol = 0; symbol < settings.symbols(); symbol++) {
        answers.keep(symbol, answers.take(symbol), all, all);
      }
    }
  }

  private LoadResult result(
      TradeWriter writer, List<Querier> queriers, Measured measured, HeldMemory.Held held)
      throws IOException {
    Histogram queries = Latencies.newHistogram();
    long queriesDone = clock.measuredNanos();
    long mostBehind = 0;
    for (Querier querier : queriers) {
      queries.add(querier.latencies());
      queriesDone = Math.max(queriesDone, querier.doneNanos());
      mostBehind = Math.max(mostBehind, querier.mostBehind());
    }
    AnswerChecker.Result checked = check();
    boolean cutShort =
        settings.paced()
            && (writer.latencies().getTotalCount() < settings.measuredTrades()
                || queries.getTotalCount() < settings.measuredQueries());
    Latencies writes =
        settings.paced()
            ? Latencies.of(writer.latencies(), seconds(writer.doneNanos()))
            : writer.rate();
    return new LoadResult(
        settings,
        GarbageWatch.collectors(),
        cutShort,
        writes,
        Latencies.of(queries, seconds(queriesDone)),
        mostBehind,
        garbage.between(measured.begin, measured.end),
        measured.allocatedBytes,
        held,
        written.getPlain(), // plain: the writer has ended
        checked.answers(),
        checked.candles(),
        checked.wrong(),
        checked.example());
  }

  /**
   * How long the measured part took; at least what was planned, for the last of a second is due
   * before its end.
   */
  private double seconds(long doneNanos) {
    return Math.max(doneNanos - clock.measuredNanos(), clock.endNanos() - clock.measuredNanos())
        / NANOS_PER_SECOND;
  }

  private AnswerChecker.Result check() {
    long all = written.getPlain(); // plain: the writer has ended
    AnswerChecker checker =
        new AnswerChecker(
            settings,
            settings.paced()
                ? new Reference(settings, all)
                : Reference.ofLastWindows(settings, all));
    logs.forEach(checker::check);
    return checker.result();
  }
}
