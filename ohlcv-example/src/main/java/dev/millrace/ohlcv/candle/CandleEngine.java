package dev.millrace.ohlcv.candle;

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
    /** Trades and candles in native memory; with shards, the stages of {@link #PIPELINE}. */
    OFF_HEAP,
    /** Trades as objects of doubles in a queue of the JDK, walked by each query. */
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
                : new PipelineEngine(options, sink);
        case NAIVE -> new NaiveEngine(options, sink);
        case PIPELINE -> new PipelineEngine(options, sink);
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * How an engine works.
   *
   * @param interval how long a candle is
   * @param windowCandles how many candles of a symbol are open
   * @param historyCandles how many closed candles of a symbol are kept for queries
   * @param quoteVolumes whether price times volume is summed
   * @param shards among how many threads the symbols are shared out, at most {@link #MAX_SHARDS};
   *     {@link Kind#NAIVE} knows only one
   * @param watch looks on
   */
  record Options(
      Interval interval,
      int windowCandles,
      int historyCandles,
      boolean quoteVolumes,
      int shards,
      EngineWatch watch) {
    /** More would only wait for each other. */
    public static final int MAX_SHARDS = 64;

    /** The article's: a day of minutes. */
    public static final int DEFAULT_WINDOW = 1_440;

    /** Nobody looks on. */
    public Options(
        Interval interval,
        int windowCandles,
        int historyCandles,
        boolean quoteVolumes,
        int shards) {
      this(interval, windowCandles, historyCandles, quoteVolumes, shards, EngineWatch.NONE);
    }

    /** The same, looked at by another. */
    public Options withWatch(EngineWatch other) {
      return new Options(interval, windowCandles, historyCandles, quoteVolumes, shards, other);
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
  record Counts(long trades, long late, long refused, long candles) {
    Counts plus(Counts more) {
      return new Counts(
          trades + more.trades, late + more.late, refused + more.refused, candles + more.candles);
    }

    long rows() {
      return trades + late + refused;
    }
  }
}
