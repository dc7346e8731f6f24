package dev.millrace.telemetry.tool;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a duration between 1ms and a day, such as {@code 100ms}, {@code 1.5s}, {@code 2m} or {@code
 * 1h}.
 */
public final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h)");
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1));
  private static final Duration LEAST = Duration.ofMillis(1);
  private static final Duration MOST = Duration.ofDays(1);

  /** Called by picocli. */
  public DurationConverter() {}

  @Override
  public Duration convert(String text) {
    Matcher matcher = FORM.matcher(text);
    if (matcher.matches()) {
      BigDecimal unit = BigDecimal.valueOf(UNITS.get(matcher.group(2)).toNanos());
      Duration time = Duration.ofNanos(new BigDecimal(matcher.group(1)).multiply(unit).longValue());
      if (time.compareTo(LEAST) >= 0 && time.compareTo(MOST) <= 0) {
        return time;
      }
    }
    throw new TypeConversionException(
        "duration must be a number and ms, s, m or h, from 1ms to 24h: duration=" + text);
  }
}
