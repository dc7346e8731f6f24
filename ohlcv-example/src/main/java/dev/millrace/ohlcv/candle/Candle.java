package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;

/** A candle that stays as it is. */
public record Candle(
    int symbol,
    long openTimeNanos,
    BigDecimal open,
    BigDecimal high,
    BigDecimal low,
    BigDecimal close,
    BigDecimal volume,
    long count,
    BigDecimal quoteVolume,
    BigDecimal takerBuyVolume,
    BigDecimal takerBuyQuoteVolume)
    implements CandleView {
  /**
   * Keeps what a view shows.
   *
   * @return a copy
   */
  public static Candle of(CandleView view) {
    return new Candle(
        view.symbol(),
        view.openTimeNanos(),
        view.open(),
        view.high(),
        view.low(),
        view.close(),
        view.volume(),
        view.count(),
        view.quoteVolume(),
        view.takerBuyVolume(),
        view.takerBuyQuoteVolume());
  }

  /**
   * A candle in which nothing was traded.
   *
   * @return no volume, every price that at which the one before closed
   */
  public static Candle empty(int symbol, long openTimeNanos, BigDecimal price) {
    BigDecimal none = BigDecimal.ZERO;
    return new Candle(symbol, openTimeNanos, price, price, price, price, none, 0, none, none, none);
  }
}
