package dev.millrace.ohlcv.candle;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The candles of all symbols, and what became of the trades.
 *
 * <p><b>Roles.</b> Any number of threads place, each the trades of its own symbols; any number
 * read. Whoever closes makes sure that all have ended.
 *
 * <p><b>Cost.</b> That of {@link CandleWindow}. Only the first trade of a symbol allocates.
 */
final class OpenCandles implements AutoCloseable {
  private final CandleEngine.Options options;
  private volatile CandleWindow[] windows = new CandleWindow[0]; // by symbol; replaced to grow
  private volatile boolean emitsOpen = true; // volatile: written before the queue is completed
  private final AtomicLong trades = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final HeapUse heapUse = new HeapUse();

  OpenCandles(CandleEngine.Options options) {
    this.options = options;
  }

  /** Places a trade; the sink gets what leaves for it, and hears of it if it is refused. */
  void place(Trade trade, CandleSink sink) throws IOException {
    Refusal refusal = window(trade.symbol()).add(trade, sink);
    // The prices of a daily bar are four rows, of which only the last stands for trades.
    boolean counts = trade.trades() > 0;
    if (refusal == null) {
      trades.addAndGet(counts ? 1 : 0); // linearizes: who sees the count sees the trade
    } else if (refusal != Refusal.LATE || counts) {
      (refusal == Refusal.LATE ? late : refused).incrementAndGet();
      sink.refused(trade, refusal);
    }
  }

  /** Emits what is open, in order of symbols, unless that was withheld. */
  void emitOpen(CandleSink sink) throws IOException {
    for (CandleWindow window : windows) {
      if (window != null && emitsOpen) {
        window.emitAll(sink);
      }
    }
  }

  /** Says that what is open in the end shall not be emitted. */
  void withhold() {
    emitsOpen = false;
  }

  /** A symbol's window; null where nothing was traded yet. */
  CandleWindow windowOrNull(int symbol) {
    CandleWindow[] known = windows;
    return symbol < known.length ? known[symbol] : null;
  }

  CandleEngine.Version version(int symbol, long firstBucket, long lastBucket) {
    CandleWindow window = windowOrNull(symbol);
    return window == null
        ? new CandleEngine.Version(CandleWindow.NOTHING_YET, 0)
        : window.version(firstBucket, lastBucket);
  }

  CandleSnapshot newSnapshot(int capacity) {
    return new WindowSnapshot(this, options, capacity);
  }

  CandleEngine.Counts counts() {
    return new CandleEngine.Counts(trades.get(), late.get(), refused.get());
  }

  HeapUse heapUse() {
    return heapUse;
  }

  /** Frees the memory. */
  @Override
  public void close() {
    for (CandleWindow window : windows) {
      if (window != null) {
        window.close();
      }
    }
  }

  private CandleWindow window(int symbol) {
    CandleWindow window = windowOrNull(symbol);
    return window == null ? newWindow(symbol) : window;
  }

  private synchronized CandleWindow newWindow(int symbol) {
    long before = HeapUse.ofThread();
    CandleWindow[] grown = Arrays.copyOf(windows, Math.max(windows.length, symbol + 1));
    grown[symbol] = new CandleWindow(symbol, options, heapUse);
    windows = grown;
    heapUse.addSymbol(before);
    return grown[symbol];
  }
}
