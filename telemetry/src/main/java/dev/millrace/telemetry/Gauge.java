package dev.millrace.telemetry;

/**
 * A current amount: a labelled off-heap number on its own pair of cache lines. Any thread can set
 * the number, and other processes can read it.
 *
 * {@snippet file="Examples.java" region="gauge"}
 *
 * <p><b>Roles, progress, failure, cost.</b> The rules of a {@link Counter} with one stripe apply.
 * Setting is a single write. If several threads set the gauge at once, the gauge keeps the value
 * that one of them has set.
 *
 * @since 0.1.0
 */
public final class Gauge extends Labelled {
  Gauge(Telemetry owner, CounterValues values, Place place) {
    super(owner, values, place, SHARED);
  }

  /**
   * Sets the value.
   *
   * @param value the value
   * @throws IllegalStateException if the gauge is closed
   */
  public void set(long value) {
    store(value);
  }

  /**
   * Adds to the value atomically.
   *
   * @param delta the amount to add; negative to subtract
   * @throws IllegalStateException if the gauge is closed
   */
  public void add(long delta) {
    checkOpen();
    values.add(at, delta);
  }
}
