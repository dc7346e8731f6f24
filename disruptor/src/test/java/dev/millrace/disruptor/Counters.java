package dev.millrace.disruptor;

import dev.millrace.core.Measured;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The counts that a sequencer, ring or pipeline reports of its producers. */
record Counters(
    long claimed,
    long aborted,
    long dropped,
    long signalled,
    long refused,
    long stalled,
    long outOfUse) {
  static Counters of(Measured source) {
    return of(metricsOf(source));
  }

  static Counters of(Map<String, Long> metrics) {
    return new Counters(
        metrics.get("claimed"),
        metrics.get("aborted"),
        metrics.get("dropped"),
        metrics.get("signalled"),
        metrics.get("refused"),
        metrics.get("stalled"),
        metrics.get("outOfUse"));
  }

  /** All metrics by their names. */
  static Map<String, Long> metricsOf(Measured source) {
    List<Measured.Metric> metrics = source.metrics();
    long[] values = new long[metrics.size()];
    source.readMetrics(values);
    Map<String, Long> byName = new HashMap<>();
    for (int i = 0; i < values.length; i++) {
      byName.put(metrics.get(i).name(), values[i]);
    }
    return byName;
  }
}
