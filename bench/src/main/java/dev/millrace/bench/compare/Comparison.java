package dev.millrace.bench.compare;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.report.Ratio;
import dev.millrace.report.Tone;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Ours beside one peer, at one placement of the cores.
 *
 * @param row what was done
 * @param measure what of it
 * @param peer beside whom
 * @param placement where the cores were
 * @param idle how often a side paused after an attempt in vain
 * @param ratio how much faster ours was
 * @param ours the samples of ours
 * @param theirs those of the peer
 */
record Comparison(
    Row row,
    Measure measure,
    Contenders peer,
    Placement placement,
    int idle,
    Ratio ratio,
    List<Sample> ours,
    List<Sample> theirs) {
  /**
   * What a ratio amounts to. It is the ratio that decides, not its interval.
   *
   * @param isSure whether the interval holds one answer only
   */
  record Verdict(Tone tone, String word, boolean isSure) {
    String text() {
      return isSure ? word : word + ", not certain";
    }
  }

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
    List<Sample> theirs = samples(results, row, peer, placement, idle);
    if (ours.isEmpty() || theirs.isEmpty()) {
      return List.of();
    }
    return row.work().shape().measures().stream()
        .map(
            measure ->
                new Comparison(
                    row, measure, peer, placement, idle, measure.ratio(ours, theirs), ours, theirs))
        .toList();
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

  /** The ratio to reach, if there is one: of cores that are far apart it is the peer's speed. */
  Optional<Double> target() {
    double near = row.targetAgainst(peer);
    if (near == 0) {
      return Optional.empty();
    }
    return Optional.of(placement == Placement.NEAR ? near : 1.0);
  }

  Verdict verdict() {
    double low = ratio.low();
    double high = ratio.high();
    if (target().isPresent()) {
      double target = target().orElseThrow();
      return ratio.value() >= target
          ? new Verdict(Tone.CLEAR, "met", low >= target)
          : new Verdict(Tone.BAD, ratio.value() < 1 ? "missed, slower" : "missed", high < target);
    }
    if (low > 1) {
      return new Verdict(Tone.CLEAR, "faster", true);
    }
    return high < 1
        ? new Verdict(Tone.BAD, "slower", true)
        : new Verdict(Tone.PLAIN, "no difference shown", true);
  }

  /** The work's name, with what tells it from other lines of the same. */
  String name() {
    String name = row.work().id();
    name += measure == Measure.THROUGHPUT ? "" : "-" + measure.text();
    return idle == Work.USUAL_IDLE ? name : name + "-idle" + idle;
  }

  /** The peer's title, with what tells it from other lines of the work. */
  String label() {
    String label = peer.title();
    label += row.work().shape().measures().size() == 1 ? "" : ", " + measure.text();
    return idle == Work.USUAL_IDLE ? label : label + ", idle " + idle;
  }

  /** Heap that ours allocated per record, the most of all samples. */
  double bytesPerRecord() {
    return ours.stream().mapToDouble(one -> one.measured().bytesPerRecord()).max().orElseThrow();
  }

  String interval() {
    return Double.isInfinite(ratio.high())
        ? "no interval"
        : String.format(Locale.ROOT, "%,.2f..%,.2f", ratio.low(), ratio.high());
  }

  String targetText() {
    return target().map(one -> String.format(Locale.ROOT, "%.2f", one)).orElse("–");
  }
}
