package dev.millrace.queues.log;

import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of a log's files. A segment and its index are named after the segment's first number.
 * The names of files that no log has begun yet start with a random number, which identifies the
 * class that made them.
 */
final class SegmentNames {
  private static final String LOG = ".log";
  private static final String INDEX = ".index";
  private static final String ASIDE = ".aside";

  /**
   * The suffix of a segment set aside if an earlier one can be opened, so that numbers continue at
   * the end of that one.
   */
  private static final String LATER = ".later" + ASIDE;

  private static final int DIGITS = 20;
  private static final Pattern NAME = Pattern.compile("\\d{20}\\.(log|index)");
  private static final Pattern SEGMENT = Pattern.compile("\\d{20}\\.log(\\..*)?");
  private static final Pattern ANY_FIRST = Pattern.compile("\\d{20}\\.log(\\.aside\\d*)?");

  /** The names of files that any opening has made but not begun. */
  private static final Pattern MADE = Pattern.compile("[0-9a-f]{16}\\.(spare|ready)\\.(log|index)");

  /** The prefix of files to which only this class, as loaded by this class loader, writes. */
  private static final String OWN = "%016x.".formatted(new SecureRandom().nextLong());

  /** The name of a segment while it is being made or begun. */
  static final String SPARE = OWN + "spare.log";

  static final String SPARE_INDEX = OWN + "spare.index";

  /** The name of a spare segment that is ready. */
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
   * Returns an unused name for a segment that is taken out of the log.
   *
   * @param isLater whether an earlier segment can be opened
   */
  static String aside(List<String> names, long first, boolean isLater) {
    String base = segment(first) + (isLater ? LATER : ASIDE);
    String name = base;
    for (int i = 1; names.contains(name); i++) {
      name = base + i;
    }
    return name;
  }

  /** Returns the first numbers of all segments, ascending. */
  static long[] firsts(List<String> names) {
    return numbers(names, LOG);
  }

  /** Returns the first numbers of all indexes, ascending. */
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
   * Returns the highest number in the name of a segment, including those set aside as the first
   * one, or 0 if there is no segment.
   */
  static long lastFirst(List<String> names) {
    return names.stream()
        .filter(name -> ANY_FIRST.matcher(name).matches() && isBelowMost(name))
        .max(Comparator.naturalOrder())
        .map(SegmentNames::number)
        .orElse(0L);
  }

  /** Returns the name of the last segment, or null if there is none. */
  static @Nullable String last(List<String> names) {
    long[] firsts = firsts(names);
    return firsts.length == 0 ? null : segment(firsts[firsts.length - 1]);
  }

  /**
   * Returns the names of the last segment and of all segments set aside with the same or a higher
   * number.
   */
  static List<String> lastAndAside(List<String> names) {
    String last = last(names);
    return names.stream()
        .filter(name -> SEGMENT.matcher(name).matches())
        .filter(name -> last == null || name.compareTo(last) >= 0)
        .toList();
  }

  /** Returns whether {@code name} is that of a file made for a segment that was not begun. */
  static boolean isMade(String name) {
    return MADE.matcher(name).matches();
  }

  /** Returns whether this opening makes or begins a segment under {@code name}. */
  static boolean isSpare(String name) {
    return name.equals(SPARE) || name.equals(SPARE_INDEX);
  }

  /**
   * Returns the name under which this opening takes the file {@code made} by another, or null if
   * that file is not ready.
   */
  static @Nullable String taken(String made) {
    if (made.endsWith("ready.log")) {
      return SPARE;
    }
    return made.endsWith("ready.index") ? SPARE_INDEX : null;
  }
}
