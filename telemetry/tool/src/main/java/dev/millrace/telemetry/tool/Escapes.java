package dev.millrace.telemetry.tool;

import java.util.HexFormat;

/**
 * Escapes text from other programs, so that it stays on one line and cannot control the terminal.
 */
public final class Escapes {
  private Escapes() {}

  /** Returns whether a terminal shows {@code codePoint} as one visible character or blank. */
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
   * Escapes unprintable characters as in Java.
   *
   * @param text any text
   * @return text that stays on one line
   */
  public static String plain(String text) {
    return escaped(text, false);
  }

  /** Returns {@code text} escaped and in quotes. */
  static String quoted(String text) {
    return '"' + escaped(text, true) + '"';
  }

  /** Returns {@code text} unchanged if it is one word, and otherwise escaped and in quotes. */
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
