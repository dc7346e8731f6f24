package dev.millrace.ohlcv.load;

import dev.millrace.core.Sequence;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.TradeRow;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;

/**
 * The thread that writes: first what fills the window, as fast as the engine takes it, then at the
 * rate that is asked for. All that is due is written, also when it is late, up to the run's end;
 * its latency counts from when it was due, so that a delay shows in every trade that it held up.
 */
final class TradeWriter implements Callable<Void> {
  private final LoadSettings settings;
  private final CandleEngine engine;
  private final LoadClock clock;
  private final Sequence written;
  private final Histogram latencies = Latencies.newHistogram();
  private long doneNanos;

  /**
   * Makes the writer.
   *
   * @param written where it counts what it gives to the engine, each trade before it is given
   */
  TradeWriter(LoadSettings settings, CandleEngine engine, LoadClock clock, Sequence written) {
    this.settings = settings;
    this.engine = engine;
    this.clock = clock;
    this.written = written;
  }

  @Override
  public Void call() throws InterruptedException {
    TradeGenerator generator = new TradeGenerator(settings);
    TradeRow row = new TradeRow();
    for (long i = 0; i < settings.fillTrades(); i++) {
      write(generator, row);
    }
    LoadRun.awaitPlaced(engine, settings.fillTrades());
    clock.start();
    long warmUp = settings.warmUpTrades();
    long trades = warmUp + settings.measuredTrades();
    long now = System.nanoTime();
    for (long i = 0; i < trades && !clock.isOver(now); i++) {
      long due = clock.startNanos() + LoadSettings.dueNanos(i, settings.rate());
      Pace.until(due);
      write(generator, row);
      now = System.nanoTime();
      if (i >= warmUp) {
        Latencies.record(latencies, due, now);
      }
    }
    doneNanos = now;
    return null;
  }

  private void write(TradeGenerator generator, TradeRow row) throws InterruptedException {
    generator.next(row);
    // plain: only this thread writes it. Release: whoever sees the trade in a candle sees it
    // counted, for it is counted before the engine has it.
    written.setRelease(written.getPlain() + 1);
    engine.accept(row);
  }

  /** After the thread's end. */
  Histogram latencies() {
    return latencies;
  }

  /** When the last trade was written; after the thread's end. */
  long doneNanos() {
    return doneNanos;
  }
}
