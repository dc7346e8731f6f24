package dev.millrace.telemetry.tool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A table of counters and gauges, with their change since it was made last. */
final class ReadingTable {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double SMALL_RATE = 100;

  private final String labelPrefix;
  private Map<String, Reading> former = Map.of();
  private long formerNanoTime;

  /** Makes a table of those whose labels have a prefix. */
  ReadingTable(String labelPrefix) {
    this.labelPrefix = labelPrefix;
  }

  /**
   * Returns the lines of the table, at most {@code room}. Those that do not fit are left out and
   * counted.
   */
  List<String> look(List<Reading> readings, long nanoTime, int room) {
    double seconds = (nanoTime - formerNanoTime) / NANOS_PER_SECOND;
    TextTable table = new TextTable("label", "kind", "#value", "#per second");
    Map<String, Reading> seen = new HashMap<>();
    for (Reading one : readings) {
      Reading before = former.get(one.label());
      seen.put(one.label(), one);
      if (one.label().startsWith(labelPrefix)) {
        table.add(
            Escapes.plain(one.label()),
            one.kind(),
            String.format(Locale.ROOT, "%,d", one.value()),
            seconds > 0 && one.isAfter(before)
                ? rate((one.value() - before.value()) / seconds)
                : "");
      }
    }
    former = seen;
    formerNanoTime = nanoTime;
    List<String> all = table.lines();
    if (all.size() <= room) {
      return all;
    }
    int shown = Math.max(1, room - 1); // always show the head
    List<String> lines = new ArrayList<>(all.subList(0, shown));
    lines.add(String.format(Locale.ROOT, "and %,d more", all.size() - shown));
    return lines;
  }

  private static String rate(double perSecond) {
    boolean isSmall = Math.abs(perSecond) < SMALL_RATE && perSecond != 0;
    return String.format(Locale.ROOT, isSmall ? "%,.1f" : "%,.0f", perSecond);
  }
}
