package dev.millrace.ohlcv.trace;

/** Is told by a thread how long something took. */
public interface Timing {
  /** Forgets it. */
  Timing NONE = (number, nanos) -> {};

  /**
   * Is told.
   *
   * @param number the number of what took so long, from 1
   * @param nanos how long
   */
  void took(long number, long nanos);
}
