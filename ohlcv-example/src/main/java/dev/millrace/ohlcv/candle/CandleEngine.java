package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

/** Makes candles of trades that one thread gives it. */
public interface CandleEngine extends CandleMaker {
  /**
   * Takes a trade, and waits while the engine's thread is too far behind.
   *
   * @param trade copied; the caller may change it afterwards
   * @throws InterruptedException if the waiting thread was interrupted; the trade is not taken
   * @throws EngineException if the engine has failed
   */
  void accept(TradeRow trade) throws InterruptedException;

  /** Which engine. */
  enum Kind {
    /** Trades and candles in native memory, read in place. */
    OFF_HEAP,
    /** Trades and candles as objects, in the JDK's concurrent collections. */
    NAIVE,
    /** The candles of {@link #OFF_HEAP}, made by stages on one ring. */
    PIPELINE;

    /** The engines of the articles, the first beside the second. */
    public static final List<Kind> COMPARED = List.of(OFF_HEAP, NAIVE);

    /**
     * Starts an engine of this kind.
     *
     * @return it runs until it is closed
     */
    public CandleEngine start(Options options, CandleSink sink) {
      return switch (this) {
        case OFF_HEAP ->
            options.shards() == 1
                ? new OffHeapEngine(options, sink)
                : new ShardedEngine(options, sink);
        case NAIVE -> new NaiveEngine(options, sink);
        case PIPELINE -> new PipelineEngine(options, sink);
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** A thread's way to the candles in the window. */
  interface Reader extends AutoCloseable {
    /**
     * Shows the newest candles of a symbol, oldest first.
     *
     * @param symbol the symbol's number
     * @param buckets of how many intervals, from that of the newest candle back
     * @param reader what to do with each; the view is valid during the call
     * @return how many were shown: fewer where nothing was traded
     */
    int latest(int symbol, int buckets, CandleReader reader);

    @Override
    void close();
  }

  /** What to do with a candle that is read. */
  interface CandleReader {
    /** Looks at a candle; the view is valid during the call. */
    void candle(CandleView candle);
  }

  /**
   * How an engine works.
   *
   * @param interval how long a candle is
   * @param windowCandles how many candles of a symbol are open
   * @param historyTrades how many of the latest trades are kept
   * @param quoteVolumes whether price times volume is summed
   * @param shards among how many threads the symbols are shared out, at most {@link #MAX_SHARDS};
   *     {@link Kind#NAIVE} knows only one
   * @param watch looks on
   */
  record Options(
      Interval interval,
      int windowCandles,
      int historyTrades,
      boolean quoteVolumes,
      int shards,
      EngineWatch watch) {
    /** More would only wait for each other. */
    public static final int MAX_SHARDS = 64;

    /** The article's: a day of minutes, and as many trades. */
    public static final int DEFAULT_WINDOW = 1_440;

    /** Nobody looks on. */
    public Options(
        Interval interval, int windowCandles, int historyTrades, boolean quoteVolumes, int shards) {
      this(interval, windowCandles, historyTrades, quoteVolumes, shards, EngineWatch.NONE);
    }

    /** The same, looked at by another. */
    public Options withWatch(EngineWatch other) {
      return new Options(interval, windowCandles, historyTrades, quoteVolumes, shards, other);
    }

    /**
     * The usual ones.
     *
     * @return a window and a history of 1,440 each, all sums, one shard
     */
    public static Options of(Interval interval) {
      return new Options(interval, DEFAULT_WINDOW, DEFAULT_WINDOW, true, 1);
    }
  }

  /**
   * How much was done.
   *
   * @param trades rows that took effect
   * @param late rows that came too late
   * @param refused rows whose sums would not fit
   * @param candles candles emitted
   */
  record Counts(long trades, long late, long refused, long candles) {}

  /** A trade that took effect. */
  record LastTrade(long timeNanos, BigDecimal price, BigDecimal volume, Side side) {}
}
