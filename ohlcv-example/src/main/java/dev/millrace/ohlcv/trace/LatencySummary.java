package dev.millrace.ohlcv.trace;

import dev.millrace.telemetry.tool.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Percentiles of the latencies seen, for each type. */
final class LatencySummary {
  private static final long LONGEST_NANOS = 3_600_000_000_000L;
  private static final int DIGITS = 3;
  private static final double NANOS_PER_MICRO = 1e3;

  private final Map<String, Histogram> types = new TreeMap<>();

  /** Adds one. */
  void add(String type, long nanos) {
    types
        .computeIfAbsent(type, _ -> new Histogram(LONGEST_NANOS, DIGITS))
        .recordValue(Math.clamp(nanos, 0, LONGEST_NANOS));
  }

  /** A head, and a line for each type; none if there is no latency. */
  List<String> lines() {
    if (types.isEmpty()) {
      return List.of();
    }
    TextTable table = new TextTable("latency, us", "#seen", "#p50", "#p99", "#max");
    types.forEach(
        (type, all) ->
            table.add(
                type.substring(Latency.NAMES.length()),
                String.format(Locale.ROOT, "%,d", all.getTotalCount()),
                micros(all.getValueAtPercentile(50)),
                micros(all.getValueAtPercentile(99)),
                micros(all.getMaxValue())));
    return table.lines();
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%,.1f", nanos / NANOS_PER_MICRO);
  }
}
