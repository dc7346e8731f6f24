package dev.millrace.bench.compare;

import static dev.millrace.bench.harness.Table.format;

import dev.millrace.bench.compare.Sample.Placement;
import dev.millrace.bench.harness.Ratio;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ours beside one peer, at one placement of the cores and with the same idling.
 *
 * @param row what was done
 * @param measure what of it
 * @param ratio how much faster ours was
 */
record Comparison(Row row, Measure measure, Group ours, Group theirs, Ratio ratio) {
  /** Whether a verdict is against us, for us, or neither. */
  enum Tone {
    BAD,
    CLEAR,
    PLAIN
  }

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

  /** All that the samples of a work allow. */
  static List<Comparison> of(Row row, List<Group> groups) {
    List<Comparison> all = new ArrayList<>();
    for (Group ours : groups) {
      for (Group theirs : groups) {
        if (ours.contender() == row.ours() && theirs.isBeside(ours)) {
          for (Measure measure : row.work().shape().measures()) {
            Ratio ratio = measure.ratio(ours.samples(), theirs.samples());
            all.add(new Comparison(row, measure, ours, theirs, ratio));
          }
        }
      }
    }
    return all;
  }

  Contenders peer() {
    return theirs.contender();
  }

  Placement placement() {
    return ours.placement();
  }

  /** The ratio to reach, if there is one: of cores that are far apart it is the peer's speed. */
  Optional<Double> target() {
    double near = row.targetAgainst(peer());
    if (near == 0) {
      return Optional.empty();
    }
    return Optional.of(placement() == Placement.NEAR ? near : 1.0);
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
    name += measure == Measure.THROUGHPUT ? "" : "-" + measure.text;
    return ours.idle() == Work.USUAL_IDLE ? name : name + "-idle" + ours.idle();
  }

  /** The peer's title, with what tells it from other lines of the work. */
  String label() {
    boolean isOnly = row.work().shape().measures().size() == 1;
    return theirs.label(isOnly ? "" : ", " + measure.text);
  }

  /** Heap that ours allocated per record, the most of all samples. */
  double bytesPerRecord() {
    return ours.samples().stream()
        .mapToDouble(one -> one.measured().bytesPerRecord())
        .max()
        .orElseThrow();
  }

  String ratioText() {
    return format("%,.2f", ratio.value());
  }

  String interval() {
    return Double.isInfinite(ratio.high())
        ? "no interval"
        : format("%,.2f..%,.2f", ratio.low(), ratio.high());
  }

  String targetText() {
    return target().map(one -> format("%.2f", one)).orElse("–");
  }
}
