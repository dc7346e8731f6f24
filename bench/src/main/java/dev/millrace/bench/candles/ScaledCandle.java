package dev.millrace.bench.candles;

import dev.millrace.ohlcv.candle.Candle;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * A candle as plain numbers of the generator's scales, so that two of them can be told apart by
 * {@code equals}: symbol, open time, open, high, low, close, volume, count, quote volume, taker's
 * volume and quote volume.
 */
record ScaledCandle(List<Long> numbers) {
  /** Which of the numbers are sums. */
  static final Set<Integer> SUMS = Set.of(6, 8, 9, 10);

  static final int OPEN_TIME = 1;
  static final int COUNT = 7;

  /** Stands for what no candle of the generator's trades can hold: more decimals, or digits. */
  private static final long IMPOSSIBLE = Long.MIN_VALUE;

  private static final long DIGITS_OF_DOUBLE = 100_000_000_000_000L;

  static ScaledCandle of(long... numbers) {
    return new ScaledCandle(LongStream.of(numbers).boxed().toList());
  }

  /** The numbers of a candle, without boxes: what logs answers is measured with the engine. */
  static long[] numbers(Candle candle) {
    return new long[] {
      candle.symbol(),
      candle.openTimeNanos(),
      scaled(candle.open(), TradeGenerator.PRICE_SCALE),
      scaled(candle.high(), TradeGenerator.PRICE_SCALE),
      scaled(candle.low(), TradeGenerator.PRICE_SCALE),
      scaled(candle.close(), TradeGenerator.PRICE_SCALE),
      scaled(candle.volume(), TradeGenerator.VOLUME_SCALE),
      candle.count(),
      scaled(candle.quoteVolume(), TradeGenerator.QUOTE_SCALE),
      scaled(candle.takerBuyVolume(), TradeGenerator.VOLUME_SCALE),
      scaled(candle.takerBuyQuoteVolume(), TradeGenerator.QUOTE_SCALE)
    };
  }

  long openTimeNanos() {
    return numbers.get(OPEN_TIME);
  }

  long count() {
    return numbers.get(COUNT);
  }

  /** Whether only sums differ, and those in no more than the digits that a double does not hold. */
  boolean isNear(ScaledCandle exact) {
    for (int i = 0; i < numbers.size(); i++) {
      long expected = exact.numbers.get(i);
      long tolerance = SUMS.contains(i) ? expected / DIGITS_OF_DOUBLE : 0;
      if (Math.abs(numbers.get(i) - expected) > tolerance) {
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
