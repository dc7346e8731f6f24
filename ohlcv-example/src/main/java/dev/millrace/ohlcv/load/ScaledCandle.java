package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleView;
import java.math.BigDecimal;

/**
 * A candle as plain numbers of the generator's scales, so that two of them can be told apart by
 * {@code equals}.
 */
record ScaledCandle(
    int symbol,
    long openTimeNanos,
    long open,
    long high,
    long low,
    long close,
    long volume,
    long count,
    long quoteVolume,
    long takerBuyVolume,
    long takerBuyQuoteVolume) {
  /** Stands for what no candle of the generator's trades can hold: more decimals, or digits. */
  static final long IMPOSSIBLE = Long.MIN_VALUE;

  private static final long DIGITS_OF_DOUBLE = 100_000_000_000_000L;

  static ScaledCandle of(CandleView view) {
    return new ScaledCandle(
        view.symbol(),
        view.openTimeNanos(),
        scaled(view.open(), TradeGenerator.PRICE_SCALE),
        scaled(view.high(), TradeGenerator.PRICE_SCALE),
        scaled(view.low(), TradeGenerator.PRICE_SCALE),
        scaled(view.close(), TradeGenerator.PRICE_SCALE),
        scaled(view.volume(), TradeGenerator.VOLUME_SCALE),
        view.count(),
        scaled(view.quoteVolume(), TradeGenerator.QUOTE_SCALE),
        scaled(view.takerBuyVolume(), TradeGenerator.VOLUME_SCALE),
        scaled(view.takerBuyQuoteVolume(), TradeGenerator.QUOTE_SCALE));
  }

  /** Whether only sums differ, and those in no more than the digits that a double does not hold. */
  boolean isNear(ScaledCandle exact) {
    ScaledCandle withExactSums =
        new ScaledCandle(
            symbol,
            openTimeNanos,
            open,
            high,
            low,
            close,
            exact.volume,
            count,
            exact.quoteVolume,
            exact.takerBuyVolume,
            exact.takerBuyQuoteVolume);
    return withExactSums.equals(exact)
        && isNear(volume, exact.volume)
        && isNear(quoteVolume, exact.quoteVolume)
        && isNear(takerBuyVolume, exact.takerBuyVolume)
        && isNear(takerBuyQuoteVolume, exact.takerBuyQuoteVolume);
  }

  private static boolean isNear(long sum, long exact) {
    return Math.abs(sum - exact) <= exact / DIGITS_OF_DOUBLE;
  }

  private static long scaled(BigDecimal number, int scale) {
    try {
      return number.setScale(scale).unscaledValue().longValueExact();
    } catch (ArithmeticException e) { // a torn candle may hold anything
      return IMPOSSIBLE;
    }
  }
}
