package dev.millrace.telemetry.tool;

import java.util.Locale;

/** Describes what a process left unfinished. */
final class Unfinished {
  private Unfinished() {}

  /** Returns a string such as {@code 2 records and 1 counter were unfinished}. */
  static String text(long records, long counters) {
    if (records == 0 && counters == 0) {
      return "nothing was unfinished";
    }
    String separator = records > 0 && counters > 0 ? " and " : "";
    String verb = records + counters == 1 ? " was unfinished" : " were unfinished";
    return count(records, "record") + separator + count(counters, "counter") + verb;
  }

  /**
   * Returns a string such as {@code 1 counter was unfinished}, for commands that do not read
   * records.
   */
  static String text(long counters) {
    return counters == 0 ? "no counter was unfinished" : text(0, counters);
  }

  private static String count(long number, String what) {
    return number == 0
        ? ""
        : String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
  }
}
