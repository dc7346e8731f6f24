package dev.millrace.bench.compare;

import dev.millrace.report.Ratio;
import java.util.List;

/** What of two contenders' figures is compared. */
enum Measure {
  /** Records per second. */
  THROUGHPUT("throughput"),
  /** The average of times. */
  MEAN("mean"),
  /** Their median. */
  P50("p50"),
  /** Their 99th percentile. */
  P99("p99"),
  /** Their 99.9th percentile. */
  P999("p99.9"),
  /** Processor time per record, of the threads that wait. */
  CPU("cpu");

  private final String text;

  Measure(String text) {
    this.text = text;
  }

  /** As reports say it. */
  String text() {
    return text;
  }

  /** How many times faster ours is. */
  Ratio ratio(List<Sample> ours, List<Sample> peers) {
    return this == THROUGHPUT
        ? Ratio.ofSpeeds(figures(ours), figures(peers))
        : Ratio.ofTimes(figures(ours), figures(peers));
  }

  private double[] figures(List<Sample> samples) {
    return samples.stream().map(Sample::measured).mapToDouble(this::of).toArray();
  }

  private double of(Measured measured) {
    return switch (this) {
      case THROUGHPUT -> measured.perSecond();
      case MEAN -> measured.mean();
      case P50 -> measured.p50();
      case P99 -> measured.p99();
      case P999 -> measured.p999();
      case CPU -> measured.cpuNanos();
    };
  }
}
