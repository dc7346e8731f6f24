package dev.millrace.ohlcv.candle;

import java.io.IOException;
import java.util.function.IntFunction;

/**
 * An off-heap engine's way to its sink: counts the candles and, in the end, emits those that are
 * still open.
 *
 * <p><b>Roles.</b> One thread emits. The feeder says what is not to be emitted, before it completes
 * the engine's queue; any thread may abandon.
 */
final class Emitter implements CandleSink {
  private final CandleSink sink;
  private final Tally candles = new Tally();
  private volatile boolean emitsOpen = true; // volatile: written before the queue is completed
  private volatile boolean abandoned; // volatile: who sees what was done after it sees it too

  Emitter(CandleSink sink) {
    this.sink = sink;
  }

  @Override
  public void candle(CandleView candle) throws IOException {
    sink.candle(candle);
    candles.increment();
  }

  @Override
  public void refused(long line, String field) {
    sink.refused(line, field);
  }

  /** Emits what is open, in order of symbols, unless that is not wanted. */
  void emitOpen(IntFunction<CandleWindow> windows, int symbols) throws IOException {
    for (int symbol = 0; symbol < symbols; symbol++) {
      CandleWindow window = windows.apply(symbol);
      if (window != null && emitsOpen && !abandoned) {
        window.emitAll(this);
      }
    }
  }

  /** Says that what is open in the end shall not be emitted. */
  void withholdOpen() {
    emitsOpen = false;
  }

  /** Says that nothing more is wanted. */
  void abandon() {
    abandoned = true;
  }

  boolean isAbandoned() {
    return abandoned;
  }

  /** How many candles were emitted. */
  long count() {
    return candles.get();
  }
}
