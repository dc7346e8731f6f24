package dev.millrace.ohlcv.input;

import java.util.regex.Pattern;

/**
 * A row that breaks a rule. Worded {@code field rule: field=value}. Has no stack trace: a file may
 * have millions of them.
 */
final class BadRowException extends Exception {
  static final int MAX_RULE = 400;

  private static final long serialVersionUID = 1L;
  private static final int MAX_SHOWN = 80;
  private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]");

  BadRowException(String field, String rule, String value) {
    super(
        shown(field) + " " + shown(rule, MAX_RULE) + ": " + shown(field) + "=" + shown(value),
        null,
        false,
        false);
  }

  /** The value on one line, and not endless. */
  static String shown(String value) {
    return shown(value, MAX_SHOWN);
  }

  /** The same with a limit of its own. */
  static String shown(String value, int limit) {
    String cut = value.length() <= limit ? value : value.substring(0, limit) + "...";
    return CONTROL
        .matcher(cut)
        .replaceAll(match -> "\\\\u%04x".formatted((int) match.group().charAt(0)));
  }
}
