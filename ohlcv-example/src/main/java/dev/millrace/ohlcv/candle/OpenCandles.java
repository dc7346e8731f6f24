package dev.millrace.ohlcv.candle;

import java.io.IOException;
import java.util.Arrays;

/**
 * What a thread keeps for its symbols: their candles, the latest trade, and counts of what became
 * of all.
 *
 * <p><b>Roles.</b> One thread places. Any number read, the latest trade only after that thread has
 * ended. Whoever closes makes sure that all have ended.
 *
 * <p><b>Cost.</b> That of {@link CandleWindow}. Only the first trade of a symbol allocates.
 */
final class OpenCandles implements AutoCloseable {
  private final CandleEngine.Options options;
  // volatile: the placing thread replaces the array when a symbol is new; readers see whole
  // windows.
  private volatile CandleWindow[] windows = new CandleWindow[0];
  private final EngineWatch.Placing watch; // the placing thread's
  private final TradeRow last = new TradeRow(); // the placing thread's
  private long lastNumber; // the placing thread's
  private final Tally trades = new Tally();
  private final Tally late = new Tally();
  private final Tally refused = new Tally();

  OpenCandles(CandleEngine.Options options) {
    this.options = options;
    this.watch = options.watch().newPlacing();
  }

  /**
   * Places a trade; the sink gets what leaves for it, and hears of it if it does not fit.
   *
   * @param number its place in the order in which trades were accepted
   */
  void place(Trade trade, long number, CandleSink sink) throws IOException {
    String refusal = window(trade.symbol()).add(trade, sink);
    if (refusal == null) {
      trades.add(trade.trades() > 0 ? 1 : 0);
      last.set(trade);
      lastNumber = number;
    } else if (!refusal.equals(Refusal.TIME)) {
      refused.increment();
      watch.rejected(trade, Refusal.of(refusal));
      sink.refused(trade.line(), refusal);
    } else if (trade.trades() > 0) {
      late.increment();
      watch.rejected(trade, Refusal.of(refusal));
    }
  }

  /** What the placing thread tells. */
  EngineWatch.Placing watch() {
    return watch;
  }

  /** A symbol's window; null where nothing was traded yet. */
  CandleWindow windowOrNull(int symbol) {
    CandleWindow[] known = windows;
    return symbol < known.length ? known[symbol] : null;
  }

  /** The number after that of the last symbol that has a window. */
  int symbols() {
    return windows.length;
  }

  /** The trade placed last. */
  Trade last() {
    return last;
  }

  /** Its number; 0 if there was none. */
  long lastNumber() {
    return lastNumber;
  }

  /** What became of the trades, without the candles. */
  CandleEngine.Counts counts() {
    return new CandleEngine.Counts(trades.get(), late.get(), refused.get(), 0);
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
    CandleWindow[] known = windows;
    if (symbol < known.length && known[symbol] != null) {
      return known[symbol];
    }
    CandleWindow[] grown = Arrays.copyOf(known, Math.max(known.length, symbol + 1));
    grown[symbol] = new CandleWindow(symbol, options);
    windows = grown;
    return grown[symbol];
  }
}
