package dev.millrace.ohlcv.output;

/** The two colours of a terminal that are used. */
final class Ansi {
  private static final String GREEN = "\u001b[32m";
  private static final String RED = "\u001b[31m";
  private static final String RESET = "\u001b[0m";

  private Ansi() {}

  /** Green for what rose, red for what fell. */
  static String colored(String text, int direction) {
    if (direction == 0) {
      return text;
    }
    return (direction > 0 ? GREEN : RED) + text + RESET;
  }
}
