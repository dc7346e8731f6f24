package dev.millrace.ohlcv.candle;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a candle is. Candles start at multiples of it since 1970-01-01 UTC; those of whole weeks
 * on a Monday.
 *
 * @param nanos the length in nanoseconds
 * @param originNanos a time at which a candle starts, in nanoseconds since 1970; not before, so
 *     that the last times of a long do not overflow
 * @param text as the user wrote it, such as {@code 5m}
 */
public record Interval(long nanos, long originNanos, String text) {
  private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m|h|d|w)");
  private static final long DAY_NANOS = Duration.ofDays(1).toNanos();
  private static final long THURSDAY_NANOS = 3 * DAY_NANOS; // from Monday to 1970-01-01
  private static final long MAX_NANOS = 3_650 * DAY_NANOS;

  /**
   * Reads a number and a unit, such as {@code 1s}, {@code 5m}, {@code 1h}, {@code 1d}, {@code 1w}.
   *
   * @throws IllegalArgumentException if it is of another form, or longer than ten years
   */
  public static Interval parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw refused("must be a number and ms, s, m, h, d or w", text);
    }
    Duration unit =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(1);
          case "s" -> Duration.ofSeconds(1);
          case "m" -> Duration.ofMinutes(1);
          case "h" -> Duration.ofHours(1);
          case "d" -> Duration.ofDays(1);
          default -> Duration.ofDays(7);
        };
    long count = Long.parseLong(matcher.group(1));
    if (count > MAX_NANOS / unit.toNanos()) {
      throw refused("must be at most 3650d", text);
    }
    long nanos = count * unit.toNanos();
    return new Interval(nanos, text.endsWith("w") ? nanos - THURSDAY_NANOS : 0, text);
  }

  /** The number of the candle that a time falls into; it rises by one from candle to candle. */
  public long bucket(long timeNanos) {
    return Math.floorDiv(timeNanos - originNanos, nanos);
  }

  /** When a candle starts, in nanoseconds since 1970. */
  public long openTimeNanos(long bucket) {
    return bucket * nanos + originNanos;
  }

  /** Whether each of its candles is made of whole ones of another interval. */
  public boolean isMultipleOf(Interval other) {
    return nanos % other.nanos == 0 && (originNanos - other.originNanos) % other.nanos == 0;
  }

  /** Whether this is a whole number of days, so that daily bars fit into it. */
  public boolean isWholeDays() {
    return nanos % DAY_NANOS == 0;
  }

  @Override
  public String toString() {
    return text;
  }

  private static IllegalArgumentException refused(String rule, String text) {
    return new IllegalArgumentException("--interval " + rule + ": --interval=" + text);
  }
}
