package dev.millrace.ohlcv.candle;

/**
 * A trade: price and volume are integers with a scale of their own, so nothing is ever rounded.
 *
 * <p>A row may stand for several trades ({@link #trades}), as in a file of aggregated trades. A
 * daily bar is four rows of one time (its open, high, low and close), of which the last has the
 * volume and the count.
 */
public interface Trade {
  long line();

  /** The symbol's number. */
  int symbol();

  /** When it happened, in nanoseconds since 1970. */
  long timeNanos();

  /** The price without its point. */
  long price();

  /** How many decimals the price has. */
  int priceScale();

  /** The volume without its point. */
  long volume();

  /** How many decimals the volume has. */
  int volumeScale();

  /** Who took it. */
  Side side();

  /** How many trades it stands for. */
  int trades();
}
