package dev.millrace.bench.onethread;

/** How records are moved. */
public enum Style {
  /** One in, one out. */
  SINGLES("one by one"),
  /** The same by the forms that would wait, which they never need to. */
  WAITING("one by one, waiting forms"),
  /** A run in, then out again by the user's own loop. */
  RUNS("runs of " + Loop.RUN + ", own loop"),
  /** A run in, then out again through a handler. */
  HANDLED("runs of " + Loop.RUN + ", handler");

  private final String title;

  Style(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
