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
    Work work = one.row().work();
    String line =
        String.format(
            Locale.ROOT,
            "%-28s %-10s %-22s %-5s idle %-2d %6s  %-14s  %s (%d, %d samples)",
            work.id(),
            one.measure().text(),
            one.peer().id(),
            one.placement().text(),
            one.idle(),
            one.ratio().text(),
            one.ratio().interval(),
            one.target().map(target -> "target " + target).orElse(""),
            one.ours().size(),
            one.theirs().size());
    return work.isOversubscribed(processors) ? line + " oversubscribed" : line;
  }
}
