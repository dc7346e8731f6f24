package dev.millrace.ohlcv.candle;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;

/** A trade in native memory: 56 bytes, price and volume each a scaled long. */
public final class TradeFlyweight extends Flyweight {
  /** What a trade looks like. */
  public static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("timeNanos"),
          JAVA_LONG.withName("price"),
          JAVA_LONG.withName("volume"),
          JAVA_LONG.withName("line"),
          JAVA_LONG.withName("number"),
          JAVA_INT.withName("symbol"),
          JAVA_INT.withName("trades"),
          JAVA_BYTE.withName("priceScale"),
          JAVA_BYTE.withName("volumeScale"),
          JAVA_BYTE.withName("side"));

  private static final RecordLayout.Field TIME_NANOS = LAYOUT.field("timeNanos");
  private static final RecordLayout.Field PRICE = LAYOUT.field("price");
  private static final RecordLayout.Field VOLUME = LAYOUT.field("volume");
  private static final RecordLayout.Field LINE = LAYOUT.field("line");
  private static final RecordLayout.Field NUMBER = LAYOUT.field("number");
  private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");
  private static final RecordLayout.Field TRADES = LAYOUT.field("trades");
  private static final RecordLayout.Field PRICE_SCALE = LAYOUT.field("priceScale");
  private static final RecordLayout.Field VOLUME_SCALE = LAYOUT.field("volumeScale");
  private static final RecordLayout.Field SIDE = LAYOUT.field("side");

  /**
   * Makes a view of trades.
   *
   * @param memory where they are
   */
  public TradeFlyweight(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /**
   * Writes a whole trade.
   *
   * @param number its place in the order in which trades were accepted
   * @return this
   */
  public TradeFlyweight set(TradeRow row, long number) {
    putLong(NUMBER, number);
    putLong(TIME_NANOS, row.timeNanos());
    putLong(PRICE, row.price());
    putLong(VOLUME, row.volume());
    putLong(LINE, row.line());
    putInt(SYMBOL, row.symbol());
    putInt(TRADES, row.trades());
    putByte(PRICE_SCALE, (byte) row.priceScale());
    putByte(VOLUME_SCALE, (byte) row.volumeScale());
    putByte(SIDE, row.side().code());
    return this;
  }

  /**
   * Writes a whole trade, that of another record.
   *
   * @return this
   */
  public TradeFlyweight set(TradeFlyweight other) {
    MemorySegment.copy(other.memory(), other.offset(), memory(), offset(), LAYOUT.sizeBytes());
    return this;
  }

  /** When it happened, in nanoseconds since 1970. */
  public long timeNanos() {
    return getLong(TIME_NANOS);
  }

  /** The price without its point. */
  public long price() {
    return getLong(PRICE);
  }

  /** How many decimals the price has. */
  public int priceScale() {
    return getByte(PRICE_SCALE);
  }

  /** The volume without its point. */
  public long volume() {
    return getLong(VOLUME);
  }

  /** How many decimals the volume has. */
  public int volumeScale() {
    return getByte(VOLUME_SCALE);
  }

  /** Which line of the input it came from. */
  public long line() {
    return getLong(LINE);
  }

  /** Its place in the order in which trades were accepted, from 1. */
  public long number() {
    return getLong(NUMBER);
  }

  /** The symbol's number. */
  public int symbol() {
    return getInt(SYMBOL);
  }

  /** How many trades it stands for. */
  public int trades() {
    return getInt(TRADES);
  }

  /** Who took it. */
  public Side side() {
    return Side.of(getByte(SIDE));
  }
}
