package dev.millrace.flyweight;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/** The examples of the Javadoc, compiled. */
final class Snippets {
  // @start region="by-hand"
  public static final class TradeFlyweight extends Flyweight {
    public static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("timestamp"),
            JAVA_DOUBLE.withName("price"),
            MemoryLayout.sequenceLayout(8, JAVA_BYTE).withName("symbol"));

    private static final RecordLayout.Field TIMESTAMP = LAYOUT.field("timestamp");
    private static final RecordLayout.Field PRICE = LAYOUT.field("price");
    private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");

    public TradeFlyweight(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    public long timestamp() {
      return getLong(TIMESTAMP);
    }

    public TradeFlyweight timestamp(long value) {
      putLong(TIMESTAMP, value);
      return this;
    }

    public double price() {
      return getDouble(PRICE);
    }

    public TradeFlyweight price(double value) {
      putDouble(PRICE, value);
      return this;
    }

    public String symbol() {
      return getUtf8(SYMBOL);
    }

    public TradeFlyweight symbol(CharSequence value) {
      putUtf8(SYMBOL, value);
      return this;
    }
  }

  // @end

  void move() {
    // @start region="move"
    try (Arena arena = Arena.ofShared()) {
      long size = TradeFlyweight.LAYOUT.sizeBytes();
      TradeFlyweight trade = new TradeFlyweight(arena.allocate(100 * size, 8));
      for (int i = 0; i < 100; i++) {
        trade.moveTo(i * size);
        trade.timestamp(i).price(1.5 * i).symbol("MILL");
      }
    }
    // @end
  }

  // @start region="interface"
  enum Side {
    BUY,
    SELL
  }

  interface Trade {
    long timestamp();

    Trade timestamp(long value);

    double price();

    Trade price(double value);

    Side side();

    Trade side(Side value);

    @Utf8(8)
    String symbol();

    Trade symbol(CharSequence value);
  }

  static final FlyweightType<Trade> TRADE = FlyweightType.of(Trade.class);
  // @end
}
