package dev.millrace.ohlcv.trace;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.ohlcv.candle.CandleView;
import java.lang.foreign.MemorySegment;

/**
 * A candle that will not change any more; the text is the symbol's name, if it has one. Prices and
 * volume are the nearest doubles: the exact digits are in the candles written.
 */
public final class CandleClosed extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("openMillis"),
          JAVA_LONG.withName("intervalMillis"),
          JAVA_DOUBLE.withName("open"),
          JAVA_DOUBLE.withName("high"),
          JAVA_DOUBLE.withName("low"),
          JAVA_DOUBLE.withName("close"),
          JAVA_DOUBLE.withName("volume"),
          JAVA_LONG.withName("count"),
          JAVA_INT.withName("symbol"));

  private static final RecordLayout.Field OPEN_MILLIS = LAYOUT.field("openMillis");
  private static final RecordLayout.Field INTERVAL_MILLIS = LAYOUT.field("intervalMillis");
  private static final RecordLayout.Field OPEN = LAYOUT.field("open");
  private static final RecordLayout.Field HIGH = LAYOUT.field("high");
  private static final RecordLayout.Field LOW = LAYOUT.field("low");
  private static final RecordLayout.Field CLOSE = LAYOUT.field("close");
  private static final RecordLayout.Field VOLUME = LAYOUT.field("volume");
  private static final RecordLayout.Field COUNT = LAYOUT.field("count");
  private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The name of the type in the trace. */
  public static final String TYPE = "closed";

  /**
   * Makes a view of records.
   *
   * @param memory where they are
   */
  public CandleClosed(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /** Writes the whole record. */
  void set(CandleView candle, long intervalMillis) {
    putLong(OPEN_MILLIS, candle.openTimeNanos() / NANOS_PER_MILLI);
    putLong(INTERVAL_MILLIS, intervalMillis);
    putDouble(OPEN, candle.open().doubleValue());
    putDouble(HIGH, candle.high().doubleValue());
    putDouble(LOW, candle.low().doubleValue());
    putDouble(CLOSE, candle.close().doubleValue());
    putDouble(VOLUME, candle.volume().doubleValue());
    putLong(COUNT, candle.count());
    putInt(SYMBOL, candle.symbol());
  }

  /** When it starts, in milliseconds since 1970. */
  public long openMillis() {
    return getLong(OPEN_MILLIS);
  }

  /** How long it is. */
  public long intervalMillis() {
    return getLong(INTERVAL_MILLIS);
  }

  /** The price of the earliest trade. */
  public double open() {
    return getDouble(OPEN);
  }

  /** The highest price. */
  public double high() {
    return getDouble(HIGH);
  }

  /** The lowest price. */
  public double low() {
    return getDouble(LOW);
  }

  /** The price of the latest trade. */
  public double close() {
    return getDouble(CLOSE);
  }

  /** The sum of the volumes. */
  public double volume() {
    return getDouble(VOLUME);
  }

  /** The number of trades. */
  public long count() {
    return getLong(COUNT);
  }

  /** The symbol's number. */
  public int symbol() {
    return getInt(SYMBOL);
  }
}
