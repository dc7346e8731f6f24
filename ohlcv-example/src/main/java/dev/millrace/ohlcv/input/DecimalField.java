package dev.millrace.ohlcv.input;

import dev.millrace.ohlcv.candle.Decimals;

/**
 * Reads decimals exactly, into a long and a scale as small as possible: {@code 800.010000000000} is
 * 80001 at scale 2, {@code 1e-05} is 1 at scale 5. One object serves for all numbers of a column.
 */
final class DecimalField {
  private static final long TOO_LONG = -1;
  private static final int MAX_EXPONENT = 999;
  private static final int NO_EXPONENT = Integer.MIN_VALUE;

  private long unscaled;
  private int scale;
  private boolean negative;

  /** The last number without its point; never negative. */
  long unscaled() {
    return unscaled;
  }

  /** How many decimals it has. */
  int scale() {
    return scale;
  }

  /** Reads a number that must be above 0. */
  void parsePositive(String field, String text) throws BadRowException {
    parse(field, text, "must be a positive decimal");
    if (unscaled == 0) {
      throw new BadRowException(field, "must be a positive decimal", text);
    }
  }

  /** Reads a number that must not be below 0. */
  void parseNotNegative(String field, String text) throws BadRowException {
    parse(field, text, "must be a decimal not below 0");
  }

  private void parse(String field, String text, String rule) throws BadRowException {
    if (!isNumber(text) || (negative && unscaled != 0)) {
      throw new BadRowException(field, rule, text);
    }
    if (unscaled == TOO_LONG) {
      throw new BadRowException(
          field, "must fit 64 bits without its point and the zeros at its end", text);
    }
    if (scale > Decimals.MAX_SCALE) {
      throw new BadRowException(
          field, "must have at most " + Decimals.MAX_SCALE + " decimals", text);
    }
  }

  /** Whether the last number was below 0. */
  boolean isNegative() {
    return negative;
  }

  /** Whether the last number was one, but has more digits than a long. */
  boolean isTooLong() {
    return unscaled == TOO_LONG;
  }

  /** Reads sign, digits, point, exponent; returns whether that was all. Spaces around are fine. */
  boolean isNumber(String text) {
    int position = 0;
    int end = text.length();
    while (position < end && text.charAt(position) == ' ') {
      position++;
    }
    while (end > position && text.charAt(end - 1) == ' ') {
      end--;
    }
    negative = position < end && text.charAt(position) == '-';
    if (negative || (position < end && text.charAt(position) == '+')) {
      position++;
    }
    long value = 0;
    int zeros = 0; // digits 0 that count only if another digit follows
    int digits = 0;
    int decimals = 0;
    boolean point = false;
    for (; position < end; position++) {
      char c = text.charAt(position);
      if (c == '.' && !point) {
        point = true;
        continue;
      }
      if (c < '0' || c > '9') {
        break;
      }
      digits++;
      decimals += point ? 1 : 0;
      if (c == '0') {
        zeros++;
      } else {
        value = value == 0 ? c - '0' : appended(value, zeros, c - '0');
        zeros = 0;
      }
    }
    int exponent = 0;
    if (position < end && (text.charAt(position) | ' ') == 'e' && digits > 0) {
      exponent = exponent(text, position + 1, end);
      position = exponent == NO_EXPONENT ? position : end;
    }
    if (digits == 0 || position != end) {
      return false;
    }
    set(value, decimals - zeros - exponent);
    return true;
  }

  private void set(long value, int decimals) {
    scale = value == 0 ? 0 : Math.max(decimals, 0);
    unscaled = value > 0 && decimals < 0 ? appended(value, -decimals - 1, 0) : value;
  }

  /** The digits, then zeros and one more digit; {@link #TOO_LONG} if they do not fit. */
  private static long appended(long value, int zeros, int digit) {
    if (value == TOO_LONG || zeros > 18) {
      return TOO_LONG;
    }
    long result = value;
    for (int i = 0; i < zeros; i++) {
      if (result > Long.MAX_VALUE / 10) {
        return TOO_LONG;
      }
      result *= 10;
    }
    return result > (Long.MAX_VALUE - digit) / 10 ? TOO_LONG : result * 10 + digit;
  }

  private static int exponent(String text, int from, int end) {
    int position = from;
    boolean minus = position < end && text.charAt(position) == '-';
    if (minus || (position < end && text.charAt(position) == '+')) {
      position++;
    }
    if (position == end) {
      return NO_EXPONENT;
    }
    int exponent = 0;
    for (; position < end; position++) {
      int digit = text.charAt(position) - '0';
      if (digit < 0 || digit > 9) {
        return NO_EXPONENT;
      }
      exponent = Math.min(exponent * 10 + digit, MAX_EXPONENT);
    }
    return minus ? -exponent : exponent;
  }
}
