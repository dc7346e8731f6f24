package dev.millrace.ohlcv.serve;

import com.sun.management.ThreadMXBean;
import dev.millrace.core.Measured;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;

/**
 * Numbers in Prometheus' text format: those of what is {@link Measured}, with names in snake case,
 * and some of the JVM's.
 */
final class Metrics {
  private static final Pattern WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+");
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final List<Source> sources = new ArrayList<>();

  private interface Source {
    void appendTo(StringBuilder text);
  }

  Metrics() {
    counter("jvm_collections", () -> sum(GarbageCollectorMXBean::getCollectionCount));
    counter("jvm_collection_millis", () -> sum(GarbageCollectorMXBean::getCollectionTime));
    counter("jvm_allocated_bytes", THREADS::getTotalThreadAllocatedBytes);
  }

  private static long sum(ToLongFunction<GarbageCollectorMXBean> number) {
    return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(number).sum();
  }

  void counter(String name, LongSupplier value) {
    sources.add(text -> append(text, name + "_total", "counter", value.getAsLong()));
  }

  void gauge(String name, LongSupplier value) {
    sources.add(text -> append(text, name, "gauge", value.getAsLong()));
  }

  void all(String prefix, Measured measured) {
    List<String> counters = measured.counters();
    List<String> gauges = measured.gauges();
    sources.add(
        text -> {
          long[] values = new long[counters.size() + gauges.size()];
          measured.readMetrics(values);
          for (int i = 0; i < counters.size(); i++) {
            append(text, name(prefix, counters.get(i)) + "_total", "counter", values[i]);
          }
          for (int i = 0; i < gauges.size(); i++) {
            append(text, name(prefix, gauges.get(i)), "gauge", values[counters.size() + i]);
          }
        });
  }

  private static String name(String prefix, String name) {
    return prefix + "_" + String.join("_", WORD.split(name, -1)).toLowerCase(Locale.ROOT);
  }

  private static void append(StringBuilder text, String name, String type, long value) {
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    text.append(name).append(' ').append(value).append('\n');
  }

  /** All numbers, as they are now. */
  String text() {
    StringBuilder text = new StringBuilder();
    sources.forEach(source -> source.appendTo(text));
    return text.toString();
  }
}
