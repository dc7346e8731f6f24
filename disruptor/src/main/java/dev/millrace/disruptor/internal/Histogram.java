package dev.millrace.disruptor.internal;

import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Counts durations in native memory, in the layout of HdrHistogram with two significant digits: 128
 * buckets for each power of two, so that a bucket is narrower than a hundredth of the durations
 * that it counts.
 *
 * <p><b>Roles.</b> One thread records. Any thread may add up the counts, which may be slightly
 * stale.
 *
 * <p><b>Source.</b> Gil Tene, <a href="https://github.com/HdrHistogram/HdrHistogram">HdrHistogram
 * </a>. There one object grows, is reset, and finds its percentiles. Here the range is that of a
 * {@code long} from the start, which takes 57 KiB.
 */
public final class Histogram implements AutoCloseable {
  private static final int HALF_BITS = 7; // 128 buckets for each power of two, twice as many at 0
  // durations up to this one have a bucket each
  private static final int LARGEST_UNIT = (1 << (HALF_BITS + 1)) - 1;

  /** The number of buckets for all durations. */
  public static final int BUCKETS = bucketOf(Long.MAX_VALUE) + 1;

  private final NativeMemory memory;
  private final MemorySegment counts;
  private final int last;

  /**
   * Makes a histogram with {@code buckets} buckets, at most {@link #BUCKETS}. If there are fewer,
   * the last one also counts all longer durations.
   */
  public Histogram(int buckets) {
    this.memory = NativeMemory.allocate((long) buckets * Long.BYTES);
    this.counts = memory.segment();
    this.last = buckets - 1;
  }

  /** Counts a duration. A negative one counts as 0. */
  public void record(long nanos) {
    int bucket = Math.min(last, bucketOf(Math.max(0, nanos)));
    long offset = (long) bucket * Long.BYTES;
    long count = (long) COUNT.get(counts, offset); // plain: only this thread writes
    COUNT.setOpaque(counts, offset, count + 1); // opaque: readers may be behind
  }

  /** Adds the count of each bucket to the element of {@code sums} with the same index. */
  public void addTo(long[] sums) {
    for (int bucket = 0; bucket <= last; bucket++) {
      sums[bucket] += count(bucket);
    }
  }

  /** Returns the count of a bucket. */
  public long count(int bucket) {
    // opaque: a count, which may be seen late
    return (long) COUNT.getOpaque(counts, (long) bucket * Long.BYTES);
  }

  /** Returns the bucket that counts a duration. */
  public static int bucketOf(long nanos) {
    int leadingZeros = Long.numberOfLeadingZeros(nanos | LARGEST_UNIT);
    int shift = Long.SIZE - 1 - HALF_BITS - leadingZeros;
    return (shift << HALF_BITS) + (int) (nanos >>> shift);
  }

  /** Returns the longest duration that a bucket counts. */
  public static long longestIn(int bucket) {
    int shift = Math.max(0, (bucket >>> HALF_BITS) - 1);
    long unit = bucket - ((long) shift << HALF_BITS);
    return ((unit + 1) << shift) - 1;
  }

  @Override
  public void close() {
    memory.close();
  }

  private static final VarHandle COUNT =
      ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
}
