package dev.millrace.ohlcv.input;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;

/** In what a number of time since 1970 is counted. */
public enum EpochUnit {
  /** Seconds. */
  S(9),
  /** Milliseconds. */
  MS(6),
  /** Microseconds. */
  US(3),
  /** Nanoseconds. */
  NS(0);

  private final int power; // of ten: so many nanoseconds

  EpochUnit(int power) {
    this.power = power;
  }

  /** Nanoseconds, without what is finer. */
  BigInteger nanos(BigDecimal number) {
    return number.scaleByPowerOfTen(power).toBigInteger();
  }

  /** The unit in which a number of this size is a time of our age: 10 digits s, 13 ms, 16 us. */
  static EpochUnit ofMagnitude(BigDecimal number) {
    int digits = number.precision() - number.scale();
    if (digits < 12) { // up to the year 5138
      return S;
    }
    return digits < 15 ? MS : digits < 18 ? US : NS;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
