package dev.millrace.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts what threads allocate. */
public final class Allocations {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Allocations() {}

  /** Returns how many bytes this thread allocates in a body. */
  public static long bytesIn(TestCall.Body body) throws Exception {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    body.run();
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  /**
   * Returns how many bytes this thread allocates in a body once it is warm: the least of several
   * runs, because compiling and linking allocate too, now and then and late. Stops at a run that
   * allocates nothing.
   */
  public static long leastBytesIn(int runs, TestCall.Body body) throws Exception {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < runs && least != 0; run++) {
      least = Math.min(least, bytesIn(body));
    }
    return least;
  }

  /** Returns how many bytes a thread has allocated so far. */
  public static long bytesOf(Thread thread) {
    return THREADS.getThreadAllocatedBytes(thread.threadId());
  }
}
