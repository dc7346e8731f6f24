package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;

/**
 * A candle. Numbers are exact and in their shortest form.
 *
 * @param symbol the symbol's number
 * @param openTimeNanos when it starts, in nanoseconds since 1970
 * @param open the price of the earliest trade; among those of one time, of the first read
 * @param high the highest price
 * @param low the lowest price
 * @param close the price of the latest trade; among those of one time, of the last read
 * @param volume the sum of the volumes
 * @param count the number of trades
 * @param quoteVolume the sum of price times volume; 0 if the engine was not asked for it
 * @param takerBuyVolume the volume of the trades whose taker bought
 * @param takerBuyQuoteVolume price times volume of those trades; 0 if the engine was not asked
 */
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
    BigDecimal takerBuyQuoteVolume) {
  /** A candle in which nothing was traded, at the price at which the one before closed. */
  public static Candle empty(int symbol, long openTimeNanos, BigDecimal price) {
    BigDecimal none = BigDecimal.ZERO;
    return new Candle(symbol, openTimeNanos, price, price, price, price, none, 0, none, none, none);
  }
}
