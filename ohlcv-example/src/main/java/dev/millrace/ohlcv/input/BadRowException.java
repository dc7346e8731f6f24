package dev.millrace.ohlcv.input;

/**
 * A row that breaks a rule. Worded {@code file:line: field rule: field=value}. Has no stack trace:
 * a file may have millions of them.
 */
final class BadRowException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int MAX_SHOWN = 80;

  BadRowException(String field, String rule, String value) {
    super(
        shown(field) + " " + shown(rule, 400) + ": " + shown(field) + "=" + shown(value),
        null,
        false,
        false);
  }

  /** Adds where it was. */
  String message(String file, long line) {
    return file + ":" + line + ": " + getMessage();
  }

  /** The value on one line, and not endless. */
  static String shown(String value) {
    return shown(value, MAX_SHOWN);
  }

  /** The same with a limit of its own. */
  static String shown(String value, int limit) {
    String cut = value.length() <= limit ? value : value.substring(0, limit) + "...";
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < cut.length(); i++) {
      char c = cut.charAt(i);
      if (Character.isISOControl(c)) {
        shown.append(String.format("\\u%04x", (int) c));
      } else {
        shown.append(c);
      }
    }
    return shown.toString();
  }
}
