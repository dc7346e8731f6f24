package dev.millrace.bench.compare;

import java.util.Locale;

/** The ratios as lines of text. */
final class Console {
  private Console() {}

  static void print(Results results) {
    int processors = results.machine().processors();
    for (Comparison one : Comparison.of(results)) {
      System.out.println(line(one, processors));
    }
    for (Sample sample : results.samples()) {
      if (sample.failure() != null) {
        System.out.printf(
            "%s %s failed: %s%n",
            sample.work(),
            sample.contender(),
            sample.failure().lines().findFirst().orElse("no message"));
      }
    }
  }

  static String line(Comparison one, int processors) {
    Ratio ratio = one.ratio();
    Work work = one.row().work();
    String line =
        String.format(
            Locale.ROOT,
            "%-28s %-10s %-22s %-5s idle %-2d %6.2f  %-14s  %s (%d, %d samples)",
            work.id(),
            one.measure(),
            one.peer().id(),
            one.placement().text(),
            one.idle(),
            ratio.value(),
            interval(ratio),
            one.target().map(target -> "target " + target).orElse(""),
            ratio.ourSamples(),
            ratio.peerSamples());
    return work.isOversubscribed(processors) ? line + " oversubscribed" : line;
  }

  /** Of too few samples there is none. */
  private static String interval(Ratio ratio) {
    return Double.isInfinite(ratio.high())
        ? "-"
        : String.format(Locale.ROOT, "[%.2f, %.2f]", ratio.low(), ratio.high());
  }
}
