package dev.millrace.ohlcv.load;

import dev.millrace.ohlcv.candle.CandleView;
import java.math.BigDecimal;
import java.util.Set;

/**
 * A candle as plain numbers of the generator's scales, so that two of them can be told apart by
 * {@code equals}.
 */
record ScaledCandle(
    long symbol,
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
  /** How many numbers it is. */
  static final int NUMBERS = 11;

  /** Which of them are sums. */
  static final Set<Integer> SUMS = Set.of(6, 8, 9, 10);

  /** Stands for what no candle of the generator's trades can hold: more decimals, or digits. */
  static final long IMPOSSIBLE = Long.MIN_VALUE;

  private static final long DIGITS_OF_DOUBLE = 100_000_000_000_000L;

  /** Of its numbers in their order. */
  static ScaledCandle of(long... n) {
    return new ScaledCandle(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10]);
  }

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

  long[] numbers() {
    return new long[] {
      symbol,
      openTimeNanos,
      open,
      high,
      low,
      close,
      volume,
      count,
      quoteVolume,
      takerBuyVolume,
      takerBuyQuoteVolume
    };
  }

  /** Whether only sums differ, and those in no more than the digits that a double does not hold. */
  boolean isNear(ScaledCandle exact) {
    long[] actual = numbers();
    long[] expected = exact.numbers();
    for (int i = 0; i < NUMBERS; i++) {
      long tolerance = SUMS.contains(i) ? expected[i] / DIGITS_OF_DOUBLE : 0;
      if (Math.abs(actual[i] - expected[i]) > tolerance) {
        return false;
      }
    }
    return true;
  }

  private static long scaled(BigDecimal number, int scale) {
    try {
      return number.setScale(scale).unscaledValue().longValueExact();
    } catch (ArithmeticException e) { // a torn candle may hold anything
      return IMPOSSIBLE;
    }
  }
}
