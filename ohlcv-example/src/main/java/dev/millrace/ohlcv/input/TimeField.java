package dev.millrace.ohlcv.input;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Locale;
import java.util.Objects;

/**
 * Reads times into nanoseconds since 1970: numbers in a unit that is told by their size, and dates
 * as in ISO 8601, with {@code T}, a space or BitMEX's {@code D} between day and time, UTC where no
 * zone is given. What is finer than a nanosecond is cut off.
 *
 * <p>All numbers must be in the unit of the first, so times are read in the order of the rows.
 */
final class TimeField {
  private static final DateTimeFormatter WRITTEN =
      new DateTimeFormatterBuilder()
          .appendPattern("[uuuu-MM-dd][uuuu/MM/dd][[' ']['T']['D']HH:mm[:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .appendPattern("][' ']['UTC']['GMT'][XXX][XX][X]]")
          .toFormatter(Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);
  private static final long SURE_NANOS = 1_000_000_000_000_000_000L; // 2001
  private static final String RANGE = "must be in 1970-01-01..2262-04-11";

  private Unit unit; // null until the first number tells it

  /** In what a number counts. */
  private enum Unit {
    S(9),
    MS(6),
    US(3),
    NS(0);

    private final int power; // of ten: so many nanoseconds
    private final long nanos;
    private final long least; // so many are surely counted in this unit
    private final long most; // and so many are in range

    Unit(int power) {
      this.power = power;
      this.nanos = Math.powExact(10L, power);
      this.least = SURE_NANOS / nanos;
      this.most = Long.MAX_VALUE / nanos;
    }

    /** In which a number of this size is a time of our age: 10 digits s, 13 ms, 16 us. */
    static Unit of(BigDecimal number) {
      int digits = number.precision() - number.scale();
      if (digits < 12) { // up to the year 5138
        return S;
      }
      return digits < 15 ? MS : digits < 18 ? US : NS;
    }
  }

  /** Whether it is a date. */
  static boolean isWritten(String text) {
    try {
      return WRITTEN.parse(text.strip()).isSupported(ChronoField.EPOCH_DAY);
    } catch (DateTimeException e) {
      return false;
    }
  }

  /**
   * Reads a time.
   *
   * @param dayAlone whether only the day counts, as it is written, whatever its zone
   */
  long nanos(String field, String text, boolean dayAlone) throws BadRowException {
    long number = unit == null || dayAlone ? -1 : DecimalField.digits(text);
    if (unit != null && unit.least <= number && number <= unit.most) { // nearly all
      return number * unit.nanos;
    }
    if (DecimalField.isNumber(text) && !dayAlone) {
      return nanos(field, text);
    }
    try {
      TemporalAccessor written = WRITTEN.parse(text.strip());
      LocalTime time = dayAlone ? null : written.query(TemporalQueries.localTime());
      ZoneOffset zone = dayAlone ? null : written.query(TemporalQueries.offset());
      Instant instant =
          LocalDate.from(written)
              .atTime(Objects.requireNonNullElse(time, LocalTime.MIDNIGHT))
              .toInstant(Objects.requireNonNullElse(zone, ZoneOffset.UTC));
      long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, instant);
      if (nanos >= 0) {
        return nanos;
      }
    } catch (DateTimeException e) {
      String what = dayAlone ? "a date as in 2023-09-20" : "a time, as a number or as in ISO 8601";
      throw new BadRowException(field, "must be " + what, text);
    } catch (ArithmeticException e) {
      // too late for a long: refused as what is too early
    }
    throw new BadRowException(field, RANGE, text);
  }

  private long nanos(String field, String text) throws BadRowException {
    BigDecimal number = DecimalField.parse(text);
    if (number == null || number.signum() < 0) {
      throw new BadRowException(field, RANGE, text);
    }
    Unit told = Unit.of(number);
    unit = unit == null ? told : unit;
    BigInteger nanos = number.scaleByPowerOfTen(unit.power).toBigInteger();
    String name = unit.name().toLowerCase(Locale.ROOT);
    if (nanos.bitLength() >= Long.SIZE) {
      throw new BadRowException(field, RANGE + " in " + name, text);
    }
    if (told != unit) {
      throw new BadRowException(field, "must be in " + name + " as the first one", text);
    }
    return nanos.longValue();
  }
}
