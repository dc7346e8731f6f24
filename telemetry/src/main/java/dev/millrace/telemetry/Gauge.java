package dev.millrace.telemetry;

/**
 * How much there is of something now: a labelled number off the heap, on a pair of cache lines of
 * its own, that any thread sets and that other processes can read.
 *
 * <pre>{@code
 * Gauge depth = telemetry.gauge("depth");
 * depth.set(queue.size());
 * }</pre>
 *
 * <p><b>Roles, progress, failure, cost.</b> As a {@link Counter} of one stripe. Setting is one
 * write; of several at once, one wins.
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
   * @throws IllegalStateException if it is closed
   */
  public void set(long value) {
    store(value);
  }

  /**
   * Adds, atomically.
   *
   * @param delta what to add, negative to take away
   * @throws IllegalStateException if it is closed
   */
  public void add(long delta) {
    checkOpen();
    values.add(at, delta);
  }
}
