package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.stream.LongStream;

/**
 * Exact arithmetic on decimals that are not negative: {@code unscaled / 10^scale}, where unscaled
 * is a {@code long} for a price or a volume, and has 128 bits in a {@link DecimalSum}.
 *
 * <p>Each number has a scale of its own, as small as it can be: 800.010000000000 is 80001 at scale
 * 2. So a column of twelve decimals leaves as much room before the point as one of two, and a finer
 * number later on asks for no other to be changed.
 */
public final class Decimals {
  /** The most decimals that a number may have. */
  public static final int MAX_SCALE = 30;

  /** The largest power of ten in a long: 10^18. */
  static final int MAX_POWER = 18;

  private static final long[] POWERS =
      LongStream.iterate(1, power -> power * 10).limit(MAX_POWER + 1).toArray();

  private Decimals() {}

  /**
   * Compares two decimals.
   *
   * @return negative, 0 or positive, as the first is less than, equal to or more than the second
   */
  public static int compare(long unscaled, int scale, long otherUnscaled, int otherScale) {
    if (scale == otherScale) {
      return Long.compare(unscaled, otherUnscaled);
    }
    return scale < otherScale
        ? compareScaledUp(unscaled, otherScale - scale, otherUnscaled)
        : -compareScaledUp(otherUnscaled, scale - otherScale, unscaled);
  }

  /**
   * The number as the JDK's class, in its shortest form.
   *
   * @return without trailing zeros behind the point, scale not negative
   */
  public static BigDecimal toBigDecimal(long unscaled, int scale) {
    return shortest(BigDecimal.valueOf(unscaled, scale));
  }

  /**
   * The 128-bit number as the JDK's class, in its shortest form.
   *
   * @return without trailing zeros behind the point, scale not negative
   */
  public static BigDecimal toBigDecimal(long high, long low, int scale) {
    if (high == 0 && low >= 0) {
      return toBigDecimal(low, scale);
    }
    BigInteger unscaled =
        BigInteger.valueOf(high).shiftLeft(64).add(new BigInteger(Long.toUnsignedString(low)));
    return shortest(new BigDecimal(unscaled, scale));
  }

  /**
   * Drops the zeros at the end of the decimals. What is printed went through here, in either
   * engine, so that equal numbers look equal.
   *
   * @return an equal number whose scale is the least possible, but not negative
   */
  public static BigDecimal shortest(BigDecimal number) {
    BigDecimal stripped = number.stripTrailingZeros();
    return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
  }

  /** The digits of a number that fits a long, without an object in between. */
  public static long unscaled(BigDecimal number) {
    return number.scaleByPowerOfTen(number.scale()).longValue();
  }

  /** 10^exponent, for an exponent in 0..18. */
  static long power(int exponent) {
    return POWERS[exponent];
  }

  private static int compareScaledUp(long unscaled, int exponent, long other) {
    if (exponent > MAX_POWER) {
      // 10^19 is more than a long can hold, hence than the other.
      return unscaled == 0 ? Long.compare(0, other) : 1;
    }
    long factor = POWERS[exponent];
    long high = Math.multiplyHigh(unscaled, factor);
    long low = unscaled * factor;
    return high != 0 || low < 0 ? 1 : Long.compare(low, other);
  }
}
