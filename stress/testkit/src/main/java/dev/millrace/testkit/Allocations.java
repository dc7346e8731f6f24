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

  /** Returns how many bytes a thread has allocated so far. */
  public static long bytesOf(Thread thread) {
    return THREADS.getThreadAllocatedBytes(thread.threadId());
  }
}
