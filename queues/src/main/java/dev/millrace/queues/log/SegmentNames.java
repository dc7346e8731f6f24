package dev.millrace.queues.log;

import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The names of a log's files. A segment and its index are named after the segment's first number;
 * files that no log has begun yet start with a random number of the class that made them.
 */
final class SegmentNames {
  private static final String LOG = ".log";
  private static final String INDEX = ".index";
  private static final String ASIDE = ".aside";

  /** The suffix if a segment before it can be opened, so that numbers continue at its end. */
  private static final String LATER = ".later" + ASIDE;

  private static final int DIGITS = 20;
  private static final Pattern NAME = Pattern.compile("\\d{20}\\.(log|index)");
  private static final Pattern SEGMENT = Pattern.compile("\\d{20}\\.log(\\..*)?");
  private static final Pattern ANY_FIRST = Pattern.compile("\\d{20}\\.log(\\.aside\\d*)?");

  /** Files that any opening has made and not begun. */
  private static final Pattern MADE = Pattern.compile("[0-9a-f]{16}\\.(spare|ready)\\.(log|index)");

  /** The prefix of files that only this class writes, as this class loader has it. */
  private static final String OWN = "%016x.".formatted(new SecureRandom().nextLong());

  /** While it is made, or begun. */
  static final String SPARE = OWN + "spare.log";

  static final String SPARE_INDEX = OWN + "spare.index";

  /** While it waits. */
  static final String READY = OWN + "ready.log";

  static final String READY_INDEX = OWN + "ready.index";

  private SegmentNames() {}

  static String segment(long first) {
    return digits(first) + LOG;
  }

  static String index(long first) {
    return digits(first) + INDEX;
  }

  private static String digits(long first) {
    String digits = Long.toString(first);
    return "0".repeat(DIGITS - digits.length()) + digits;
  }

  /**
   * A name for a segment that is to be no part of the log any more, and that no file has yet.
   *
   * @param isLater whether a segment before it can be opened
   */
  static String aside(List<String> names, long first, boolean isLater) {
    String base = segment(first) + (isLater ? LATER : ASIDE);
    String name = base;
    for (int i = 1; names.contains(name); i++) {
      name = base + i;
    }
    return name;
  }

  /** The first numbers of all segments, ascending. */
  static long[] firsts(List<String> names) {
    return numbers(names, LOG);
  }

  /** The first numbers of all indexes, ascending. */
  static long[] indexFirsts(List<String> names) {
    return numbers(names, INDEX);
  }

  private static long[] numbers(List<String> names, String suffix) {
    return names.stream()
        .filter(name -> name.endsWith(suffix) && NAME.matcher(name).matches())
        .filter(SegmentNames::isBelowMost)
        .mapToLong(SegmentNames::number)
        .sorted()
        .toArray();
  }

  private static long number(String name) {
    return Long.parseLong(name.substring(0, DIGITS));
  }

  private static boolean isBelowMost(String name) {
    return name.compareTo(digits(Long.MAX_VALUE)) < 0;
  }

  /**
   * The highest number that a segment is named after, or was before it was set aside as the first;
   * 0 for none.
   */
  static long lastFirst(List<String> names) {
    return names.stream()
        .filter(name -> ANY_FIRST.matcher(name).matches() && isBelowMost(name))
        .max(Comparator.naturalOrder())
        .map(SegmentNames::number)
        .orElse(0L);
  }

  /** The name of the last segment; null if there is none. */
  static String last(List<String> names) {
    long[] firsts = firsts(names);
    return firsts.length == 0 ? null : segment(firsts[firsts.length - 1]);
  }

  /** The names of the last segment, and of those that were set aside as that or later. */
  static List<String> lastAndAside(List<String> names) {
    String last = last(names);
    return names.stream()
        .filter(name -> SEGMENT.matcher(name).matches())
        .filter(name -> last == null || name.compareTo(last) >= 0)
        .toList();
  }

  /** Whether an opening has made the file for a segment that it has not begun. */
  static boolean isMade(String name) {
    return MADE.matcher(name).matches();
  }

  /** Whether this opening makes, or begins, a segment under the name. */
  static boolean isSpare(String name) {
    return name.equals(SPARE) || name.equals(SPARE_INDEX);
  }

  /** The name under which this opening takes what another has made; null if it is not ready. */
  static String taken(String made) {
    if (made.endsWith("ready.log")) {
      return SPARE;
    }
    return made.endsWith("ready.index") ? SPARE_INDEX : null;
  }
}
