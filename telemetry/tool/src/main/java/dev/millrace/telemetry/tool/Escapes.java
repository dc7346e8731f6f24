package dev.millrace.telemetry.tool;

import java.util.HexFormat;

/** Keeps what others have written on one line, and from steering the terminal. */
public final class Escapes {
  private Escapes() {}

  /** Whether a character shows, and only itself. */
  static boolean isPrintable(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }

  /**
   * Escapes what does not show, as in Java.
   *
   * @param text any
   * @return text that keeps to its line
   */
  public static String plain(String text) {
    return escaped(text, false);
  }

  /** The same in quotes. */
  static String quoted(String text) {
    return '"' + escaped(text, true) + '"';
  }

  /** As it is if it is one word, else in quotes. */
  static String word(String text) {
    boolean isWord =
        !text.isEmpty()
            && text.codePoints()
                .allMatch(
                    one -> isPrintable(one) && !Character.isSpaceChar(one) && !isSpecial(one));
    return isWord ? text : quoted(text);
  }

  private static boolean isSpecial(int codePoint) {
    return codePoint == '"' || codePoint == '\\';
  }

  private static String escaped(String text, boolean isQuoted) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints().forEach(one -> append(one, isQuoted, out));
    return out.toString();
  }

  private static void append(int one, boolean isQuoted, StringBuilder out) {
    switch (one) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (isPrintable(one)) {
          out.append(isQuoted && isSpecial(one) ? "\\" : "").appendCodePoint(one);
        } else {
          for (char half : Character.toChars(one)) {
            out.append("\\u").append(HexFormat.of().toHexDigits(half));
          }
        }
      }
    }
  }
}
