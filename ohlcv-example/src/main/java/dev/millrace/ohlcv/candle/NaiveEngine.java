package dev.millrace.ohlcv.candle;

import dev.millrace.telemetry.Telemetry;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The engine as one writes it with the JDK alone: immutable trades through a {@link
 * ConcurrentLinkedQueue}, immutable candles in a {@link ConcurrentSkipListMap} per symbol, {@link
 * BigDecimal} for numbers. For comparison with {@link CandleEngine.Kind#OFF_HEAP}, of which it
 * shares nothing but the rules.
 *
 * <p><b>Cost.</b> Some ten objects per trade. The queue itself has no bound; a count of what is
 * under way gives it one, lest a fast reader fill the heap.
 *
 * <p><b>Source.</b> M. M. Michael, M. L. Scott: Simple, fast, and practical non-blocking and
 * blocking concurrent queue algorithms, PODC 1996, https://doi.org/10.1145/248052.248106, in the
 * JDK's form.
 */
final class NaiveEngine implements CandleEngine {
  private static final int MAX_UNDER_WAY = 65_536;
  private static final long PAUSE_NANOS = 50_000;
  private static final int SPINS = 100;
  private static final int MAX_SUM_BITS = 127;

  private final Options options;
  private final CandleSink sink;
  private final ConcurrentLinkedQueue<Trade> queue = new ConcurrentLinkedQueue<>();
  private final Map<Integer, ConcurrentNavigableMap<Long, OpenCandle>> open =
      new ConcurrentHashMap<>();
  private final ArrayDeque<Trade> history = new ArrayDeque<>();
  private final EngineWatch.Placing watch; // the aggregator's
  private final Aggregator aggregator;
  private long accepted; // only the feeding thread's
  // Counted by the aggregator; the feeder keeps within bounds by the first.
  private final Tally consumed = new Tally();
  private final Tally trades = new Tally();
  private final Tally late = new Tally();
  private final Tally refused = new Tally();
  private final Tally candles = new Tally();
  private volatile Trade last; // volatile: immutable, published by this write
  private volatile boolean emitsOpen = true; // volatile: written before ended
  private volatile boolean ended; // volatile: what was queued before is seen by who sees this
  private volatile boolean abandoned; // volatile: seen soon, orders nothing

  NaiveEngine(Options options, CandleSink sink) {
    this.options = options;
    this.sink = sink;
    this.watch = options.watch().newPlacing();
    this.aggregator = new Aggregator("naive-aggregator", this::aggregate, queue::clear);
    aggregator.start();
  }

  @Override
  public void accept(TradeRow row) throws InterruptedException {
    options.watch().feeding(accepted + 1);
    aggregator.check();
    for (int tries = 0; accepted - consumed.get() >= MAX_UNDER_WAY; tries++) {
      pause(tries);
      aggregator.check();
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    accepted++;
    queue.add(Trade.of(row));
  }

  @Override
  public void finish() throws InterruptedException {
    ended = true;
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
    ended = true;
    aggregator.joinQuietly();
  }

  @Override
  public Reader newReader() {
    return new MapReader();
  }

  @Override
  public CandleSnapshot newSnapshot(int capacity) {
    return new MapSnapshot(capacity);
  }

  @Override
  public Optional<LastTrade> lastTrade() {
    return Optional.ofNullable(last)
        .map(t -> new LastTrade(t.timeNanos, shortest(t.price), shortest(t.volume), t.side));
  }

  @Override
  public Counts counts() {
    return new Counts(trades.get(), late.get(), refused.get(), candles.get());
  }

  /** The queue itself cannot be asked for less than a walk through it. */
  @Override
  public void reportTo(Telemetry telemetry) {
    telemetry.report("queue.consumed", consumed::get);
  }

  private void aggregate() throws IOException {
    int idle = 0;
    while (!abandoned) {
      boolean noMore = ended; // read before the queue: then empty means drained
      Trade trade = queue.poll();
      if (trade != null) {
        idle = 0;
        place(trade);
        consumed.increment();
        watch.placed(consumed.get());
      } else if (noMore) {
        if (emitsOpen) {
          emitAll();
        }
        return;
      } else {
        pause(idle++);
      }
    }
  }

  private void place(Trade trade) throws IOException {
    ConcurrentNavigableMap<Long, OpenCandle> window =
        open.computeIfAbsent(trade.symbol, symbol -> new ConcurrentSkipListMap<>());
    long bucket = options.interval().bucket(trade.timeNanos);
    long newest = window.isEmpty() ? bucket : Math.max(window.lastKey(), bucket);
    if (bucket <= newest - options.windowCandles()) {
      leaveOut(trade);
      return;
    }
    OpenCandle before = window.get(bucket);
    OpenCandle after =
        before == null
            ? OpenCandle.first(trade, options.quoteVolumes())
            : before.with(trade, options.quoteVolumes());
    String tooLarge = after.fieldOver(MAX_SUM_BITS);
    if (tooLarge != null) {
      refused.increment();
      reject(trade, Refusal.ofSum(tooLarge));
      sink.refused(trade.line, tooLarge);
      return;
    }
    emit(trade.symbol, window.headMap(newest - options.windowCandles(), true));
    window.put(bucket, after);
    remember(trade);
  }

  private void leaveOut(Trade trade) {
    if (trade.trades > 0) {
      late.increment();
      reject(trade, Refusal.LATE);
    }
  }

  private void reject(Trade trade, String reason) {
    watch.rejected(
        trade.line,
        trade.symbol,
        trade.price.unscaledValue().longValueExact(),
        trade.price.scale(),
        trade.volume.unscaledValue().longValueExact(),
        trade.volume.scale(),
        reason);
  }

  private void remember(Trade trade) {
    if (trade.trades > 0) {
      trades.increment();
    }
    if (history.size() == options.historyTrades()) {
      history.removeFirst();
    }
    history.addLast(trade);
    last = trade;
  }

  private void emitAll() throws IOException {
    for (Map.Entry<Integer, ConcurrentNavigableMap<Long, OpenCandle>> entry :
        new TreeMap<>(open).entrySet()) {
      for (Map.Entry<Long, OpenCandle> candle : entry.getValue().entrySet()) {
        emit(entry.getKey(), candle.getKey(), candle.getValue());
      }
    }
  }

  private void emit(int symbol, Map<Long, OpenCandle> leaving) throws IOException {
    for (Map.Entry<Long, OpenCandle> candle : leaving.entrySet()) {
      emit(symbol, candle.getKey(), candle.getValue());
    }
    leaving.clear();
  }

  private void emit(int symbol, long bucket, OpenCandle candle) throws IOException {
    sink.candle(candle.candle(symbol, openTime(bucket)));
    candles.increment();
  }

  private long openTime(long bucket) {
    return options.interval().openTimeNanos(bucket);
  }

  private static void pause(int tries) {
    if (tries < SPINS) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static BigDecimal shortest(BigDecimal number) {
    return Decimals.shortest(number);
  }

  private final class MapReader implements Reader {
    @Override
    public int latest(int symbol, int buckets, CandleReader reader) {
      ConcurrentNavigableMap<Long, OpenCandle> window = open.get(symbol);
      Map.Entry<Long, OpenCandle> newest = window == null ? null : window.lastEntry();
      if (newest == null) {
        return 0;
      }
      int shown = 0;
      for (Map.Entry<Long, OpenCandle> entry :
          window.tailMap(newest.getKey() - buckets, false).entrySet()) {
        reader.candle(entry.getValue().candle(symbol, openTime(entry.getKey())));
        shown++;
      }
      return shown;
    }

    @Override
    public void close() {
      // nothing to free
    }
  }

  /** Holds on to the immutable candles of a moment; their numbers are made when looked at. */
  private final class MapSnapshot implements CandleSnapshot {
    private final long[] buckets;
    private final OpenCandle[] taken;
    private int symbol;
    private int count;

    MapSnapshot(int capacity) {
      this.buckets = new long[capacity];
      this.taken = new OpenCandle[capacity];
    }

    @Override
    public int take(int fromSymbol, int bucketCount) {
      symbol = fromSymbol;
      count = 0;
      ConcurrentNavigableMap<Long, OpenCandle> window = open.get(fromSymbol);
      Map.Entry<Long, OpenCandle> newest = window == null ? null : window.lastEntry();
      if (newest == null) {
        return 0;
      }
      long last = newest.getKey();
      // Up to the newest, for the map may grow meanwhile.
      for (Map.Entry<Long, OpenCandle> entry :
          window.subMap(last - bucketCount, false, last, true).entrySet()) {
        buckets[count] = entry.getKey();
        taken[count] = entry.getValue();
        count++;
      }
      return count;
    }

    @Override
    public long openTimeNanos(int index) {
      return openTime(buckets[Objects.checkIndex(index, count)]);
    }

    @Override
    public CandleView candle(int index) {
      return taken[Objects.checkIndex(index, count)].candle(symbol, openTimeNanos(index));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // an immutable candle that is the same is unchanged
    public boolean sameAs(int index, CandleSnapshot other, int otherIndex) {
      MapSnapshot that = (MapSnapshot) other;
      return buckets[index] == that.buckets[otherIndex] && taken[index] == that.taken[otherIndex];
    }

    @Override
    public void close() {
      count = 0;
      Arrays.fill(taken, null);
    }
  }

  private record Trade(
      long line,
      int symbol,
      long timeNanos,
      BigDecimal price,
      BigDecimal volume,
      Side side,
      int trades) {
    static Trade of(TradeRow row) {
      return new Trade(
          row.line(),
          row.symbol(),
          row.timeNanos(),
          BigDecimal.valueOf(row.price(), row.priceScale()),
          BigDecimal.valueOf(row.volume(), row.volumeScale()),
          row.side(),
          row.trades());
    }
  }

  private record OpenCandle(
      Trade first,
      Trade last,
      BigDecimal high,
      BigDecimal low,
      BigDecimal volume,
      long count,
      BigDecimal quote,
      BigDecimal takerBuy,
      BigDecimal takerBuyQuote) {
    private static final BigDecimal NONE = BigDecimal.ZERO;

    static OpenCandle first(Trade trade, boolean quoteVolumes) {
      return new OpenCandle(trade, trade, trade.price, trade.price, NONE, 0, NONE, NONE, NONE)
          .with(trade, quoteVolumes);
    }

    OpenCandle with(Trade trade, boolean quoteVolumes) {
      boolean bought = trade.side == Side.TAKER_BOUGHT;
      BigDecimal product = quoteVolumes ? trade.price.multiply(trade.volume) : NONE;
      return new OpenCandle(
          trade.timeNanos < first.timeNanos ? trade : first,
          trade.timeNanos >= last.timeNanos ? trade : last,
          high.max(trade.price),
          low.min(trade.price),
          volume.add(trade.volume),
          count + trade.trades,
          quote.add(product),
          bought ? takerBuy.add(trade.volume) : takerBuy,
          bought ? takerBuyQuote.add(product) : takerBuyQuote);
    }

    /** Which sum is longer than the other engine's; null if none is, so that both refuse alike. */
    String fieldOver(int bits) {
      if (volume.unscaledValue().bitLength() > bits) {
        return "volume";
      }
      return quote.unscaledValue().bitLength() > bits ? "quote_volume" : null;
    }

    Candle candle(int symbol, long openTimeNanos) {
      return new Candle(
          symbol,
          openTimeNanos,
          shortest(first.price),
          shortest(high),
          shortest(low),
          shortest(last.price),
          shortest(volume),
          count,
          shortest(quote),
          shortest(takerBuy),
          shortest(takerBuyQuote));
    }
  }
}
