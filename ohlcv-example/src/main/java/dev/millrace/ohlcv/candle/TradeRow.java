package dev.millrace.ohlcv.candle;

/**
 * One trade on its way into an engine: filled by the thread that reads, then copied out of by
 * {@link CandleEngine#accept}, so that one object serves for all trades.
 *
 * <p>A row may stand for several trades ({@link #trades}), as in a file of aggregated trades. A
 * daily bar is four rows of one time (its open, high, low and close), of which the last has the
 * volume and the count.
 */
public final class TradeRow {
  private long line;
  private int symbol;
  private long timeNanos;
  private long price;
  private int priceScale;
  private long volume;
  private int volumeScale;
  private Side side = Side.UNKNOWN;
  private int trades = 1;

  /** Sets all of it to another's. */
  public TradeRow set(TradeRow other) {
    line = other.line;
    symbol = other.symbol;
    timeNanos = other.timeNanos;
    price = other.price;
    priceScale = other.priceScale;
    volume = other.volume;
    volumeScale = other.volumeScale;
    side = other.side;
    trades = other.trades;
    return this;
  }

  /** Sets which line of the input it came from, for messages. */
  public TradeRow line(long value) {
    line = value;
    return this;
  }

  /** Sets the symbol's number. */
  public TradeRow symbol(int value) {
    symbol = value;
    return this;
  }

  /** Sets when it happened, in nanoseconds since 1970. */
  public TradeRow timeNanos(long value) {
    timeNanos = value;
    return this;
  }

  /** Sets the price, a decimal above 0. */
  public TradeRow price(long unscaled, int scale) {
    price = unscaled;
    priceScale = scale;
    return this;
  }

  /** Sets the volume, a decimal not below 0. */
  public TradeRow volume(long unscaled, int scale) {
    volume = unscaled;
    volumeScale = scale;
    return this;
  }

  /** Sets who took it. */
  public TradeRow side(Side value) {
    side = value;
    return this;
  }

  /** Sets how many trades it stands for. */
  public TradeRow trades(int value) {
    trades = value;
    return this;
  }

  /** Which line of the input it came from. */
  public long line() {
    return line;
  }

  /** The symbol's number. */
  public int symbol() {
    return symbol;
  }

  /** When it happened, in nanoseconds since 1970. */
  public long timeNanos() {
    return timeNanos;
  }

  /** The price without its point. */
  public long price() {
    return price;
  }

  /** How many decimals the price has. */
  public int priceScale() {
    return priceScale;
  }

  /** The volume without its point. */
  public long volume() {
    return volume;
  }

  /** How many decimals the volume has. */
  public int volumeScale() {
    return volumeScale;
  }

  /** Who took it. */
  public Side side() {
    return side;
  }

  /** How many trades it stands for. */
  public int trades() {
    return trades;
  }
}
