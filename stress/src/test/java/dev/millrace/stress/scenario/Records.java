package dev.millrace.stress.scenario;

/** A step that many scenarios take. */
final class Records {
  private Records() {}

  /** Whether a use is refused by an exception. */
  static boolean refuses(Runnable use) {
    try {
      use.run();
      return false;
    } catch (IllegalStateException | IllegalArgumentException e) {
      return true;
    }
  }
}
