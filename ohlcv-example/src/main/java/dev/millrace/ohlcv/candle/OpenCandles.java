package dev.millrace.ohlcv.candle;

import dev.millrace.flyweight.FlyweightType;
import dev.millrace.queues.HistoryProducer;
import dev.millrace.queues.HistoryReader;
import dev.millrace.queues.HistoryRing;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a thread keeps for its symbols: their open candles, the latest trades, and counts of what
 * became of all.
 *
 * <p><b>Roles.</b> One thread places. Any number read. Whoever closes makes sure that all have
 * ended.
 *
 * <p><b>Cost.</b> 64 bytes of native memory per trade kept, 160 per open candle. Only the first
 * trade of a symbol allocates.
 */
final class OpenCandles implements AutoCloseable {
  private final CandleEngine.Options options;
  // volatile: the placing thread replaces the array when a symbol is new; readers see whole
  // windows.
  private volatile CandleWindow[] windows = new CandleWindow[0];
  private final HistoryRing<TradeFlyweight> history;
  private final HistoryProducer<TradeFlyweight> remembered; // the placing thread's
  private final EngineWatch.Placing watch; // the placing thread's
  private final Tally trades = new Tally();
  private final Tally late = new Tally();
  private final Tally refused = new Tally();

  /** A trade that was placed, and its number. */
  record Numbered(long number, CandleEngine.LastTrade trade) {}

  OpenCandles(CandleEngine.Options options) {
    this.options = options;
    this.history =
        HistoryRing.single(FlyweightType.of(TradeFlyweight::new), options.historyTrades());
    this.remembered = history.producer();
    this.watch = options.watch().newPlacing();
  }

  /** Places a trade; the sink gets what leaves for it, and hears of it if it does not fit. */
  void place(TradeFlyweight trade, CandleSink sink) throws IOException {
    switch (window(trade.symbol()).add(trade, sink)) {
      case IN_CANDLE -> remember(trade);
      case LATE -> leaveOut(trade);
      case VOLUME_TOO_LARGE -> refuse(trade, "volume", sink);
      case QUOTE_VOLUME_TOO_LARGE -> refuse(trade, "quote_volume", sink);
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
  Optional<Numbered> last() {
    try (HistoryReader<TradeFlyweight> reader = history.newReader(1)) {
      if (reader.latest(1) == 0) {
        return Optional.empty();
      }
      TradeFlyweight trade = reader.at(0);
      return Optional.of(
          new Numbered(
              trade.number(),
              new CandleEngine.LastTrade(
                  trade.timeNanos(),
                  Decimals.toBigDecimal(trade.price(), trade.priceScale()),
                  Decimals.toBigDecimal(trade.volume(), trade.volumeScale()),
                  trade.side())));
    }
  }

  long trades() {
    return trades.get();
  }

  long late() {
    return late.get();
  }

  long refused() {
    return refused.get();
  }

  /** Frees the memory. */
  @Override
  public void close() {
    history.close();
    for (CandleWindow window : windows) {
      if (window != null) {
        window.close();
      }
    }
  }

  private void leaveOut(TradeFlyweight trade) {
    if (trade.trades() > 0) {
      late.increment();
      reject(trade, Refusal.LATE);
    }
  }

  private void refuse(TradeFlyweight trade, String field, CandleSink sink) {
    refused.increment();
    reject(trade, Refusal.ofSum(field));
    sink.refused(trade.line(), field);
  }

  private void reject(TradeFlyweight trade, String reason) {
    watch.rejected(
        trade.line(),
        trade.symbol(),
        trade.price(),
        trade.priceScale(),
        trade.volume(),
        trade.volumeScale(),
        reason);
  }

  private void remember(TradeFlyweight trade) {
    if (trade.trades() > 0) {
      trades.increment();
    }
    remembered.claim().set(trade); // the only producer is never refused
    remembered.commit();
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
