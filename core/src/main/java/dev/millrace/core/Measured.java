package dev.millrace.core;

import dev.millrace.core.internal.Jvm;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A queue, log, ring or pipeline whose state can be read as numbers while other threads use it.
 * Telemetry or any metrics library can sample these numbers.
 *
 * {@snippet file="Examples.java" region="measure"}
 *
 * <p><b>Roles.</b> Any thread may call any method. Values are exact while no thread uses the
 * structure. While threads use the structure, a call reads the values at slightly different
 * moments, so the values may be off by whatever happens during the call.
 *
 * @since 0.1.0
 */
public interface Measured {
  /**
   * Returns the names of the numbers that only rise, such as {@code consumed}. Dots separate the
   * parts of a nested name.
   *
   * @return the names, which never change
   */
  List<String> counters();

  /**
   * Returns the names of the numbers that rise and fall, such as {@code size}.
   *
   * @return the names, which never change
   */
  List<String> gauges();

  /**
   * Reads the current values. The call allocates nothing unless the structure's documentation says
   * otherwise. You may still make the call after the structure is closed.
   *
   * @param values receives the counters in the order of {@link #counters}, then the gauges
   * @throws IndexOutOfBoundsException if {@code values} is too short
   */
  void readMetrics(long[] values);

  /**
   * Reads the current values into a new map, in which the counters come before the gauges.
   *
   * @return the values by name
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
   * Returns how much native memory this library has allocated in this process and not yet freed. To
   * publish this amount as a gauge, call {@code telemetry.report("millrace.nativeBytes",
   * Measured::nativeBytesInUse)}. Files that are mapped into memory do not count.
   *
   * <p>While the system property {@code millrace.reportLeaks} is {@code true}, each allocation
   * keeps its stack trace. If the garbage collector finds an owner of native memory that was never
   * closed, the library logs a warning with the stack trace.
   *
   * @return the size in bytes, without the allocator's own overhead
   */
  static long nativeBytesInUse() {
    return Jvm.nativeBytes();
  }
}
