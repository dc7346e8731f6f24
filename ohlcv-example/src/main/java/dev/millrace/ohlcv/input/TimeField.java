package dev.millrace.ohlcv.input;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads times into nanoseconds since 1970: numbers that count seconds, milliseconds, micro- or
 * nanoseconds, and dates that are written year first. No zone means UTC. What is finer than a
 * nanosecond is cut off.
 *
 * <p>A number is a time if one of the units puts it into 1980..2262; at most one does. So numbers
 * that count from another day, or days, are refused, and dates without separators stand apart:
 * {@code 20240103} is no number of any unit. All numbers must be in the unit of the first, so times
 * are read in the order of the rows.
 */
final class TimeField {
  private static final int NANO_DIGITS = 9;
  private static final int MIN_DIGITS = 10; // of a number with an exponent: that of the seconds
  private static final int SECOND_END = "2024-01-03T09:30:00".length();
  private static final int NANO_END = SECOND_END + 1 + NANO_DIGITS;
  private static final long DAY_SECONDS = 86_400;
  private static final long LEAST_NANOS = Duration.ofDays(3_652).toNanos(); // 1980

  private static final String CLOCK =
      "(?:(?<hour>\\d\\d?):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?)?"
          + "|(?<hh>\\d\\d)(?<mm>\\d\\d)(?:(?<ss>\\d\\d)(?:[.,](?<f>\\d+)|(?<fff>(?:\\d{3}){1,3}))?)?)";
  private static final Pattern TIME_OF_DAY = Pattern.compile(CLOCK);
  private static final Pattern WRITTEN =
      Pattern.compile(
          "(?<year>\\d{4})(?<separator>[-/.]?)(?<month>\\d\\d)\\k<separator>(?<day>\\d\\d)"
              + "(?:(?:[ TtD]|(?<=^\\d{8}))" // BitMEX writes a D; all digits need nothing between
              + CLOCK
              + ")?(?: ?(?<zone>[Zz]|UTC|GMT|[+-]\\d\\d(?::?\\d\\d){0,2}))?");

  private static final String RANGE = "must be in 1980-01-01..2262-04-11";
  private static final String DAY_RANGE = "must be in 1970-01-01..2262-04-11";
  private static final String NUMBER_RANGE = RANGE + ", as s, ms, us or ns since 1970";
  private static final String NO_TIME =
      "must be a time as in 2024-01-03 09:30:00.5Z, or a number of s, ms, us or ns since 1970";
  private static final String NO_DAY = "must be a date as in 2023-09-20";
  private static final String NO_CLOCK = "must be a time of day as in 09:30:00.5 or 093000";

  private Unit unit; // null until the first number tells it
  private String day; // of the last time, as in ISO 8601; null if there was none
  private long dayNanos; // since 1970

  /** In what a number counts. */
  private enum Unit {
    S(9),
    MS(6),
    US(3),
    NS(0);

    private final int power; // of ten: so many nanoseconds
    private final long nanos;
    private final long least; // so many are a time in this unit
    private final long most; // and so many still

    Unit(int power) {
      this.power = power;
      this.nanos = Math.powExact(10L, power);
      this.least = LEAST_NANOS / nanos;
      this.most = Long.MAX_VALUE / nanos;
    }

    /** Whether so many are a time in it. */
    boolean fits(long whole) {
      return whole >= least && whole <= most;
    }

    /** The same of a number with at most as many digits as a long. */
    boolean fits(BigDecimal number) {
      long whole = number.longValue(); // negative if it is too large
      return number.signum() > 0 && fits(whole) && (whole < most || nanos(number) > 0);
    }

    long nanos(BigDecimal number) {
      return number.scale() == 0
          ? number.longValue() * nanos
          : number.scaleByPowerOfTen(power).longValue();
    }

    /** The one that makes a number a time of our age; null if none does. */
    static Unit of(BigDecimal number) {
      for (Unit unit : values()) {
        if (unit.fits(number)) {
          return unit;
        }
      }
      return null;
    }
  }

  /** Whether it is a date, with or without a time of day. */
  static boolean isWritten(String text) {
    return written(text) != null;
  }

  /**
   * Whether it is a time that needs no other column, as a number or written, with more than a day.
   */
  static boolean isWhole(String text) {
    if (DecimalField.isNumber(text)) {
      BigDecimal number = DecimalField.parse(text);
      if (number != null && Unit.of(number) != null) {
        return true;
      }
    }
    Written written = written(text);
    return written != null && written.clockNanos != 0;
  }

  /** Whether it is a day at 00:00. */
  static boolean isDay(String text) {
    Written written = written(text);
    return written != null && written.clockNanos == 0;
  }

  /** Whether it is a time of day with colons, which is nothing else. */
  static boolean isClock(String text) {
    return text.indexOf(':') > 0 && TIME_OF_DAY.matcher(text.strip()).matches();
  }

  /** Whether it is a number that counts milliseconds. */
  static boolean isMillis(String text) {
    BigDecimal number = DecimalField.isNumber(text) ? DecimalField.parse(text) : null;
    return number != null && Unit.MS.fits(number);
  }

  /**
   * Reads a time.
   *
   * @param dayAlone whether it is that of a day's bar: the day as it is written, whatever its zone
   */
  long nanos(String field, String text, boolean dayAlone) throws BadRowException {
    long quick = dayAlone ? -1 : unit == null ? onSameDay(text) : inSameUnit(text);
    if (quick >= 0) { // nearly all
      return quick;
    }
    if (!dayAlone && DecimalField.isNumber(text)) {
      BigDecimal number = DecimalField.parse(text);
      Unit told = unit != null && number != null && unit.fits(number) ? unit : unit(number);
      if (told != null) {
        return nanos(field, text, number, told);
      }
    }
    Written written = written(text);
    if (written == null) {
      String rule = DecimalField.isNumber(text) ? NUMBER_RANGE : NO_TIME;
      throw new BadRowException(field, dayAlone ? NO_DAY : explain(text, rule), text);
    }
    if (dayAlone && written.clockNanos != 0) {
      throw new BadRowException(
          field, "must be a day at 00:00, for bars of less than a day are not read", text);
    }
    long nanos = inRange(field, text, written.nanos(dayAlone), dayAlone);
    dayNanos = new Written(written.day, 0, 0).nanos(true);
    day = dayNanos < LEAST_NANOS ? null : written.day.toString();
    return nanos;
  }

  private long inSameUnit(String text) {
    long number = DecimalField.digits(text, 0, text.length());
    return unit.fits(number) ? number * unit.nanos : -1;
  }

  /**
   * Reads the commonest form, as {@code 2024-01-03T09:30:00.5Z}, where the day is that of the time
   * before: so there is no calendar in it.
   *
   * @return -1 if it is any other text, a time or not
   */
  private long onSameDay(String text) {
    int end = text.length() - (text.endsWith("Z") ? 1 : text.endsWith("+00:00") ? 6 : 0);
    if (day == null || end < SECOND_END || end > NANO_END || !text.startsWith(day)) {
      return -1;
    }
    char between = text.charAt(10);
    long hour = DecimalField.digits(text, 11, 13);
    long minute = DecimalField.digits(text, 14, 16);
    long second = DecimalField.digits(text, 17, SECOND_END);
    long fraction = end == SECOND_END ? 0 : DecimalField.digits(text, SECOND_END + 1, end);
    boolean isForm =
        (between == 'T' || between == ' ')
            && text.charAt(13) == ':'
            && text.charAt(16) == ':'
            && (end == SECOND_END || text.charAt(SECOND_END) == '.');
    boolean isClock = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0;
    if (!isForm || !isClock || second >= 60 || fraction < 0) {
      return -1;
    }
    for (int i = end; i < NANO_END; i++) {
      fraction *= 10;
    }
    // Negative in the last hours of the range: a long has no room for them.
    return dayNanos + ((hour * 60 + minute) * 60 + second) * 1_000_000_000L + fraction;
  }

  /** Reads a time that is a day in one column and a time of day in another. */
  long nanos(String dayField, String day, String clockField, String clock, boolean dayAlone)
      throws BadRowException {
    Written written = written(day);
    if (written == null || written.clockNanos != 0) {
      throw new BadRowException(dayField, NO_DAY, day);
    }
    Matcher matcher = TIME_OF_DAY.matcher(clock.strip());
    boolean isAmbiguous = clock.strip().length() == 4; // 0930, but also so many seconds
    if (isAmbiguous || !matcher.matches() || clockNanos(matcher) < 0) {
      throw new BadRowException(clockField, explain(clock, NO_CLOCK), clock);
    }
    Written both = new Written(written.day, clockNanos(matcher), written.offsetSeconds);
    if (dayAlone && both.clockNanos != 0) {
      throw new BadRowException(
          clockField, "must be 00:00, for bars of less than a day are not read", clock);
    }
    return inRange(dayField, day, both.nanos(dayAlone), dayAlone);
  }

  private static long inRange(String field, String text, long nanos, boolean dayAlone)
      throws BadRowException {
    if (nanos < (dayAlone ? 0 : LEAST_NANOS)) { // a day's bar of the seventies says what it is
      throw new BadRowException(field, dayAlone ? DAY_RANGE : RANGE, text);
    }
    return nanos;
  }

  private long nanos(String field, String text, BigDecimal number, Unit told)
      throws BadRowException {
    unit = unit == null ? told : unit;
    if (told != unit) {
      String name = unit.name().toLowerCase(Locale.ROOT);
      throw new BadRowException(field, "must be in " + name + " as the first one", text);
    }
    boolean isCut =
        text.indexOf('e') >= 0 || text.indexOf('E') >= 0; // 1.70427E+12: seconds are gone
    if (isCut && text.replaceAll("[eE].*|[^0-9]", "").length() < MIN_DIGITS) {
      throw new BadRowException(
          field, "must have all its digits: its exponent stands for some", text);
    }
    return unit.nanos(number);
  }

  private static Unit unit(BigDecimal number) {
    return number == null ? null : Unit.of(number);
  }

  /** Words for forms of ISO 8601 that are not read; else the rule as it is. */
  private static String explain(String text, String rule) {
    return text.strip().matches("(.*[ TtD])?\\d\\d?:\\d\\d:60([.,]\\d+)?\\D*.*")
        ? "must have seconds in 0..59, for leap seconds are not read"
        : rule;
  }

  /** What is written: a day, how far into it, and how far its clock is ahead of UTC. */
  private record Written(LocalDate day, long clockNanos, int offsetSeconds) {
    /** Nanoseconds since 1970; -1 if a long cannot hold them. */
    long nanos(boolean dayAlone) {
      try {
        long seconds = Math.multiplyExact(day.toEpochDay(), DAY_SECONDS);
        long nanos = dayAlone ? 0 : clockNanos - offsetSeconds * 1_000_000_000L;
        return Math.addExact(Math.multiplyExact(seconds, 1_000_000_000L), nanos);
      } catch (ArithmeticException e) {
        return -1;
      }
    }
  }

  /** Reads a date and what follows it; null if it is none. */
  private static Written written(String text) {
    Matcher matcher = WRITTEN.matcher(text.strip());
    if (!matcher.matches()) {
      return null;
    }
    try {
      LocalDate day =
          LocalDate.of(number(matcher, "year"), number(matcher, "month"), number(matcher, "day"));
      boolean isDay = matcher.group("hour") == null && matcher.group("hh") == null;
      long clock = isDay ? 0 : clockNanos(matcher);
      String zone = matcher.group("zone");
      boolean isUtc = zone == null || "ZzUTCGMT".contains(zone);
      int offset = isUtc ? 0 : ZoneOffset.of(zone).getTotalSeconds();
      return clock < 0 ? null : new Written(day, clock, offset);
    } catch (DateTimeException e) {
      return null;
    }
  }

  /** Nanoseconds into the day, up to its end, 24:00; -1 if there is no such time. */
  private static long clockNanos(Matcher matcher) {
    boolean colons = matcher.group("hour") != null;
    int hour = number(matcher, colons ? "hour" : "hh");
    int minute = number(matcher, colons ? "minute" : "mm");
    int second = number(matcher, colons ? "second" : "ss");
    String digits = matcher.group(colons ? "fraction" : "f");
    digits = digits == null ? matcher.group("fff") : digits;
    String fraction = digits == null ? "" : digits;
    String nine = fraction.substring(0, Math.min(fraction.length(), NANO_DIGITS));
    long nanos = Long.parseLong(nine + "0".repeat(NANO_DIGITS - nine.length()));
    if (hour == 24 && minute == 0 && second == 0 && nanos == 0) {
      return DAY_SECONDS * 1_000_000_000L;
    }
    return hour > 23 || minute > 59 || second > 59
        ? -1
        : LocalTime.of(hour, minute, second, (int) nanos).toNanoOfDay();
  }

  private static int number(Matcher matcher, String group) {
    String digits = matcher.group(group);
    return digits == null ? 0 : Integer.parseInt(digits);
  }
}
