package dev.millrace.ohlcv.candle;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a candle is. Candles start at multiples of it since 1970-01-01 UTC; those of whole weeks
 * on a Monday.
 *
 * @param nanos the length in nanoseconds
 * @param originNanos a time at which a candle starts, in nanoseconds since 1970
 * @param text as the user wrote it, such as {@code 5m}
 */
public record Interval(long nanos, long originNanos, String text) {
  private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,8})(ms|s|m|h|d|w)");
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long DAY_NANOS = 86_400 * SECOND_NANOS;
  private static final long MONDAY_NANOS = -3 * DAY_NANOS; // 1970-01-01 was a Thursday
  private static final long MAX_NANOS = 3_650 * DAY_NANOS;
  private static final Map<String, Long> UNIT_NANOS =
      Map.of(
          "ms",
          1_000_000L,
          "s",
          SECOND_NANOS,
          "m",
          60 * SECOND_NANOS,
          "h",
          3_600 * SECOND_NANOS,
          "d",
          DAY_NANOS,
          "w",
          7 * DAY_NANOS);

  /**
   * Reads a number and a unit.
   *
   * @param text such as {@code 1s}, {@code 5m}, {@code 1h}, {@code 1d}, {@code 1w}
   * @return the interval
   * @throws IllegalArgumentException if it is of another form, or longer than ten years
   */
  public static Interval parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw refused("must be a number and ms, s, m, h, d or w", text);
    }
    long unitNanos = UNIT_NANOS.get(matcher.group(2));
    long count = Long.parseLong(matcher.group(1));
    if (count > MAX_NANOS / unitNanos) {
      throw refused("must be at most 3650d", text);
    }
    long originNanos = matcher.group(2).equals("w") ? MONDAY_NANOS : 0;
    return new Interval(count * unitNanos, originNanos, text);
  }

  /**
   * The number of the candle that a time falls into.
   *
   * @return it rises by one from candle to candle
   */
  public long bucket(long timeNanos) {
    return Math.floorDiv(timeNanos - originNanos, nanos);
  }

  /**
   * When a candle starts.
   *
   * @return nanoseconds since 1970
   */
  public long openTimeNanos(long bucket) {
    return bucket * nanos + originNanos;
  }

  /**
   * Whether this is a whole number of days, so that daily bars fit into it.
   *
   * @return true from one day on
   */
  public boolean isWholeDays() {
    return nanos % DAY_NANOS == 0;
  }

  @Override
  public String toString() {
    return text;
  }

  private static IllegalArgumentException refused(String rule, String text) {
    return new IllegalArgumentException("interval " + rule + ": interval=" + text);
  }
}
