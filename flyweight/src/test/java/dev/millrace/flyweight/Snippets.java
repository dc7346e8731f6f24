package dev.millrace.flyweight;

/** An example of the Javadoc, compiled. */
final class Snippets {
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
