package dev.millrace.ohlcv.candle;

import java.math.BigDecimal;

/**
 * An exact sum of decimals that are not negative: 127 bits and a scale, which grows to that of the
 * finest number added.
 *
 * <p><b>Failure.</b> An addition that does not fit returns false and changes nothing. There is room
 * for 38 digits: at 12 decimals for sums up to 10^26.
 *
 * <p><b>Cost.</b> A few instructions, no allocation; more when a finer number is added than before.
 */
public final class DecimalSum {
  private long high;
  private long low;
  private int scale;
  private long scaledHigh; // where timesPowerOfTen leaves its product
  private long scaledLow;

  /** Sets the sum to what a slot holds. */
  void set(long newHigh, long newLow, int newScale) {
    high = newHigh;
    low = newLow;
    scale = newScale;
  }

  /** Sets the sum to zero. */
  void clear() {
    set(0, 0, 0);
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  int scale() {
    return scale;
  }

  /** Adds a decimal. */
  boolean add(long unscaled, int termScale) {
    return add(0, unscaled, termScale);
  }

  /** Adds the product of two decimals. */
  boolean addProduct(long unscaled, int factorScale, long otherUnscaled, int otherScale) {
    // Two factors below 2^63 have a product below 2^126.
    long productHigh = Math.multiplyHigh(unscaled, otherUnscaled);
    return add(productHigh, unscaled * otherUnscaled, factorScale + otherScale);
  }

  BigDecimal toBigDecimal() {
    return Decimals.toBigDecimal(high, low, scale);
  }

  private boolean add(long termHigh, long termLow, int termScale) {
    long sumHigh = high;
    long sumLow = low;
    long addHigh = termHigh;
    long addLow = termLow;
    if (termScale > scale) {
      if (!timesPowerOfTen(high, low, termScale - scale)) {
        return false;
      }
      sumHigh = scaledHigh;
      sumLow = scaledLow;
    } else if (termScale < scale) {
      if (!timesPowerOfTen(termHigh, termLow, scale - termScale)) {
        return false;
      }
      addHigh = scaledHigh;
      addLow = scaledLow;
    }
    long newLow = sumLow + addLow;
    long carry = Long.compareUnsigned(newLow, sumLow) < 0 ? 1 : 0;
    long newHigh = sumHigh + addHigh + carry;
    if (newHigh < 0) { // both were below 2^127, so their sum shows in the sign
      return false;
    }
    set(newHigh, newLow, Math.max(scale, termScale));
    return true;
  }

  private boolean timesPowerOfTen(long factorHigh, long factorLow, int exponent) {
    long productHigh = factorHigh;
    long productLow = factorLow;
    for (int left = exponent; left > 0 && (productHigh | productLow) != 0; ) {
      int step = Math.min(left, Decimals.MAX_POWER);
      long power = Decimals.power(step);
      long carry = Math.unsignedMultiplyHigh(productLow, power); // below 10^18
      long upper = productHigh * power;
      if (Math.multiplyHigh(productHigh, power) != 0 || upper < 0 || upper + carry < 0) {
        return false;
      }
      productHigh = upper + carry;
      productLow *= power;
      left -= step;
    }
    scaledHigh = productHigh;
    scaledLow = productLow;
    return true;
  }
}
