package dev.millrace.bench.candles;

import dev.millrace.bench.harness.Jvm;
import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * How much memory this JVM holds: what is alive on the heap, and native memory of the program as
 * the JVM itself counts it, so that no engine's own word is taken for it.
 *
 * @param heapBytes on the heap
 * @param nativeBytes off the heap; -1 unless the JVM was told to track it
 */
record HeldMemory(long heapBytes, long nativeBytes) {
  /** The JVM option without which native memory is not known. */
  static final String TRACKING = "-XX:NativeMemoryTracking=summary";

  // Memory segments are counted under Other.
  private static final Pattern OTHER = Pattern.compile("Other \\(reserved=\\d+, committed=(\\d+)");

  /** Measures, which takes a full collection. */
  static HeldMemory now() {
    return new HeldMemory(Jvm.heapBytes(), nativeMemory());
  }

  /** What has come since an earlier moment. */
  HeldMemory since(HeldMemory before) {
    long heap = Math.max(0, heapBytes - before.heapBytes);
    return new HeldMemory(heap, nativeBytes < 0 ? -1 : nativeBytes - before.nativeBytes);
  }

  private static long nativeMemory() {
    try {
      Object text =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "vmNativeMemory",
                  new Object[] {new String[] {"summary", "scale=B"}},
                  new String[] {String[].class.getName()});
      Matcher matcher = OTHER.matcher((String) text);
      return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
    } catch (JMException e) { // another JVM's: not known
      return -1;
    }
  }
}
