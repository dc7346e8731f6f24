package dev.millrace.bench.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.ToLongFunction;

/** What kind of JVM a work is done in. */
public enum Jvm {
  /** With the collector that is usual where there are two processors. */
  DEFAULT("-XX:+UseG1GC"),
  /** With the collector of the shortest pauses. */
  ZGC("-XX:+UseZGC");

  /** What the JVM counts of its threads. */
  public static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final String collector;

  Jvm(String collector) {
    this.collector = collector;
  }

  /** Its options. */
  public List<String> flags() {
    return List.of(collector);
  }

  /**
   * How often the collector has run: cycles, not the several pauses of each that a concurrent
   * collector counts too.
   */
  public static long collections() {
    return sum(GarbageCollectorMXBean::getCollectionCount);
  }

  /** How long these cycles took, with what a concurrent collector does while threads run. */
  public static long collectionMillis() {
    return sum(GarbageCollectorMXBean::getCollectionTime);
  }

  /** How much of the heap is alive, which takes a full collection. */
  public static long heapBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long sum(ToLongFunction<GarbageCollectorMXBean> number) {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(bean -> !bean.getName().endsWith("Pauses"))
        .mapToLong(number)
        .sum();
  }
}
