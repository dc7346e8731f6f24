package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Decimals;
import java.math.BigDecimal;

/**
 * Reads decimals exactly and in their shortest form: {@code 800.010000000000} is 800.01, {@code
 * 1e-05} is 0.00001.
 */
final class DecimalField {
  private static final int MAX_CHARS = 1_000;
  private static final int LONG_DIGITS = 19; // as many as fit, and some that do not
  private static final int EXPONENT_DIGITS = 3;
  private static final int LONG_BITS = 63; // without the sign

  private DecimalField() {}

  /** Whether it is a number of any size. Spaces around it are fine. */
  static boolean isNumber(String text) {
    int end = text.length();
    int at = afterSign(text, afterSpaces(text, 0));
    int point = afterDigits(text, at);
    boolean hasPoint = point < end && text.charAt(point) == '.';
    int mantissa = hasPoint ? afterDigits(text, point + 1) : point;
    if (mantissa - at == (hasPoint ? 1 : 0)) { // no digit
      return false;
    }
    int exponent = mantissa;
    if (mantissa < end && (text.charAt(mantissa) | ' ') == 'e') {
      int digits = afterSign(text, mantissa + 1);
      exponent = afterDigits(text, digits);
      if (exponent == digits || exponent - digits > EXPONENT_DIGITS) {
        return false;
      }
    }
    return afterSpaces(text, exponent) == end;
  }

  /** Reads a whole number of digits alone; -1 if it is anything else, or does not fit a long. */
  static long digits(String text, int from, int end) {
    int count = end - from;
    if (count < 1 || count > LONG_DIGITS) {
      return -1;
    }
    long number = 0;
    for (int i = from; i < end; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return Math.max(number, -1); // 19 digits are below 2^64: what does not fit shows in the sign
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
    BigDecimal plain = plain(number);
    if (plain != null) {
      return plain;
    }
    if (number.length() > MAX_CHARS) { // before it is parsed, which would take long
      return null;
    }
    BigDecimal value = new BigDecimal(number.strip()).stripTrailingZeros();
    return value.precision() - value.scale() > LONG_DIGITS ? null : Decimals.shortest(value);
  }

  private static BigDecimal read(String field, String text, int leastSign, String rule)
      throws BadRowException {
    BigDecimal value = plain(text);
    boolean fits = value != null;
    if (!fits) {
      value = isNumber(text) ? parse(text) : BigDecimal.ONE.negate();
      fits = value != null && value.unscaledValue().bitLength() <= LONG_BITS;
    }
    if (value != null && value.signum() < leastSign) {
      throw new BadRowException(field, rule, text);
    }
    if (!fits) {
      throw new BadRowException(
          field, "must fit 64 bits without its point and the zeros at its end", text);
    }
    if (value.scale() > Decimals.MAX_SCALE) {
      throw new BadRowException(
          field, "must have at most " + Decimals.MAX_SCALE + " decimals", text);
    }
    return value;
  }

  /**
   * Reads what nearly all numbers are: digits that fit a long, maybe with a point or a minus.
   *
   * @return the shortest form; null for any other text, number or not
   */
  private static BigDecimal plain(String text) {
    int end = text.length();
    int from = afterSpaces(text, 0);
    boolean isNegative = from < end && text.charAt(from) == '-';
    from += isNegative ? 1 : 0;
    int point = text.indexOf('.', from);
    while (point >= 0 && text.charAt(end - 1) == '0') { // ends at the point
      end--;
    }
    int count = end - from - (point >= 0 ? 1 : 0);
    if (count < 1 || count > LONG_DIGITS) {
      return null;
    }
    long unscaled = 0;
    for (int i = from; i < end; i++) {
      int digit = text.charAt(i) - '0';
      if (digit >= 0 && digit <= 9) {
        unscaled = unscaled * 10 + digit;
      } else if (i != point) {
        return null;
      }
    }
    if (unscaled < 0) { // 19 digits are below 2^64: what does not fit shows in the sign
      return null;
    }
    return BigDecimal.valueOf(isNegative ? -unscaled : unscaled, point < 0 ? 0 : end - point - 1);
  }

  private static int afterSpaces(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
    return at;
  }

  private static int afterSign(String text, int at) {
    boolean isSign = at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+');
    return isSign ? at + 1 : at;
  }

  private static int afterDigits(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    return at;
  }
}
