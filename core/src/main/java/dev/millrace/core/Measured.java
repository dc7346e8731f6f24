package dev.millrace.core;

import java.util.List;

/**
 * Something whose state can be read as numbers, now and then, while others use it: queues, rings,
 * pipelines. Telemetry samples it, and any metrics library can.
 *
 * <pre>{@code
 * List<Measured.Metric> metrics = queue.metrics();   // once
 * long[] values = new long[metrics.size()];
 * queue.readMetrics(values);                         // now and then
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread may ask. The values are exact while nobody uses the structure;
 * otherwise they are not of one moment, and off by what happens during the call.
 *
 * @since 0.1.0
 */
public interface Measured {
  /**
   * A number that can be read.
   *
   * @param name what it is called, such as {@code consumed}; dots part names that are nested
   * @param isGauge whether it rises and falls, such as a size, or only rises, such as a count
   * @since 0.1.0
   */
  record Metric(String name, boolean isGauge) {
    /**
     * Makes a metric that only rises.
     *
     * @param name what it is called
     * @return the metric
     */
    public static Metric counter(String name) {
      return new Metric(name, false);
    }

    /**
     * Makes a metric that rises and falls.
     *
     * @param name what it is called
     * @return the metric
     */
    public static Metric gauge(String name) {
      return new Metric(name, true);
    }
  }

  /**
   * What can be read.
   *
   * @return the metrics, always the same
   */
  List<Metric> metrics();

  /**
   * Reads the current values; allocates nothing unless the structure says otherwise. May be called
   * after the structure was closed.
   *
   * @param values is filled in the order of {@link #metrics}, from the first on
   * @throws IndexOutOfBoundsException if it is shorter than they are
   */
  void readMetrics(long[] values);
}
