package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Decimals;
import java.math.BigDecimal;
import java.util.regex.Pattern;

/**
 * Reads decimals exactly and in their shortest form: {@code 800.010000000000} is 800.01, {@code
 * 1e-05} is 0.00001.
 */
final class DecimalField {
  // Possessive, so that it takes no long for a long text.
  private static final Pattern NUMBER =
      Pattern.compile(" *+[+-]?+(?:\\d++(?:\\.\\d*+)?+|\\.\\d++)(?:[eE][+-]?+\\d{1,3}+)?+ *+");
  private static final int MAX_CHARS = 1_000;
  private static final int LONG_DIGITS = 19;
  private static final int LONG_BITS = 63; // without the sign

  private DecimalField() {}

  /** Whether it is a number of any size. Spaces around it are fine. */
  static boolean isNumber(String text) {
    return NUMBER.matcher(text).matches();
  }

  /** Reads a number that must be above 0. */
  static BigDecimal readPositive(String field, String text) throws BadRowException {
    return read(field, text, 1, "must be a positive decimal");
  }

  /** Reads a number that must not be below 0. */
  static BigDecimal readNotNegative(String field, String text) throws BadRowException {
    return read(field, text, 0, "must be a decimal not below 0");
  }

  /** A number without trailing zeros; null if it has more digits before its point than a long. */
  static BigDecimal parse(String number) {
    if (number.length() > MAX_CHARS) { // before it is parsed, which would take long
      return null;
    }
    BigDecimal value = new BigDecimal(number.strip()).stripTrailingZeros();
    return value.precision() - value.scale() > LONG_DIGITS ? null : Decimals.shortest(value);
  }

  private static BigDecimal read(String field, String text, int leastSign, String rule)
      throws BadRowException {
    BigDecimal value = isNumber(text) ? parse(text) : BigDecimal.ONE.negate();
    if (value != null && value.signum() < leastSign) {
      throw new BadRowException(field, rule, text);
    }
    if (value == null || value.unscaledValue().bitLength() > LONG_BITS) {
      throw new BadRowException(
          field, "must fit 64 bits without its point and the zeros at its end", text);
    }
    if (value.scale() > Decimals.MAX_SCALE) {
      throw new BadRowException(
          field, "must have at most " + Decimals.MAX_SCALE + " decimals", text);
    }
    return value;
  }
}
