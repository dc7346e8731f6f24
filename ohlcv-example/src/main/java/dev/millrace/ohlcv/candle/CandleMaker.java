package dev.millrace.ohlcv.candle;

import dev.millrace.telemetry.Telemetry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Makes candles in threads of its own. What it is fed with, and how, is its own matter: a {@link
 * CandleEngine} takes trades.
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
 * too, unless there are shards. What is emitted, and in which order, does not depend on the shards:
 * it is emitted as if each trade took effect when its turn came. A reader sees each candle as it
 * was after some trade, never half-changed; two candles of one answer may be of different moments.
 *
 * <p><b>Failure.</b> If the sink or a thread fails, no more is taken: feeding and {@code finish}
 * throw an {@link EngineException} with that cause.
 */
public interface CandleMaker extends AutoCloseable {
  /**
   * Says that there are no more trades, and waits until all candles were emitted: what was still
   * open in the end symbol by symbol, in order of their numbers. Those can still be read.
   *
   * @throws InterruptedException if interrupted while it waits
   * @throws EngineException if a thread or the sink has failed
   */
  void finish() throws InterruptedException;

  /**
   * As {@link #finish}, but what is still open is not emitted, since trades are missing in it.
   *
   * @throws InterruptedException if interrupted while it waits
   * @throws EngineException if a thread or the sink has failed
   */
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
   * Of the trades that took effect, the one accepted last.
   *
   * @return only after {@link #finish}; empty if there is none
   */
  Optional<Trade> lastTrade();

  /**
   * How much was done.
   *
   * @return exact after {@link #finish}, before that an estimate
   */
  CandleEngine.Counts counts();

  /**
   * How many of the rows counted went to each shard.
   *
   * @return exact after {@link #finish}, before that an estimate; one number if there are no shards
   */
  default List<Long> rowsByShard() {
    return List.of(counts().rows());
  }

  /**
   * How many trades were under way at most, where that is counted.
   *
   * @return as seen by the thread that takes them; empty with shards, stages and without Millrace
   */
  default OptionalLong mostQueued() {
    return OptionalLong.empty();
  }

  /**
   * What each stage has done, if there are stages.
   *
   * @return in order of the stages; exact after {@link #finish}, before that an estimate
   */
  default List<StageCounts> stages() {
    return List.of();
  }

  /**
   * Lets its queues, or its stages, report themselves.
   *
   * @param telemetry must be open as long as this
   */
  void reportTo(Telemetry telemetry);

  /** Ends the threads and frees the memory. What was not finished is dropped. */
  @Override
  void close();

  /**
   * What a stage has done.
   *
   * @param name what it is called
   * @param processed how many rows or trades went through it
   * @param meanBatch how many it was given at a time, on average
   */
  record StageCounts(String name, long processed, double meanBatch) {}
}
