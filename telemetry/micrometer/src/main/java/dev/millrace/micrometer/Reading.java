package dev.millrace.micrometer;

import dev.millrace.core.Measured;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;

/**
 * The latest values of a structure. A registry reads meters one by one, but reading one metric of a
 * structure costs as much as reading all of them. So a reading serves each metric once; the next
 * request for the same metric, or one that comes too late, reads the structure again.
 *
 * <p>This object does not refer to the structure, because meters refer to this object.
 */
final class Reading {
  /** How old a reading may be. */
  static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int counters;

  // guarded by this
  private final long[] values; // counters, then gauges
  private final long[] next; // so that a failed read leaves the values alone
  private final BitSet served = new BitSet();
  private long readNanos;
  private boolean isRead;

  Reading(int counters, int gauges) {
    this.counters = counters;
    this.values = new long[counters + gauges];
    this.next = new long[counters + gauges];
  }

  /** Returns the value of a gauge, or throws what the structure throws. */
  synchronized double gauge(Measured measured, int index) {
    refresh(measured, index);
    return values[index];
  }

  /**
   * Returns the value of a counter. If the structure throws, the value stays as it was: registries
   * do not expect a counter to throw, and compute a rate from its values.
   */
  synchronized double counter(Measured measured, int index) {
    try {
      refresh(measured, index);
    } catch (RuntimeException e) { // the structure's gauges report it
      return values[index];
    }
    return values[index];
  }

  private void refresh(Measured measured, int index) {
    boolean isFresh = isRead && System.nanoTime() - readNanos <= MAX_AGE_NANOS;
    if (served.get(index) || !isFresh) {
      served.clear();
      isRead = false;
      measured.readMetrics(next);
      for (int i = 0; i < values.length; i++) {
        // closing a queue drops records, which then no longer count as committed
        values[i] = i < counters ? Math.max(values[i], next[i]) : next[i];
      }
      readNanos = System.nanoTime();
      isRead = true;
    }
    served.set(index);
  }
}
