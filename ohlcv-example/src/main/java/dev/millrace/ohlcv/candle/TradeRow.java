package dev.millrace.ohlcv.candle;

/**
 * One trade on its way into an engine: filled by the thread that reads, then copied by {@link
 * CandleEngine#accept}, so one object serves for all trades.
 */
public final class TradeRow implements Trade {
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
  public TradeRow set(Trade other) {
    line = other.line();
    symbol = other.symbol();
    timeNanos = other.timeNanos();
    price = other.price();
    priceScale = other.priceScale();
    volume = other.volume();
    volumeScale = other.volumeScale();
    side = other.side();
    trades = other.trades();
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

  @Override
  public long line() {
    return line;
  }

  @Override
  public int symbol() {
    return symbol;
  }

  @Override
  public long timeNanos() {
    return timeNanos;
  }

  @Override
  public long price() {
    return price;
  }

  @Override
  public int priceScale() {
    return priceScale;
  }

  @Override
  public long volume() {
    return volume;
  }

  @Override
  public int volumeScale() {
    return volumeScale;
  }

  @Override
  public Side side() {
    return side;
  }

  @Override
  public int trades() {
    return trades;
  }
}
