package dev.millrace.report;

/** How much a verdict should be noticed. */
public enum Tone {
  /** A failure: first on the page. */
  BAD,
  /** Something was not shown that should have been. */
  GAP,
  /** Nothing was found where something would have been a failure. */
  CLEAR,
  /** Neither good nor bad. */
  PLAIN;

  /**
   * The name of the style.
   *
   * @return in lower case
   */
  public String style() {
    return switch (this) {
      case BAD -> "bad";
      case GAP -> "gap";
      case CLEAR -> "clear";
      case PLAIN -> "plain";
    };
  }
}
