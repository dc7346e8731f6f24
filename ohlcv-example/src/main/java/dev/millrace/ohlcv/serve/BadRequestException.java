package dev.millrace.ohlcv.serve;

/** A request breaks a rule. The message uses the client's words. */
final class BadRequestException extends Exception {
  private static final int SHOWN = 100; // characters of a value
  private static final long serialVersionUID = 1;

  BadRequestException(String name, String rule, String value) {
    super("%s %s: %s=%s".formatted(name, rule, name, shown(value)));
  }

  private static String shown(String value) {
    return value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "...";
  }
}
