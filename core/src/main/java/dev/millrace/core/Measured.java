package dev.millrace.core;

import java.util.List;

/**
 * Something whose state can be read as numbers while it is in use: queues, rings, pipelines.
 * Telemetry samples it, and any metrics library can.
 *
 * <pre>{@code
 * List<Measured.Metric> metrics = queue.metrics();   // once
 * long[] values = new long[metrics.size()];
 * queue.readMetrics(values);                         // now and then
 * }</pre>
 *
 * <p><b>Roles.</b> Any thread may read them. The values are exact while the structure is not in
 * use; otherwise they are not from one moment, and off by as much as happens during the call.
 *
 * @since 0.1.0
 */
public interface Measured {
  /**
   * A number that can be read.
   *
   * @param name the name, such as {@code consumed}; dots separate the parts of nested names
   * @param isGauge whether it rises and falls, such as a size, or only rises, such as a count
   * @since 0.1.0
   */
  record Metric(String name, boolean isGauge) {
    /**
     * Makes a metric that only rises.
     *
     * @param name the name
     * @return the metric
     */
    public static Metric counter(String name) {
      return new Metric(name, false);
    }

    /**
     * Makes a metric that rises and falls.
     *
     * @param name the name
     * @return the metric
     */
    public static Metric gauge(String name) {
      return new Metric(name, true);
    }
  }

  /**
   * Lists what can be read.
   *
   * @return the metrics, always the same
   */
  List<Metric> metrics();

  /**
   * Reads the current values; allocates nothing unless the structure says otherwise. May be called
   * after the structure was closed.
   *
   * @param values filled in the order of {@link #metrics}, from index 0
   * @throws IndexOutOfBoundsException if it is shorter than the list of metrics
   */
  void readMetrics(long[] values);
}
