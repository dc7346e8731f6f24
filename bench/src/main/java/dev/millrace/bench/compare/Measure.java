package dev.millrace.bench.compare;

import dev.millrace.bench.harness.Ratio;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What of two contenders' figures is compared. */
enum Measure {
  /** Records per second. */
  THROUGHPUT("throughput", Measured::perSecond),
  /** The average of times. */
  MEAN("mean", Measured::mean),
  /** Their median. */
  P50("p50", Measured::p50),
  /** Their 99th percentile. */
  P99("p99", Measured::p99),
  /** Their 99.9th percentile. */
  P999("p99.9", Measured::p999),
  /** Processor time per record. */
  CPU("cpu", Measured::cpuNanos);

  /** As reports say it. */
  final String text;

  @SuppressWarnings("ImmutableEnumChecker") // a method reference without state
  private final ToDoubleFunction<Measured> figure;

  Measure(String text, ToDoubleFunction<Measured> figure) {
    this.text = text;
    this.figure = figure;
  }

  /** How many times faster ours is. */
  Ratio ratio(List<Sample> ours, List<Sample> peers) {
    return this == THROUGHPUT
        ? Ratio.ofSpeeds(figures(ours), figures(peers))
        : Ratio.ofTimes(figures(ours), figures(peers));
  }

  private double[] figures(List<Sample> samples) {
    return samples.stream().map(Sample::measured).mapToDouble(figure).toArray();
  }
}
