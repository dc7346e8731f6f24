package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * Makes candles of trades, in threads of its own.
 *
 * <p>For each symbol the newest candles are open, as many as the window is long: a trade may still
 * be placed in any of them. As soon as a trade opens a newer candle, those that fall out of the
 * window are emitted, in order of time; those in which nothing was traded do not exist. A trade
 * older than the window is late: it changes nothing and is counted.
 *
 * <p><b>Roles.</b> One thread calls {@link #accept}, {@link #finish} and {@link #close}; any number
 * may call the rest, while the engine is not closed.
 *
 * <p><b>Ordering.</b> Trades of a symbol take effect in the order accepted; those of different
 * symbols too, unless the engine has shards. What is emitted, and in which order, does not depend
 * on the shards: it is emitted as if each trade took effect when its turn came. A reader sees each
 * candle as it was after some trade, never half-changed; two candles of one answer may be of
 * different moments.
 *
 * <p><b>Failure.</b> If the sink or a thread fails, the engine takes no more: {@code accept} and
 * {@code finish} throw an {@link EngineException} with that cause.
 */
public interface CandleEngine extends AutoCloseable {
  /**
   * Takes a trade, and waits while the engine's thread is too far behind.
   *
   * @param trade copied; the caller may change it afterwards
   * @throws InterruptedException if the waiting thread was interrupted; the trade is not taken
   * @throws EngineException if the engine has failed
   */
  void accept(TradeRow trade) throws InterruptedException;

  /**
   * Says that there are no more trades, and waits until all candles were emitted: what was still
   * open in the end symbol by symbol, in order of their numbers. Those can still be read.
   *
   * @throws InterruptedException if interrupted while it waits
   * @throws EngineException if the engine has failed
   */
  void finish() throws InterruptedException;

  /**
   * As {@link #finish}, but what is still open is not emitted, since trades are missing in it.
   *
   * @throws InterruptedException if interrupted while it waits
   * @throws EngineException if the engine has failed
   */
  void stop() throws InterruptedException;

  /**
   * Makes a reader of the candles that are still in the window, for one thread.
   *
   * @return close it when done, and before the engine
   */
  Reader newReader();

  /**
   * Makes room for a copy of a symbol's candles, for one thread.
   *
   * @param capacity how many candles it can take
   * @return close it when done, and before the engine
   */
  CandleSnapshot newSnapshot(int capacity);

  /**
   * Of the trades that took effect, the one accepted last.
   *
   * @return empty before the first
   */
  Optional<LastTrade> lastTrade();

  /**
   * How much was done.
   *
   * @return exact after {@link #finish}, before that an estimate
   */
  Counts counts();

  /**
   * How many of the rows counted went to each shard.
   *
   * @return exact after {@link #finish}, before that an estimate; one number if there are no shards
   */
  default List<Long> rowsByShard() {
    Counts counts = counts();
    return List.of(counts.trades() + counts.late() + counts.refused());
  }

  /** Ends the engine and frees its memory. What was not finished is dropped. */
  @Override
  void close();

  /** Which engine. */
  enum Kind {
    /** Trades and candles in native memory, read in place. */
    OFF_HEAP,
    /** Trades and candles as objects, in the JDK's concurrent collections. */
    NAIVE;

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
      };
    }

    @Override
    public String toString() {
      return this == OFF_HEAP ? "off-heap" : "naive";
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
   *     only {@link Kind#OFF_HEAP} knows more than one
   */
  record Options(
      Interval interval, int windowCandles, int historyTrades, boolean quoteVolumes, int shards) {
    /** More would only wait for each other. */
    public static final int MAX_SHARDS = 64;

    /** The article's: a day of minutes, and as many trades. */
    public static final int DEFAULT_WINDOW = 1_440;

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
