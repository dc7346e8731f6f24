package dev.millrace.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name that a metric has in Micrometer: in lower case, with dots between words and without the
 * unit, which Micrometer keeps apart.
 *
 * @param name the name
 * @param unit the unit of the metric's values
 */
record MeterName(String name, Unit unit) {
  private static final Pattern NEXT_WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

  /** A unit, which is the last word of a metric's name. */
  enum Unit {
    NONE("", null, 1),
    BYTES("bytes", "bytes", 1),
    NANOS("nanos", "seconds", 1e9),
    THOUSANDTHS("thousandths", null, 1e3);

    private final String word;
    private final @Nullable String base; // the unit that is published, or null
    private final double perBase;

    Unit(String word, @Nullable String base, double perBase) {
      this.word = word;
      this.base = base;
      this.perBase = perBase;
    }

    private static Unit of(String dotted) {
      String last = dotted.substring(dotted.lastIndexOf('.') + 1);
      for (Unit unit : values()) {
        if (unit.word.equals(last)) {
          return unit;
        }
      }
      return NONE;
    }
  }

  /**
   * Makes the name of {@code metric}, which is in camel case and may have dots, such as {@code
   * feed.latencyMaxNanos}.
   */
  static MeterName of(String prefix, String metric) {
    String dotted = NEXT_WORD.matcher(metric).replaceAll(".").toLowerCase(Locale.ROOT);
    Unit unit = Unit.of(dotted);
    boolean hasUnit = unit != Unit.NONE && dotted.length() > unit.word.length();
    String bare = hasUnit ? dotted.substring(0, dotted.length() - unit.word.length() - 1) : dotted;
    return new MeterName(prefix + "." + bare, unit);
  }

  /**
   * Adds a meter to {@code registry}, or returns the one that already has this name and these tags.
   * The meter refers to {@code source} weakly and to {@code value} strongly.
   */
  <T> Meter register(
      MeterRegistry registry,
      Tags tags,
      String metric,
      boolean isCounter,
      T source,
      ToDoubleFunction<T> value) {
    String description = "The metric " + metric + " of Millrace";
    if (isCounter) {
      return FunctionCounter.builder(name, source, its -> value.applyAsDouble(its) / unit.perBase)
          .tags(tags)
          .description(description)
          .baseUnit(unit.base)
          .register(registry);
    }
    if (unit == Unit.NANOS) {
      return TimeGauge.builder(name, source, TimeUnit.NANOSECONDS, value)
          .tags(tags)
          .description(description)
          .register(registry);
    }
    return Gauge.builder(name, source, its -> value.applyAsDouble(its) / unit.perBase)
        .tags(tags)
        .description(description)
        .baseUnit(unit.base)
        .register(registry);
  }
}
