package dev.millrace.ohlcv.candle;

import dev.millrace.core.Measured;
import dev.millrace.telemetry.Telemetry;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Makes candles of trades that one thread gives it.
 *
 * <p>For each symbol the newest candles are open, as many as the window is long: a trade may still
 * be placed in any of them. As soon as a trade opens a newer candle, those that fall out of the
 * window are emitted, in order of time; those in which nothing was traded do not exist. A trade
 * older than the window is late: it changes nothing and is counted.
 *
 * <p><b>Roles.</b> One thread feeds, and calls {@link #finish} and {@link #close}; any number may
 * call the rest, while it is not closed.
 *
 * <p><b>Ordering.</b> Trades of a symbol take effect in the order fed; those of different symbols
 * too, unless there are shards. What is emitted, and in which order, does not depend on the shards.
 * A reader sees each candle as it was after some trade, never half-changed. The candles of a {@link
 * CandleSnapshot} are those after one and the same trade.
 *
 * <p><b>Failure.</b> If the sink or a thread fails, no more is taken: feeding and {@code finish}
 * throw an {@link EngineException} with that cause.
 */
public interface CandleEngine extends AutoCloseable {
  /** How many trades the ring of {@link Kind#PIPELINE} holds. */
  int PIPELINE_CAPACITY = 8_192;

  /**
   * Takes a trade, and waits while the engine's thread is too far behind.
   *
   * @param trade copied; the caller may change it afterwards
   * @throws InterruptedException if the waiting thread was interrupted; the trade is not taken
   * @throws EngineException if the engine has failed
   */
  void accept(Trade trade) throws InterruptedException;

  /**
   * Says that there are no more trades, and waits until all candles were emitted: what was still
   * open in the end symbol by symbol, in order of their numbers. Those can still be read.
   *
   * @throws InterruptedException if interrupted while it waits
   * @throws EngineException if a thread or the sink has failed
   */
  void finish() throws InterruptedException;

  /** As {@link #finish}, but does not emit what is still open: trades are missing in it. */
  void stop() throws InterruptedException;

  /**
   * Makes room for a copy of a symbol's newest candles, the closed ones of the history and the open
   * ones, for one thread.
   *
   * @param capacity how many candles it can take
   * @return close it when done, and before this
   */
  CandleSnapshot newSnapshot(int capacity);

  /**
   * Tells whether candles of a symbol have changed, for less than a snapshot costs.
   *
   * @param symbol the symbol's number
   * @param firstBucket the number of the first interval that is of interest
   * @param lastBucket the number of the last
   * @return equal to an earlier one only if no candle has come or changed between them. A snapshot
   *     taken afterwards has at least what it stands for
   */
  Version version(int symbol, long firstBucket, long lastBucket);

  /** The queue or the stages, as numbers. */
  Optional<Measured> measured();

  /** What became of the trades: exact after {@link #finish}, before that an estimate. */
  Counts counts();

  /** How many trades were in the queue at most, after {@link #finish}; empty without a queue. */
  default OptionalLong mostQueued() {
    return OptionalLong.empty();
  }

  /** What its thread has allocated on the heap, after {@link #finish}; empty if not measured. */
  default Optional<HeapUse> heapUse() {
    return Optional.empty();
  }

  /** Lets its queue, or its stages, report themselves to telemetry that is open longer. */
  void reportTo(Telemetry telemetry);

  /** Ends the threads and frees the memory. Open candles are not emitted. */
  @Override
  void close();

  /** Makes an engine. */
  @FunctionalInterface
  interface Factory {
    /** Starts an engine, which runs until it is closed. */
    CandleEngine start(Options options, CandleSink sink);
  }

  /** Which engine. */
  enum Kind implements Factory {
    /** Trades and candles in native memory; with shards, the stages of {@link #PIPELINE}. */
    OFF_HEAP,
    /** The candles of {@link #OFF_HEAP}, made by stages on one ring. */
    PIPELINE;

    @Override
    public CandleEngine start(Options options, CandleSink sink) {
      return switch (this) {
        case PIPELINE -> new PipelineEngine(options, sink);
        case OFF_HEAP ->
            options.shards() == 1
                ? new OffHeapEngine(options, sink)
                : new PipelineEngine(options, sink);
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
   * @param shards how many threads share the symbols
   */
  record Options(
      Interval interval, int windowCandles, int historyCandles, boolean quoteVolumes, int shards) {
    /** The article's: a day of minutes. */
    public static final int DEFAULT_WINDOW = 1_440;
  }

  /**
   * Of the candles of some intervals.
   *
   * @param firstBucket the first of them that is kept
   * @param change the last one to any of them
   */
  record Version(long firstBucket, long change) {}

  /**
   * What became of the rows.
   *
   * @param trades took effect
   * @param late came too late
   * @param refused had no room in the sums of their candles
   */
  record Counts(long trades, long late, long refused) {}
}
