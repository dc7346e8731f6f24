package dev.millrace.ohlcv.input;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads times into nanoseconds since 1970: numbers in a unit that is given or told by their size,
 * and dates as in ISO 8601, with {@code T}, a space or BitMEX's {@code D} between day and time, UTC
 * where no zone is given. What is finer than a nanosecond is cut off.
 *
 * <p>Reading needs no other row. Where the unit is not given, all numbers must be in that of the
 * first, which {@link #nanos} sees to: it is called in the order of the rows.
 */
final class TimeField {
  private static final Pattern WRITTEN =
      Pattern.compile(
          "(\\d{4})[-/](\\d{2})[-/](\\d{2})" // day
              + "(?:[TtD ](\\d{2}:\\d{2})(?:(:\\d{2})(?:[.,](\\d{1,9})\\d{0,3})?)?" // time
              + " ?(?:Z|z|UTC|GMT|([+-]\\d{2}(?::?\\d{2})?))?)?"); // zone
  private static final String RANGE = "must be in 1970-01-01..2262-04-11";

  private final boolean isGiven;
  private EpochUnit unit; // null until the first number tells it

  /**
   * A time.
   *
   * @param text as it stands in the file
   * @param number null if it is written as a date
   * @param nanos only of a date
   */
  record Time(String text, BigDecimal number, long nanos) {}

  /** Takes numbers in the given unit; null if the first is to tell it. */
  TimeField(EpochUnit given) {
    this.unit = given;
    this.isGiven = given != null;
  }

  /** Whether it is a date. */
  static boolean isWritten(String text) {
    return WRITTEN.matcher(text.strip()).matches();
  }

  /** Reads a time. */
  static Time read(String field, String text) throws BadRowException {
    if (!DecimalField.isNumber(text)) {
      return readWritten(field, text, false);
    }
    BigDecimal number = DecimalField.parse(text);
    if (number == null || number.signum() < 0) {
      throw new BadRowException(field, RANGE, text);
    }
    return new Time(text, number, 0);
  }

  /** Reads the day alone, as it is written, whatever its zone. */
  static Time readDay(String field, String text) throws BadRowException {
    return readWritten(field, text, true);
  }

  /** Nanoseconds since 1970. */
  long nanos(String field, Time time) throws BadRowException {
    if (time.number == null) {
      return time.nanos;
    }
    EpochUnit told = EpochUnit.ofMagnitude(time.number);
    unit = unit == null ? told : unit;
    BigInteger nanos = unit.nanos(time.number);
    if (nanos.bitLength() >= Long.SIZE) {
      throw new BadRowException(field, RANGE + " in " + unit, time.text);
    }
    if (!isGiven && told != unit) {
      throw new BadRowException(
          field, "must be in " + unit + " as the first one, or --time-unit be given", time.text);
    }
    return nanos.longValue();
  }

  private static Time readWritten(String field, String text, boolean dayAlone)
      throws BadRowException {
    Matcher written = WRITTEN.matcher(text.strip());
    if (!written.matches()) {
      String rule = dayAlone ? "a date as in 2023-09-20" : "a time, as a number or as in ISO 8601";
      throw new BadRowException(field, "must be " + rule, text);
    }
    try {
      long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, instant(written, dayAlone));
      if (nanos >= 0) {
        return new Time(text, null, nanos);
      }
    } catch (DateTimeException e) {
      throw new BadRowException(field, "must be a day of the calendar and a time of day", text);
    } catch (ArithmeticException e) {
      // too late for a long: refused as what is too early
    }
    throw new BadRowException(field, RANGE, text);
  }

  private static Instant instant(Matcher written, boolean dayAlone) {
    LocalDate day =
        LocalDate.parse(written.group(1) + "-" + written.group(2) + "-" + written.group(3));
    LocalTime time = LocalTime.MIDNIGHT;
    if (!dayAlone && written.group(4) != null) {
      String fraction = written.group(6) == null ? "" : "." + written.group(6);
      String seconds = written.group(5) == null ? "" : written.group(5) + fraction;
      time = LocalTime.parse(written.group(4) + seconds);
    }
    boolean isUtc = dayAlone || written.group(7) == null;
    return day.atTime(time).toInstant(isUtc ? ZoneOffset.UTC : ZoneOffset.of(written.group(7)));
  }
}
