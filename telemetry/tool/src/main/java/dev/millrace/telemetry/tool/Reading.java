package dev.millrace.telemetry.tool;

import dev.millrace.telemetry.TelemetryReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The value of a counter or gauge at one moment.
 *
 * @param label its label
 * @param isGauge whether it is a gauge, which rises and falls, or a counter, which only rises
 * @param value its value
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

  /**
   * Returns whether both readings may be of the same counter, with {@code before} the earlier one.
   * A counter never falls, so a lower value is from a new counter.
   */
  boolean isAfter(Reading before) {
    return before != null && before.isGauge == isGauge && (isGauge || before.value <= value);
  }

  /** Returns the word for its kind that all commands use. */
  String kind() {
    return isGauge ? "gauge" : "counter";
  }
}
