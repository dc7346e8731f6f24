package dev.millrace.ohlcv.input;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads times into nanoseconds since 1970: numbers in a unit that is given or told by their size,
 * and dates as in ISO 8601, with {@code T}, a space or BitMEX's {@code D} between day and time, UTC
 * where no zone is given. What is finer than a nanosecond is cut off.
 *
 * <p>Where the unit is not given, all numbers of a file must be in that of the first, which {@link
 * UnitOfFirst} sees to: this class knows no other row.
 */
final class TimeField {
  /** Instead of nanoseconds, which are never negative. */
  static final long TOO_LATE = -1;

  private static final Pattern WRITTEN =
      Pattern.compile(
          "(\\d{4})[-/](\\d{2})[-/](\\d{2})" // day
              + "(?:[TtD ](\\d{2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,12}))?)?" // time
              + " ?(Z|z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?)?)?"); // zone
  private static final String RANGE = "must be in 1970-01-01..2262-04-11";
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long DAY_SECONDS = 86_400;
  private static final long MAX_SECONDS = Long.MAX_VALUE / SECOND_NANOS - 1;

  private final DecimalField number = new DecimalField();
  private final EpochUnit given;
  private EpochUnit told;

  /** Reads numbers in the given unit; null if each is to tell its own. */
  TimeField(EpochUnit given) {
    this.given = given;
  }

  /** The unit that the last time, a number, has told by its size; null if it told none. */
  EpochUnit told() {
    return told;
  }

  static boolean isWritten(String text) {
    return WRITTEN.matcher(text.strip()).matches();
  }

  /**
   * Reads a time.
   *
   * @return nanoseconds; {@link #TOO_LATE} if they are too many in the unit that a number has told
   */
  long parse(String field, String text) throws BadRowException {
    told = null;
    if (number.isNumber(text)) {
      return parseNumber(field, text);
    }
    Matcher written = WRITTEN.matcher(text.strip());
    if (!written.matches()) {
      throw new BadRowException(field, "must be a time, as a number or as in ISO 8601", text);
    }
    try {
      return parseWritten(field, text, written);
    } catch (DateTimeException e) {
      throw new BadRowException(field, "must be a day of the calendar", text);
    }
  }

  /** Reads the day alone, as it is written, whatever its zone. */
  long parseDay(String field, String text) throws BadRowException {
    Matcher written = WRITTEN.matcher(text.strip());
    if (!written.matches()) {
      throw new BadRowException(field, "must be a date as in 2023-09-20", text);
    }
    try {
      return nanos(field, text, day(written) * DAY_SECONDS, 0);
    } catch (DateTimeException e) {
      throw new BadRowException(field, "must be a day of the calendar", text);
    }
  }

  private long parseNumber(String field, String text) throws BadRowException {
    if (number.isNegative() || number.isTooLong()) {
      throw new BadRowException(field, RANGE, text);
    }
    BigDecimal value = BigDecimal.valueOf(number.unscaled(), number.scale());
    told = given == null ? EpochUnit.ofMagnitude(value.longValue()) : null;
    EpochUnit unit = given == null ? told : given;
    BigInteger nanos = value.multiply(BigDecimal.valueOf(unit.nanos())).toBigInteger();
    if (nanos.bitLength() <= 63) {
      return nanos.longValue();
    }
    if (given == null) {
      return TOO_LATE;
    }
    throw new BadRowException(field, RANGE + " in " + unit, text);
  }

  private static long parseWritten(String field, String text, Matcher written)
      throws BadRowException {
    long seconds = day(written) * DAY_SECONDS;
    if (written.group(4) != null) {
      int hour = Integer.parseInt(written.group(4));
      int minute = Integer.parseInt(written.group(5));
      int second = written.group(6) == null ? 0 : Integer.parseInt(written.group(6));
      if (hour > 23 || minute > 59 || second > 59) {
        throw new BadRowException(field, "must be a time of the day", text);
      }
      seconds += hour * 3_600L + minute * 60L + second - offsetSeconds(written.group(8));
    }
    return nanos(field, text, seconds, fractionNanos(written.group(7)));
  }

  private static long day(Matcher written) {
    return LocalDate.of(
            Integer.parseInt(written.group(1)),
            Integer.parseInt(written.group(2)),
            Integer.parseInt(written.group(3)))
        .toEpochDay();
  }

  private static long nanos(String field, String text, long seconds, long fraction)
      throws BadRowException {
    if (seconds < 0 || seconds > MAX_SECONDS) {
      throw new BadRowException(field, RANGE, text);
    }
    return seconds * SECOND_NANOS + fraction;
  }

  private static long fractionNanos(String digits) {
    return digits == null ? 0 : Long.parseLong((digits + "000000000").substring(0, 9));
  }

  private static long offsetSeconds(String zone) {
    if (zone == null || Character.isLetter(zone.charAt(0))) {
      return 0;
    }
    int hours = Integer.parseInt(zone.substring(1, 3));
    int minutes = zone.length() > 3 ? Integer.parseInt(zone.substring(zone.length() - 2)) : 0;
    long seconds = hours * 3_600L + minutes * 60L;
    return zone.charAt(0) == '-' ? -seconds : seconds;
  }
}
