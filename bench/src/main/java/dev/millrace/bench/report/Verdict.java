package dev.millrace.bench.report;

import dev.millrace.report.Tone;

/**
 * What a ratio amounts to. It is the ratio that decides, not its interval; where the interval holds
 * the target, and thus both answers, the verdict says so.
 *
 * @param tone how much it should be noticed
 * @param word the verdict, in a word or two
 * @param why what else is to be known, or null
 */
public record Verdict(Tone tone, String word, String why) {
  private static final String UNSURE = "not certain";

  /** Of a ratio and its interval; the target may be null. */
  static Verdict of(double ratio, double low, double high, Double target) {
    if (target == null) {
      return withoutTarget(low, high);
    }
    if (ratio >= target) {
      return new Verdict(Tone.CLEAR, "met", low < target ? UNSURE : null);
    }
    String word = ratio < 1 ? "missed, slower" : "missed";
    return new Verdict(Tone.BAD, word, high >= target ? UNSURE : null);
  }

  private static Verdict withoutTarget(double low, double high) {
    if (low > 1) {
      return new Verdict(Tone.CLEAR, "faster", null);
    }
    return high < 1
        ? new Verdict(Tone.BAD, "slower", null)
        : new Verdict(Tone.PLAIN, "no difference shown", null);
  }
}
