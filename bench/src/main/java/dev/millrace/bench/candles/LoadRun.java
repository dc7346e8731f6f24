package dev.millrace.bench.candles;

import dev.millrace.bench.candles.LoadResult.Memory;
import dev.millrace.bench.candles.LoadResult.Rate;
import dev.millrace.bench.harness.Allocations;
import dev.millrace.bench.harness.Jvm;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pauses;
import dev.millrace.core.Sequence;
import dev.millrace.ohlcv.candle.CandleEngine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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

  final LoadSettings settings;
  final LoadClock clock;
  final Sequence written = new Sequence(); // trades, each counted before the engine has it
  final CandleEngine engine;
  private final List<Path> logs = new ArrayList<>();
  private final Pauses pauses = new Pauses();
  private final Allocations allocations = new Allocations();
  private final HeldMemory before = HeldMemory.now();

  LoadRun(LoadSettings settings) {
    this.settings = settings;
    this.clock = new LoadClock(settings);
    this.engine = settings.engine().start(settings.engineOptions(), candle -> {});
  }

  /** Waits until the engine has placed so many trades. */
  void awaitPlaced(long trades) throws InterruptedException {
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

  /** Runs. */
  LoadResult run() throws IOException, InterruptedException {
    List<Querier> queriers = new ArrayList<>();
    TradeWriter writer;
    Memory memory;
    try {
      for (int i = 0; i < settings.askers(); i++) {
        queriers.add(new Querier(this, i, newAnswers()));
      }
      writer = new TradeWriter(this, settings.queriers() == 0 ? queriers.getFirst() : null);
      List<Callable<Void>> tasks = new ArrayList<>(queriers.subList(0, settings.queriers()));
      tasks.add(writer);
      memory = measure(tasks);
      engine.finish();
      askAfterEnd();
    } finally {
      for (Querier querier : queriers) {
        querier.close(); // before the engine
      }
    }
    return result(writer, queriers, memory);
  }

  @Override
  public void close() {
    engine.close();
    pauses.close();
    allocations.close();
  }

  /** Begins a log of answers. */
  private Answers newAnswers() throws IOException {
    Path log = Files.createTempFile("ohlcv-answers", ".log");
    log.toFile().deleteOnExit(); // also when interrupted
    logs.add(log);
    return new Answers(() -> engine.newSnapshot(LoadSettings.WINDOW), Files.newOutputStream(log));
  }

  private Memory measure(List<Callable<Void>> tasks) throws IOException, InterruptedException {
    try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
      ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(threads);
      for (Callable<Void> task : tasks) {
        Future<Void> _ = running.submit(task);
      }
      try {
        boolean isMeasured = false;
        long collections = 0;
        long allocated = 0;
        for (int left = tasks.size(); left > 0; ) {
          Future<Void> done = running.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
          if (done != null) {
            done.get(); // throws what the thread has thrown
            left--;
          }
          if (!isMeasured && clock.isStarted() && System.nanoTime() >= clock.measuredNanos()) {
            isMeasured = true;
            pauses.restart();
            allocations.restart();
            collections = Jvm.collections();
            allocated = Jvm.THREADS.getTotalThreadAllocatedBytes();
          }
        }
        allocated = Jvm.THREADS.getTotalThreadAllocatedBytes() - allocated;
        collections = Jvm.collections() - collections;
        double millis = pauses.stop();
        allocations.stop();
        awaitPlaced(written.getAcquire()); // acquire: the writer has ended
        HeldMemory held = HeldMemory.now().since(before);
        double objects = allocations.all().objects((double) allocated);
        return new Memory(millis, collections, pauses.all(), allocated, objects, held);
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      } finally {
        threads.shutdownNow(); // if one has failed, the others end by interruption
      }
    }
  }

  /** One more answer for each symbol, when nothing moves: it must hold every trade. */
  private void askAfterEnd() throws IOException {
    long all = written.getAcquire(); // acquire: the writer has ended
    try (Answers answers = newAnswers()) {
      for (int symbol = 0; symbol < settings.symbols(); symbol++) {
        answers.take(symbol);
        answers.log(symbol, all, all);
      }
    }
  }

  private LoadResult result(TradeWriter writer, List<Querier> queriers, Memory memory)
      throws IOException {
    Histogram queries = Latencies.newHistogram();
    long queriesDone = clock.measuredNanos();
    long mostBehind = 0;
    for (Querier querier : queriers) {
      queries.add(querier.latencies);
      queriesDone = Math.max(queriesDone, querier.doneNanos);
      mostBehind = Math.max(mostBehind, querier.mostBehind);
    }
    boolean paced = settings.paced();
    boolean cutShort =
        paced
            && (writer.latencies.getTotalCount() < settings.measuredTrades()
                || queries.getTotalCount() < settings.measuredQueries());
    return new LoadResult(
        settings,
        cutShort,
        paced ? Rate.of(writer.latencies, seconds(writer.doneNanos)) : writer.rate(),
        Rate.of(queries, seconds(queriesDone)),
        mostBehind,
        memory,
        written.getPlain(), // plain: the writer has ended
        check());
  }

  /**
   * How long the measured part took; at least what was planned, for the last of a second is due
   * before its end.
   */
  private double seconds(long doneNanos) {
    return (Math.max(doneNanos, clock.endNanos()) - clock.measuredNanos()) / NANOS_PER_SECOND;
  }

  private AnswerChecker.Result check() throws IOException {
    long all = written.getPlain(); // plain: the writer has ended
    Reference reference =
        settings.paced() ? new Reference(settings, all) : Reference.ofLastWindows(settings, all);
    AnswerChecker checker = new AnswerChecker(settings, reference);
    for (Path log : logs) {
      try (InputStream answers = Files.newInputStream(log)) {
        checker.check(answers);
      }
    }
    return checker.result();
  }
}
