import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.flyweight.Flyweight;
import dev.millrace.flyweight.FlyweightType;
import dev.millrace.flyweight.RecordLayout;
import dev.millrace.flyweight.Utf8;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/** The examples in this package's documentation. The build runs every line of them. */
final class Examples {
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

  void describedByAnInterface() {
    try (Arena arena = Arena.ofConfined()) {
      Trade trade = TRADE.newFlyweight(arena.allocate(TRADE.layout().sizeBytes(), 8));
      ((Flyweight) trade).moveTo(0);
      trade.timestamp(1).price(1.5).side(Side.SELL).symbol("MILL");
      assert trade.timestamp() == 1 && trade.price() == 1.5 && trade.side() == Side.SELL;
      assert trade.symbol().equals("MILL");
    }
  }

  // @start region="by-hand"
  static final class TradeFlyweight extends Flyweight {
    static final RecordLayout LAYOUT =
        RecordLayout.of(
            JAVA_LONG.withName("timestamp"),
            JAVA_DOUBLE.withName("price"),
            MemoryLayout.sequenceLayout(8, JAVA_BYTE).withName("symbol"));

    private static final RecordLayout.Field TIMESTAMP = LAYOUT.field("timestamp");
    private static final RecordLayout.Field PRICE = LAYOUT.field("price");
    private static final RecordLayout.Field SYMBOL = LAYOUT.field("symbol");

    TradeFlyweight(MemorySegment memory) {
      super(LAYOUT, memory);
    }

    long timestamp() {
      return getLong(TIMESTAMP);
    }

    TradeFlyweight timestamp(long value) {
      putLong(TIMESTAMP, value);
      return this;
    }

    double price() {
      return getDouble(PRICE);
    }

    TradeFlyweight price(double value) {
      putDouble(PRICE, value);
      return this;
    }

    String symbol() {
      return getUtf8(SYMBOL);
    }

    TradeFlyweight symbol(CharSequence value) {
      putUtf8(SYMBOL, value);
      return this;
    }
  }

  // @end

  void writtenByHand() {
    try (Arena arena = Arena.ofConfined()) {
      // @start region="move"
      long size = TradeFlyweight.LAYOUT.sizeBytes();
      TradeFlyweight trade = new TradeFlyweight(arena.allocate(100 * size, 8));
      for (int i = 0; i < 100; i++) {
        trade.moveTo(i * size);
        trade.timestamp(i).price(1.5 * i).symbol("MILL");
      }
      // @end
      trade.moveTo(2 * size);
      assert trade.timestamp() == 2 && trade.price() == 3 && trade.symbol().equals("MILL");
    }
  }
}
