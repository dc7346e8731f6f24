package dev.millrace.ohlcv.candle;

/**
 * A symbol's newest candles as they were when they were taken, to be read afterwards. Made for one
 * thread and used again and again; close it before the engine.
 *
 * <p>Taking is all that happens beside the running engine, and it costs each engine what its form
 * of a candle asks for: native candles are copied, immutable ones are held on to.
 */
public interface CandleSnapshot extends AutoCloseable {
  /**
   * Takes the newest candles of a symbol, oldest first, in place of those taken before.
   *
   * @param symbol the symbol's number
   * @param buckets of how many intervals, from that of the newest candle back; at most as many as
   *     the snapshot was made for
   * @return how many candles were taken: fewer where nothing was traded
   */
  int take(int symbol, int buckets);

  /**
   * How many of the symbol's trades are in what was taken: all that took effect up to one, and none
   * after it.
   *
   * @return the number of the last, counted from 1; 0 if there is none
   */
  long trades();

  /** Whether there are no earlier candles than those taken; false if that is not known. */
  boolean isAll();

  /**
   * When a candle starts, which asks for less work than {@link #candle}.
   *
   * @return nanoseconds since 1970
   */
  long openTimeNanos(int index);

  /**
   * One of the candles taken.
   *
   * @param index from 0, the oldest
   */
  Candle candle(int index);

  /**
   * Whether a candle is, unchanged, one that another snapshot of the same engine holds: bit for bit
   * or by identity. Two candles that are not may still be equal.
   *
   * @return true only if no field differs
   */
  boolean sameAs(int index, CandleSnapshot other, int otherIndex);

  @Override
  void close();
}
