package dev.millrace.core;

import dev.millrace.core.internal.Jvm;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Something whose state can be read as numbers while others use it: queues, logs, rings, pipelines.
 * Telemetry samples it, and so can any other metrics library.
 *
 * {@snippet file="Examples.java" region="measure"}
 *
 * <p><b>Roles.</b> Any thread may call any method. Values are exact while no thread uses the
 * structure; otherwise they are not of one moment, and may be off by what happens during the call.
 *
 * @since 0.1.0
 */
public interface Measured {
  /**
   * The names of the numbers that only rise, such as {@code consumed}. Dots separate nested names.
   *
   * @return the names, always the same
   */
  List<String> counters();

  /**
   * The names of the numbers that rise and fall, such as {@code size}.
   *
   * @return the names, always the same
   */
  List<String> gauges();

  /**
   * Reads the current values; allocates nothing unless the structure says otherwise. May be called
   * after the structure was closed.
   *
   * @param values receives the counters in the order of {@link #counters}, then the gauges
   * @throws IndexOutOfBoundsException if it is too short for them
   */
  void readMetrics(long[] values);

  /**
   * Reads the current values into a new map, counters first.
   *
   * @return each value by its name
   */
  default Map<String, Long> metrics() {
    Map<String, Long> metrics = new LinkedHashMap<>();
    long[] values = new long[counters().size() + gauges().size()];
    readMetrics(values);
    for (String counter : counters()) {
      metrics.put(counter, values[metrics.size()]);
    }
    for (String gauge : gauges()) {
      metrics.put(gauge, values[metrics.size()]);
    }
    return metrics;
  }

  /**
   * How much native memory this library has allocated and not freed, in this process: a gauge for
   * {@code telemetry.report("millrace.nativeBytes", Measured::nativeBytesInUse)}. Files that are
   * mapped into memory do not count.
   *
   * <p>While the system property {@code millrace.reportLeaks} is {@code true}, each allocation
   * keeps its stack trace, and memory whose owner is garbage but was not closed is logged as a
   * warning.
   *
   * @return bytes, without what the allocator adds
   */
  static long nativeBytesInUse() {
    return Jvm.nativeBytes();
  }
}
