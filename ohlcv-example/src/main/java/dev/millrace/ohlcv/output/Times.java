package dev.millrace.ohlcv.output;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Times for people, in UTC, no longer than the interval needs. */
public final class Times {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long MINUTE_NANOS = 60 * SECOND_NANOS;
  private static final long DAY_NANOS = 1_440 * MINUTE_NANOS;
  private static final DateTimeFormatter DAY = formatter("yyyy-MM-dd");
  private static final DateTimeFormatter MINUTE = formatter("yyyy-MM-dd HH:mm");
  private static final DateTimeFormatter SECOND = formatter("yyyy-MM-dd HH:mm:ss");
  private static final DateTimeFormatter MILLI = formatter("yyyy-MM-dd HH:mm:ss.SSS");

  private Times() {}

  /** A time that is a multiple of the given step. */
  public static String text(long timeNanos, long stepNanos) {
    DateTimeFormatter formatter =
        stepNanos % DAY_NANOS == 0
            ? DAY
            : stepNanos % MINUTE_NANOS == 0
                ? MINUTE
                : stepNanos % SECOND_NANOS == 0 ? SECOND : MILLI;
    return formatter.format(
        Instant.ofEpochSecond(
            Math.floorDiv(timeNanos, SECOND_NANOS), Math.floorMod(timeNanos, SECOND_NANOS)));
  }

  /** A time of any kind, to the second. */
  public static String text(long timeNanos) {
    return text(timeNanos, SECOND_NANOS);
  }

  private static DateTimeFormatter formatter(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }
}
