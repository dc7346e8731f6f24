package dev.millrace.disruptor;

import dev.millrace.core.Measured;
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
    return of(source.metrics());
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
}
