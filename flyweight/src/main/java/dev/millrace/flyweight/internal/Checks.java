package dev.millrace.flyweight.internal;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Argument checks, one for each kind of rule, so that all types report a broken rule in the same
 * words.
 */
public final class Checks {
  /** The largest number of slots in a ring. */
  public static final int MAX_CAPACITY = 1 << 30;

  /** The largest number of characters of a value that a message shows. */
  private static final int MOST_SHOWN = 64;

  /**
   * The largest number of characters of a path that a message shows. A path is of no use without
   * its end.
   */
  private static final int MOST_OF_PATH = 1024;

  /** The largest number of values that a message shows. */
  private static final int MOST_VALUES = 16;

  private Checks() {}

  /**
   * Formats a user's value, which may be null, for a message. Shows at most 64 characters, followed
   * by the length if the value is longer. Escapes unprintable characters as in Java, so that the
   * value can neither begin a new line in a log nor control a terminal.
   */
  public static String shown(Object value) {
    return shown(value instanceof CharSequence chars ? chars : String.valueOf(value), MOST_SHOWN);
  }

  /** Formats a path for a message, as {@link #shown} does, but shows up to 1,024 characters. */
  public static String shownPath(Path path) {
    boolean isOfDisk = path.getFileSystem().equals(FileSystems.getDefault());
    return shown(isOfDisk ? path.toString() : path.toUri().toString(), MOST_OF_PATH);
  }

  /**
   * Formats several of a user's values for a message: the first sixteen, each as {@link #shown}
   * does.
   */
  public static String shownEach(Collection<?> values) {
    String shown =
        values.stream().limit(MOST_VALUES).map(Checks::shown).collect(Collectors.joining(", "));
    int more = values.size() - MOST_VALUES;
    return more > 0 ? "[" + shown + ", and " + more + " more]" : "[" + shown + "]";
  }

  private static String shown(CharSequence text, int most) {
    int length = text.length();
    StringBuilder shown = new StringBuilder();
    int i = 0;
    while (i < Math.min(length, most)) {
      int codePoint = Character.codePointAt(text, i);
      i += Character.charCount(codePoint);
      if (isPrintable(codePoint)) {
        shown.appendCodePoint(codePoint);
      } else {
        for (char unit : Character.toChars(codePoint)) {
          shown.append(escaped(unit));
        }
      }
    }
    return i < length ? shown + "... (" + length + " characters)" : shown.toString();
  }

  private static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> codePoint != '\\';
    };
  }

  private static String escaped(char unit) {
    return switch (unit) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      case '\\' -> "\\\\";
      default -> String.format("\\u%04x", (int) unit);
    };
  }

  /**
   * Returns {@code value} if it is in {@code min..max}. Otherwise throws {@link
   * IllegalArgumentException}, whose message states the rule and the value.
   */
  public static long inRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be in " + min + ".." + max + ": " + name + "=" + value);
    }
    return value;
  }

  /**
   * Returns {@code value}, or throws {@link NullPointerException}, whose message has {@code name},
   * if it is null.
   */
  public static <T> T notNull(String name, T value) {
    if (value == null) {
      throw new NullPointerException(name + " must not be null: " + name + "=null");
    }
    return value;
  }

  /**
   * Returns the capacity of a ring whose slots are found by masking, or throws {@link
   * IllegalArgumentException} if it is not a power of two in 2..2<sup>30</sup>.
   */
  public static int powerOfTwoCapacity(long capacity) {
    return (int) powerOfTwo("capacity", capacity, 2, MAX_CAPACITY);
  }

  /**
   * Returns {@code value}, or throws {@link IllegalArgumentException} if it is not a power of two
   * in {@code min..max}.
   */
  public static long powerOfTwo(String name, long value, long min, long max) {
    if (value < min || value > max || Long.bitCount(value) != 1) {
      throw new IllegalArgumentException(
          name + " must be a power of two in " + min + ".." + max + ": " + name + "=" + value);
    }
    return value;
  }

  /**
   * Returns the nanoseconds of {@code duration}, or {@link Long#MAX_VALUE} or {@link
   * Long#MIN_VALUE} if a long cannot hold them. Throws {@link NullPointerException}, whose message
   * has {@code name}, if the duration is null.
   */
  public static long nanos(String name, Duration duration) {
    notNull(name, duration);
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }
}
