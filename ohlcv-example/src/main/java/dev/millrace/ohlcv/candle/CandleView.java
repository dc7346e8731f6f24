package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;

/**
 * A candle to look at. Valid only during the call that handed it over, for an engine may use one
 * object for many candles. Numbers are exact and in their shortest form.
 */
public interface CandleView {
  /** The symbol's number. */
  int symbol();

  /** When it starts, in nanoseconds since 1970. */
  long openTimeNanos();

  /** The price of the earliest trade; among those of one time, of the first read. */
  BigDecimal open();

  /** The highest price. */
  BigDecimal high();

  /** The lowest price. */
  BigDecimal low();

  /** The price of the latest trade; among those of one time, of the last read. */
  BigDecimal close();

  /** The sum of the volumes. */
  BigDecimal volume();

  /** The number of trades. */
  long count();

  /** The sum of price times volume; 0 if the engine was not asked for it. */
  BigDecimal quoteVolume();

  /** The volume of the trades whose taker bought. */
  BigDecimal takerBuyVolume();

  /** Price times volume of the trades whose taker bought; 0 if the engine was not asked for it. */
  BigDecimal takerBuyQuoteVolume();
}
