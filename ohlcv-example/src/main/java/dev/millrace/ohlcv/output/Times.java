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
  private static final String DAY = "yyyy-MM-dd";

  private Times() {}

  /** A time that is a multiple of the given step. */
  public static String text(long timeNanos, long stepNanos) {
    String hours = stepNanos % DAY_NANOS == 0 ? "" : " HH:mm";
    String seconds = stepNanos % MINUTE_NANOS == 0 ? "" : ":ss";
    String millis = stepNanos % SECOND_NANOS == 0 ? "" : ".SSS";
    return DateTimeFormatter.ofPattern(DAY + hours + seconds + millis, Locale.ROOT)
        .withZone(ZoneOffset.UTC)
        .format(Instant.EPOCH.plusNanos(timeNanos));
  }

  /** A time of any kind, to the second. */
  public static String text(long timeNanos) {
    return text(timeNanos, SECOND_NANOS);
  }
}
