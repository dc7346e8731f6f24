package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Latencies;
import java.util.List;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/**
 * The samples of a contender that can be taken as one.
 *
 * @param idle how often a side paused after an attempt in vain
 * @param times all their times, so that a rare one that only one JVM saw has its true weight; none
 *     if none were taken
 */
record Group(
    Contenders contender, Placement placement, int idle, List<Sample> samples, Histogram times) {
  static Group of(Contenders contender, Placement placement, int idle, List<Sample> samples) {
    Histogram times = Latencies.newHistogram();
    samples.stream()
        .map(sample -> sample.measured().times())
        .filter(Objects::nonNull)
        .map(Latencies::decode)
        .forEach(times::add);
    return new Group(contender, placement, idle, samples, times);
  }

  /** The contender's title, with what tells it from other groups at that placement. */
  String label() {
    return label("");
  }

  /** The same with something of its own behind the title. */
  String label(String more) {
    return contender.title() + more + (idle == Work.USUAL_IDLE ? "" : ", idle " + idle);
  }

  /** Whether it is of another contender under the same conditions. */
  boolean isBeside(Group other) {
    return contender != other.contender && placement == other.placement && idle == other.idle;
  }
}
