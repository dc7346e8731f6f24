package dev.millrace.bench.candles;

import dev.millrace.core.Measured;
import dev.millrace.ohlcv.candle.Candle;
import dev.millrace.ohlcv.candle.CandleEngine;
import dev.millrace.ohlcv.candle.CandleSink;
import dev.millrace.ohlcv.candle.CandleSnapshot;
import dev.millrace.ohlcv.candle.Decimals;
import dev.millrace.ohlcv.candle.EngineException;
import dev.millrace.ohlcv.candle.Refusal;
import dev.millrace.ohlcv.candle.Side;
import dev.millrace.ohlcv.candle.Trade;
import dev.millrace.telemetry.Telemetry;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The article's engine: a {@link ConcurrentLinkedQueue} for each symbol, of trades of a time and
 * two doubles, which each query walks from end to end. It has no thread of its own: whoever feeds
 * it appends to the queue, and emits what leaves.
 *
 * <p><b>Arithmetic.</b> A price of up to 15 digits comes out as it went in. Sums are compensated
 * sums of doubles, rounded to 15 digits: those that have no more are exact. None is ever refused.
 *
 * <p><b>Cost.</b> 64 bytes of heap per trade in the window or the history: 40 for the trade, whose
 * fourth field fills a gap, and 24 for its node. A query takes time for all of its symbol's trades.
 *
 * <p><b>Source.</b> M. M. Michael, M. L. Scott: Simple, fast, and practical non-blocking and
 * blocking concurrent queue algorithms, PODC 1996, https://doi.org/10.1145/248052.248106, in the
 * JDK's form.
 */
final class NaiveEngine implements CandleEngine {
  private static final MathContext FIFTEEN_DIGITS = new MathContext(15); // what a double holds

  private final Options options;
  private final CandleSink sink;
  private final Map<Integer, Window> windows = new ConcurrentHashMap<>();
  private final AtomicLong trades = new AtomicLong();
  private final AtomicLong late = new AtomicLong();
  private EngineException failure; // the feeder's; null unless the sink has failed

  NaiveEngine(Options options, CandleSink sink) {
    this.options = options;
    this.sink = sink;
  }

  @Override
  public void accept(Trade trade) {
    check();
    windows.computeIfAbsent(trade.symbol(), Window::new).place(trade);
  }

  @Override
  public void finish() {
    check();
    for (Window window : new TreeMap<>(windows).values()) {
      window.emit(window.open);
    }
  }

  @Override
  public void stop() {
    check(); // what is open is dropped
  }

  @Override
  public void close() {
    // nothing to free
  }

  @Override
  public CandleSnapshot newSnapshot(int capacity) {
    return new QueueSnapshot();
  }

  /** One for the whole of a symbol: asking for less would be a walk through the queue. */
  @Override
  public Version version(int symbol, long firstBucket, long lastBucket) {
    return new Version(0, trades.get());
  }

  @Override
  public Optional<Measured> measured() {
    return Optional.empty();
  }

  @Override
  public Counts counts() {
    return new Counts(trades.get(), late.get(), 0);
  }

  /** The queue itself cannot be asked for less than a walk through it. */
  @Override
  public void reportTo(Telemetry telemetry) {
    telemetry.report("queue.accepted", trades::get);
  }

  private interface Gift {
    void give() throws IOException;
  }

  /** Fails for good when the sink does, as engines with threads do. */
  private void give(Gift gift) {
    try {
      gift.give();
    } catch (IOException | RuntimeException e) {
      failure = new EngineException(e);
      throw failure;
    }
  }

  private void check() {
    if (failure != null) {
      throw failure;
    }
  }

  /** The article's trade. Its number fills the gap behind it, and its sign is the side. */
  private static class Sale {
    final long timeNanos;
    final double price;
    final double volume;
    private final int number; // among the symbol's, from 0; its complement if the taker bought

    Sale(Trade trade, int number) {
      this.timeNanos = trade.timeNanos();
      this.price = BigDecimal.valueOf(trade.price(), trade.priceScale()).doubleValue();
      this.volume = BigDecimal.valueOf(trade.volume(), trade.volumeScale()).doubleValue();
      this.number = trade.side() == Side.TAKER_BOUGHT ? ~number : number;
    }

    static Sale of(Trade trade, int number) {
      return trade.trades() == 1 ? new Sale(trade, number) : new Sales(trade, number);
    }

    boolean isBought() {
      return number < 0;
    }

    int number() {
      return number < 0 ? ~number : number;
    }

    /** How many trades it stands for. */
    int trades() {
      return 1;
    }
  }

  /** A row that stands for none or for several trades. */
  private static final class Sales extends Sale {
    private final int trades;

    Sales(Trade trade, int number) {
      super(trade, number);
      this.trades = trade.trades();
    }

    @Override
    int trades() {
      return trades;
    }
  }

  /** A symbol's trades, and the candles that are not emitted yet. */
  private final class Window {
    private final int symbol;
    private final ConcurrentLinkedQueue<Sale> queue = new ConcurrentLinkedQueue<>();
    private final SortedMap<Long, Bar> open = new TreeMap<>(); // the feeder's
    private int placed; // the feeder's

    Window(int symbol) {
      this.symbol = symbol;
    }

    void place(Trade trade) {
      long bucket = options.interval().bucket(trade.timeNanos());
      long newest = open.isEmpty() ? bucket : Math.max(open.lastKey(), bucket);
      long oldest = newest - options.windowCandles() + 1;
      boolean counts = trade.trades() > 0;
      if (bucket < oldest) {
        if (counts) {
          late.incrementAndGet();
          give(() -> sink.refused(trade, Refusal.LATE));
        }
        return;
      }
      SortedMap<Long, Bar> leaving = open.headMap(oldest);
      emit(leaving);
      leaving.clear();
      Sale sale = Sale.of(trade, placed++);
      open.computeIfAbsent(bucket, _ -> new Bar(symbol, bucket)).add(sale);
      queue.add(sale); // before those that leave are taken out: who misses them sees this one
      long firstKept = oldest - options.historyCandles();
      while (options.interval().bucket(queue.element().timeNanos) < firstKept) {
        queue.remove();
      }
      trades.addAndGet(counts ? 1 : 0);
    }

    void emit(SortedMap<Long, Bar> leaving) {
      for (Bar bar : leaving.values()) {
        give(() -> sink.candle(bar.candle()));
      }
    }

    /** Walks the queue for the newest candles, in order of time. */
    Latest latest(int buckets) {
      TreeMap<Long, Bar> bars = new TreeMap<>();
      Bar bar = null;
      int first = -1;
      int last = -1;
      for (Sale sale : queue) { // may skip one that is removed meanwhile
        first = first < 0 ? sale.number() : first;
        last = sale.number();
        long bucket = options.interval().bucket(sale.timeNanos);
        if (bar == null || bar.bucket != bucket) {
          bar = bars.computeIfAbsent(bucket, _ -> new Bar(symbol, bucket));
        }
        bar.add(sale);
      }
      List<Bar> newest =
          bars.isEmpty()
              ? List.of()
              : new ArrayList<>(bars.tailMap(bars.lastKey() - buckets, false).values());
      return new Latest(newest, last + 1, first <= 0 && newest.size() == bars.size());
    }
  }

  /**
   * The newest candles of one moment.
   *
   * @param trades how many are in them and before them
   * @param isAll whether there is none before them
   */
  private record Latest(List<Bar> bars, long trades, boolean isAll) {
    static final Latest NONE = new Latest(List.of(), 0, true);
  }

  /** A candle in doubles. */
  private final class Bar {
    private final int symbol;
    private final long bucket;
    private final DoubleSummaryStatistics volume = new DoubleSummaryStatistics();
    private final DoubleSummaryStatistics quote = new DoubleSummaryStatistics();
    private final DoubleSummaryStatistics takerBuy = new DoubleSummaryStatistics();
    private final DoubleSummaryStatistics takerBuyQuote = new DoubleSummaryStatistics();
    private Sale first;
    private Sale last;
    private double high = Double.NEGATIVE_INFINITY;
    private double low = Double.POSITIVE_INFINITY;
    private long count;

    Bar(int symbol, long bucket) {
      this.symbol = symbol;
      this.bucket = bucket;
    }

    void add(Sale sale) {
      first = first == null || sale.timeNanos < first.timeNanos ? sale : first;
      last = last == null || sale.timeNanos >= last.timeNanos ? sale : last;
      double value = options.quoteVolumes() ? sale.price * sale.volume : 0;
      high = Math.max(high, sale.price);
      low = Math.min(low, sale.price);
      volume.accept(sale.volume);
      quote.accept(value);
      if (sale.isBought()) {
        takerBuy.accept(sale.volume);
        takerBuyQuote.accept(value);
      }
      count += sale.trades();
    }

    Candle candle() {
      return new Candle(
          symbol,
          options.interval().openTimeNanos(bucket),
          shortest(first.price),
          shortest(high),
          shortest(low),
          shortest(last.price),
          rounded(volume),
          count,
          rounded(quote),
          rounded(takerBuy),
          rounded(takerBuyQuote));
    }
  }

  private static BigDecimal shortest(double number) {
    return Decimals.shortest(BigDecimal.valueOf(number));
  }

  private static BigDecimal rounded(DoubleSummaryStatistics terms) {
    return Decimals.shortest(new BigDecimal(terms.getSum(), FIFTEEN_DIGITS));
  }

  private final class QueueSnapshot implements CandleSnapshot {
    private Latest latest = Latest.NONE;

    @Override
    public int take(int symbol, int buckets) {
      Window window = windows.get(symbol);
      latest = window == null ? Latest.NONE : window.latest(buckets);
      return latest.bars().size();
    }

    @Override
    public long trades() {
      return latest.trades();
    }

    @Override
    public boolean isAll() {
      return latest.isAll();
    }

    @Override
    public long openTimeNanos(int index) {
      return options.interval().openTimeNanos(latest.bars().get(index).bucket);
    }

    @Override
    public Candle candle(int index) {
      return latest.bars().get(index).candle();
    }

    /** Of equally many trades of a queue to which they are only appended. */
    @Override
    public boolean sameAs(int index, CandleSnapshot other, int otherIndex) {
      Bar one = latest.bars().get(index);
      Bar another = ((QueueSnapshot) other).latest.bars().get(otherIndex);
      return one.symbol == another.symbol
          && one.bucket == another.bucket
          && one.volume.getCount() == another.volume.getCount();
    }

    @Override
    public void close() {
      latest = Latest.NONE;
    }
  }
}
