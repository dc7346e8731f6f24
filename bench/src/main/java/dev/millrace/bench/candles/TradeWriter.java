package dev.millrace.bench.candles;

import dev.millrace.bench.candles.LoadResult.Rate;
import dev.millrace.bench.harness.Latencies;
import dev.millrace.bench.harness.Pace;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;

/**
 * The thread that writes: first what fills the window, as fast as the engine takes it, then at the
 * rate that is asked for. All that is due is written, also when it is late, up to the run's end;
 * its latency counts from when it was due, so that a delay shows in every trade that it held up.
 *
 * <p>Flat out it goes on as fast as the engine takes it. What counts then is what the engine has
 * placed, from the measured part's begin until it has placed all.
 */
final class TradeWriter implements Callable<Void> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BURST = 64; // flat out, between two readings of the clock
  private static final long NOT_YET = -1;

  private final LoadSettings settings;
  private final LoadRun run;
  private final Querier querier; // null: others query
  final Histogram latencies = Latencies.newHistogram(); // read after the thread's end
  private long placedBefore = NOT_YET;
  private long beginNanos;
  long doneNanos; // when the last trade was written; read after the thread's end

  /**
   * Makes the writer.
   *
   * @param querier whose queries it asks between its trades; null if others query
   */
  TradeWriter(LoadRun run, Querier querier) {
    this.settings = run.settings;
    this.run = run;
    this.querier = querier;
  }

  @Override
  public Void call() throws IOException, InterruptedException {
    TradeGenerator generator = new TradeGenerator(settings);
    for (long i = 0; i < settings.fillTrades(); i++) {
      write(generator);
    }
    run.awaitPlaced(settings.fillTrades());
    run.clock.start();
    if (settings.paced()) {
      writeAtRate(generator);
    } else {
      writeFlatOut(generator);
    }
    return null;
  }

  private void writeAtRate(TradeGenerator generator) throws InterruptedException {
    long warmUp = settings.warmUpTrades();
    long trades = warmUp + settings.measuredTrades();
    long now = System.nanoTime();
    for (long i = 0; i < trades && !run.clock.isOver(now); i++) {
      long due = run.clock.startNanos() + LoadSettings.dueNanos(i, settings.rate());
      Pace.awaitNanos(due);
      write(generator);
      now = System.nanoTime();
      if (i >= warmUp) {
        Latencies.record(latencies, due, now);
      }
    }
    doneNanos = now;
  }

  private void writeFlatOut(TradeGenerator generator) throws IOException, InterruptedException {
    Pace.awaitNanos(run.clock.startNanos());
    long bursts = (Integer.MAX_VALUE - settings.fillTrades()) / BURST; // the reference's limit
    long now = System.nanoTime();
    double measuredNanos = settings.seconds() * NANOS_PER_SECOND;
    boolean isOver = false;
    for (long i = 0; i < bursts && !isOver; i++) {
      if (placedBefore == NOT_YET && now >= run.clock.measuredNanos()) {
        placedBefore = run.engine.counts().trades();
        beginNanos = now;
      }
      for (int j = 0; j < BURST; j++) {
        write(generator);
      }
      now = System.nanoTime();
      if (querier != null) {
        querier.askIfDue(now);
      }
      // From when it really began, which a busy machine puts off.
      isOver = placedBefore != NOT_YET && now - beginNanos >= measuredNanos;
    }
    long all = run.written.getPlain(); // plain: only this thread writes it
    if (placedBefore == NOT_YET) {
      throw new IllegalStateException("warm-up must end before trade 2147483647: trades=" + all);
    }
    run.awaitPlaced(all);
    doneNanos = System.nanoTime();
  }

  private void write(TradeGenerator generator) throws InterruptedException {
    generator.advance();
    // plain: only this thread writes it. Release: whoever sees the trade in a candle sees it
    // counted, for it is counted before the engine has it.
    run.written.setRelease(run.written.getPlain() + 1);
    run.engine.accept(generator);
  }

  /** How fast the engine placed trades, flat out; after the thread's end. */
  Rate rate() {
    long placed =
        run.written.getPlain() - placedBefore; // plain: the thread that wrote it has ended
    return new Rate(placed, placed / ((doneNanos - beginNanos) / NANOS_PER_SECOND), null);
  }
}
