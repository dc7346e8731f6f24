package dev.millrace.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Numbers and times as people read them, the same in every locale. */
public final class Numbers {
  private static final DateTimeFormatter MINUTES =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** Makes one for a template. */
  public Numbers() {}

  /**
   * A count, such as 1,234,567.
   *
   * @param count the count
   * @return the text
   */
  public String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /**
   * A count and what is counted, such as "1 test" or "1,234 tests".
   *
   * @param count the count
   * @param one what is counted, in the singular
   * @return the text
   */
  public String count(long count, String one) {
    return count(count) + " " + (count == 1 ? one : one + "s");
  }

  /**
   * How many a second.
   *
   * @param count how many
   * @param seconds in how long
   * @return the text; a dash if it took no time
   */
  public String rate(long count, double seconds) {
    return seconds > 0 ? count((long) (count / seconds)) : "–";
  }

  /**
   * A time, such as 12.3 s.
   *
   * @param seconds the time
   * @return the text
   */
  public String seconds(double seconds) {
    long whole = Math.round(seconds);
    if (seconds < 9.95) {
      return String.format(Locale.ROOT, "%.2f s", seconds);
    }
    if (seconds < 99.95) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    if (whole < 3600) {
      return String.format(Locale.ROOT, "%d min %02d s", whole / 60, whole % 60);
    }
    long minutes = Math.round(seconds / 60);
    return String.format(Locale.ROOT, "%,d h %02d min", minutes / 60, minutes % 60);
  }

  /**
   * How many times one number is another, such as 2,500×.
   *
   * @param whole the one
   * @param part the other
   * @return the text
   */
  public String ratio(long whole, long part) {
    double ratio = (double) whole / part;
    return String.format(Locale.ROOT, ratio < 10 ? "%.1f×" : "%,.0f×", ratio);
  }

  /**
   * A point of time, to the minute.
   *
   * @param instant in ISO's form
   * @return the text
   */
  public String minute(String instant) {
    return MINUTES.format(Instant.parse(instant));
  }
}
