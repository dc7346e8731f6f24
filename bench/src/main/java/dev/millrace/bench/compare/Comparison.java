package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Ours beside one peer, at one placement of the cores.
 *
 * @param row what was done
 * @param measure records per second, or a percentile of round trips
 * @param peer beside whom
 * @param placement where the cores were
 * @param idle how often a side paused after an attempt in vain
 * @param ratio how much faster ours was
 * @param bytesPerRecord heap that ours allocated per record, the most of all samples
 */
record Comparison(
    Row row,
    String measure,
    Contenders peer,
    Placement placement,
    int idle,
    Ratio ratio,
    double bytesPerRecord) {
  /** All that the samples allow. */
  static List<Comparison> of(Results results) {
    List<Comparison> all = new ArrayList<>();
    for (Row row : Row.all()) {
      for (int idle : results.idles(row)) {
        for (Placement placement : Placement.COMPARED) {
          for (Contenders peer : row.peers()) {
            compare(results, row, peer, placement, idle).forEach(all::add);
          }
        }
      }
    }
    return all;
  }

  private static List<Comparison> compare(
      Results results, Row row, Contenders peer, Placement placement, int idle) {
    List<Sample> ours = samples(results, row, row.ours(), placement, idle);
    List<Sample> peers = samples(results, row, peer, placement, idle);
    if (ours.isEmpty() || peers.isEmpty()) {
      return List.of();
    }
    double bytes =
        ours.stream().mapToDouble(sample -> sample.measured().bytesPerRecord()).max().orElseThrow();
    if (!row.work().shape().isTimed()) {
      Ratio ratio =
          Ratio.ofSpeeds(values(ours, Measured::perSecond), values(peers, Measured::perSecond));
      return List.of(new Comparison(row, "throughput", peer, placement, idle, ratio, bytes));
    }
    Ratio p50 = Ratio.ofTimes(values(ours, Measured::p50), values(peers, Measured::p50));
    Ratio p99 = Ratio.ofTimes(values(ours, Measured::p99), values(peers, Measured::p99));
    return List.of(
        new Comparison(row, "p50", peer, placement, idle, p50, bytes),
        new Comparison(row, "p99", peer, placement, idle, p99, bytes));
  }

  /** Those that count. */
  static List<Sample> samples(
      Results results, Row row, Contenders contender, Placement placement, int idle) {
    return results.samples().stream()
        .filter(sample -> sample.failure() == null)
        .filter(sample -> sample.isOf(row, contender))
        .filter(sample -> sample.idle() == idle && sample.placement() == placement)
        .toList();
  }

  private static double[] values(List<Sample> samples, ToDoubleFunction<Measured> value) {
    return samples.stream().map(Sample::measured).mapToDouble(value).toArray();
  }

  /** The ratio to reach, if there is one: of cores that are far apart it is the peer's speed. */
  Optional<Double> target() {
    double near = row.targetAgainst(peer);
    if (near == 0) {
      return Optional.empty();
    }
    return Optional.of(placement == Placement.NEAR ? near : 1.0);
  }
}
