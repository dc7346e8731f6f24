package dev.millrace.ohlcv.candle;

import dev.millrace.core.NativeMemory;
import dev.millrace.queues.HistoryRing;
import dev.millrace.queues.SpscQueue;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The engine on Millrace: trades, candles and history in native memory, nothing on the heap.
 *
 * <pre>
 *   feeder --accept--> SpscQueue --aggregator--> CandleWindow (one per symbol) --> sink
 *                                           \--> HistoryRing (latest trades)
 *                                  readers <--copy, then validate-- both
 * </pre>
 *
 * <p><b>Cost.</b> 56 bytes of native memory per trade under way or kept, 160 per open candle. Only
 * the first trade of a symbol allocates.
 */
final class OffHeapEngine implements CandleEngine {
  private static final int QUEUE_CAPACITY = 65_536;
  private static final int BATCH = 256;

  private final Options options;
  private final CandleSink sink;
  private final SpscQueue<TradeFlyweight> queue;
  private final TradeFlyweight claimed; // the feeder's
  private final HistoryRing<TradeFlyweight> history;
  private final TradeFlyweight remembered; // the aggregator's
  private final Aggregator aggregator;
  private volatile boolean abandoned; // volatile: seen soon, orders nothing
  private volatile boolean emitsOpen = true; // volatile: written before the queue is completed
  // volatile: the aggregator replaces the array when a symbol is new; readers see whole windows.
  private volatile CandleWindow[] windows = new CandleWindow[0];
  private final Tally trades = new Tally();
  private final Tally late = new Tally();
  private final Tally refused = new Tally();
  private final Tally candles = new Tally();

  OffHeapEngine(Options options, CandleSink sink) {
    this.options = options;
    this.sink = sink;
    this.queue = SpscQueue.of(QUEUE_CAPACITY, TradeFlyweight::new);
    this.claimed = queue.newFlyweight();
    this.history = HistoryRing.of(options.historyTrades(), TradeFlyweight::new);
    this.remembered = history.newFlyweight();
    this.aggregator = new Aggregator("off-heap-aggregator", this::aggregate, queue::complete);
    aggregator.start();
  }

  @Override
  public void accept(TradeRow trade) throws InterruptedException {
    try {
      queue.claim(claimed);
      claimed.set(trade);
      queue.commit(claimed);
    } catch (IllegalStateException e) { // no more claims: the aggregator has failed
      aggregator.check();
      throw e;
    }
  }

  @Override
  public void finish() throws InterruptedException {
    queue.complete();
    aggregator.join();
  }

  @Override
  public void stop() throws InterruptedException {
    emitsOpen = false;
    finish();
  }

  @Override
  public void close() {
    abandoned = true;
    queue.complete();
    aggregator.joinQuietly();
    queue.abandon(); // only now: neither side is in its memory any more
    history.close();
    for (CandleWindow window : windows) {
      if (window != null) {
        window.close();
      }
    }
  }

  @Override
  public Reader newReader() {
    return new WindowReader();
  }

  @Override
  public CandleSnapshot newSnapshot(int capacity) {
    return new WindowSnapshot(this::windowOrNull, capacity);
  }

  @Override
  public Optional<LastTrade> lastTrade() {
    try (HistoryRing.Reader<TradeFlyweight> reader = history.newReader(1)) {
      if (reader.readLatest(1) == 0) {
        return Optional.empty();
      }
      TradeFlyweight trade = reader.record();
      return Optional.of(
          new LastTrade(
              trade.timeNanos(),
              Decimals.toBigDecimal(trade.price(), trade.priceScale()),
              Decimals.toBigDecimal(trade.volume(), trade.volumeScale()),
              trade.side()));
    }
  }

  @Override
  public Counts counts() {
    return new Counts(trades.get(), late.get(), refused.get(), candles.get());
  }

  private void aggregate() throws IOException, InterruptedException {
    TradeFlyweight trade = queue.newFlyweight();
    int count;
    while (!abandoned && (count = queue.poll(trade, BATCH)) > 0) {
      for (int i = 0; i < count; i++, trade.next()) {
        place(trade);
      }
      queue.release(trade);
    }
    for (CandleWindow window : windows) {
      if (window != null && emitsOpen && !abandoned) {
        window.emitAll(this::emit);
      }
    }
  }

  private void place(TradeFlyweight trade) throws IOException {
    switch (window(trade.symbol()).add(trade, this::emit)) {
      case IN_CANDLE -> remember(trade);
      case LATE -> late.add(trade.trades() > 0 ? 1 : 0);
      case VOLUME_TOO_LARGE -> refuse(trade, "volume");
      case QUOTE_VOLUME_TOO_LARGE -> refuse(trade, "quote_volume");
    }
  }

  private void emit(CandleView candle) throws IOException {
    sink.candle(candle);
    candles.increment();
  }

  private void refuse(TradeFlyweight trade, String field) {
    refused.increment();
    sink.refused(trade.line(), field);
  }

  private void remember(TradeFlyweight trade) {
    if (trade.trades() > 0) {
      trades.increment();
    }
    if (history.tryClaim(remembered)) { // a single writer is never refused
      remembered.set(trade);
      history.commit(remembered);
    }
  }

  private CandleWindow windowOrNull(int symbol) {
    CandleWindow[] known = windows;
    return symbol < known.length ? known[symbol] : null;
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

  /** Reads through a copy of one candle, in native memory of its own. */
  private final class WindowReader implements Reader {
    private final NativeMemory owned = NativeMemory.allocate(CandleFlyweight.LAYOUT.sizeBytes());
    private final CandleFlyweight copy = new CandleFlyweight(owned.segment());

    WindowReader() {
      copy.moveTo(0);
    }

    @Override
    public int latest(int symbol, int buckets, CandleReader reader) {
      CandleWindow[] known = windows;
      if (symbol >= known.length || known[symbol] == null) {
        return 0;
      }
      CandleWindow window = known[symbol];
      long newest = window.newest();
      if (newest == Long.MIN_VALUE) {
        return 0;
      }
      int shown = 0;
      long first = newest - Math.min(buckets, window.capacity()) + 1;
      for (long bucket = first; bucket <= newest; bucket++) {
        if (window.copy(bucket, copy)) {
          reader.candle(copy);
          shown++;
        }
      }
      return shown;
    }

    @Override
    public void close() {
      owned.close();
    }
  }
}
