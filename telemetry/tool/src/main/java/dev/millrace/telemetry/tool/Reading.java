package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A counter or gauge as it was seen.
 *
 * @param label what it is called
 * @param isGauge whether it rises and falls, or only rises
 * @param value the value
 */
record Reading(String label, boolean isGauge, long value) {
  /** Reads all counters and gauges of a file, sorted by label. */
  static List<Reading> readAll(Path file, TelemetryReader reader) throws IOException {
    List<Reading> readings = new ArrayList<>();
    TelemetryFiles.read(file, reader::counters)
        .forEach((label, value) -> readings.add(new Reading(label, false, value)));
    TelemetryFiles.read(file, reader::gauges)
        .forEach((label, value) -> readings.add(new Reading(label, true, value)));
    readings.sort(Comparator.comparing(Reading::label));
    return readings;
  }

  /** Whether it may be of the same counter as an earlier one; a counter that fell is a new one. */
  boolean isAfter(Reading before) {
    return before != null && before.isGauge == isGauge && (isGauge || before.value <= value);
  }

  /** What it is called everywhere. */
  String kind() {
    return isGauge ? "gauge" : "counter";
  }
}
