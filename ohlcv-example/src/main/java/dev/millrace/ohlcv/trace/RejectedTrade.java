package dev.millrace.ohlcv.trace;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.RecordLayout;
import java.lang.foreign.MemorySegment;

/** A trade that is in no candle; the text says why. Prices and volumes are the nearest doubles. */
public final class RejectedTrade extends Flyweight {
  private static final RecordLayout LAYOUT =
      RecordLayout.of(
          JAVA_LONG.withName("line"),
          JAVA_DOUBLE.withName("price"),
          JAVA_DOUBLE.withName("volume"),
          JAVA_INT.withName("symbol"));

  private static final RecordLayout.Field LINE = LAYOUT.field("line");
  private static final RecordLayout.Field PRICE = LAYOUT.field("price");
  private static final RecordLayout.Field VOLUME = LAYOUT.field("volume");
  private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");

  /** The name of the type in the trace. */
  public static final String TYPE = "rejected";

  /**
   * Makes a view of records.
   *
   * @param memory where they are
   */
  public RejectedTrade(MemorySegment memory) {
    super(LAYOUT, memory);
  }

  /** Writes the whole record. */
  void set(long line, double price, double volume, int symbol) {
    putLong(LINE, line);
    putDouble(PRICE, price);
    putDouble(VOLUME, volume);
    putInt(SYMBOL, symbol);
  }

  /** Which line of the input it came from. */
  public long line() {
    return getLong(LINE);
  }

  /** The price; 0 if it could not be read. */
  public double price() {
    return getDouble(PRICE);
  }

  /** The volume; 0 if it could not be read. */
  public double volume() {
    return getDouble(VOLUME);
  }

  /** The symbol's number; -1 if it is not known. */
  public int symbol() {
    return getInt(SYMBOL);
  }
}
