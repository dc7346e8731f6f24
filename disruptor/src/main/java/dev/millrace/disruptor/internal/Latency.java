package dev.millrace.disruptor.internal;

import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The latency of sampled events from their publication to one point of a pipeline: the end of a
 * stage, or of all last stages. If several workers must release an event before it reaches that
 * point, the last of them records its latency in its own histogram.
 */
public final class Latency {
  private final SampledTimes times;
  private final int needed;
  private final NativeMemory passed; // by slot: how many workers have finished with its event
  private final List<Histogram> histograms = new ArrayList<>();

  // used by one reader at a time
  private final long[] before; // the counts of the warm-up
  private final long[] counts; // the counts since then, as of the last refresh
  private boolean isClosed;

  /** Records latencies for one worker. */
  public final class Recorder {
    /** What this worker has recorded. */
    public final Histogram own = new Histogram(before.length);

    /**
     * Records the sampled ones among the events from {@code first} to before {@code end}, which
     * this worker is about to release.
     */
    public void record(long first, long end) {
      long sequence = times.firstFrom(first);
      if (sequence < end) {
        long now = System.nanoTime();
        for (; sequence < end; sequence += times.every()) {
          if (isLast(times.slotOf(sequence))) {
            own.record(now - times.at(sequence));
          }
        }
      }
    }
  }

  /**
   * Makes a point that an event reaches once {@code needed} workers have released it. Each
   * histogram has {@code buckets} buckets.
   */
  public Latency(SampledTimes times, int needed, int buckets) {
    this.times = times;
    this.needed = needed;
    this.before = new long[buckets];
    this.counts = new long[buckets];
    this.passed = NativeMemory.allocate((long) times.slots() * Long.BYTES);
  }

  /** Makes the recorder of one worker. Must be called before the first event. */
  public Recorder newRecorder() {
    Recorder recorder = new Recorder();
    histograms.add(recorder.own);
    return recorder;
  }

  /**
   * Counts this worker as finished with the event in {@code slot}; returns whether it is the last.
   * If so, the slot is ready for the next event.
   */
  private boolean isLast(int slot) {
    MemorySegment counts = passed.segment();
    long offset = (long) slot * Long.BYTES;
    long before;
    do {
      before = (long) PASSED.getOpaque(counts, offset); // opaque: the exchange confirms it
      // atomic: each worker counts, and one is the last
    } while (!PASSED.weakCompareAndSetPlain(counts, offset, before, (before + 1) % needed));
    return before == needed - 1;
  }

  // ---- reading ----

  /** Adds up the counts since the warm-up, for {@link #total} and {@link #percentile}. */
  public void refresh() {
    if (!isClosed) {
      for (int bucket = 0; bucket < counts.length; bucket++) {
        counts[bucket] = -before[bucket];
      }
      histograms.forEach(histogram -> histogram.addTo(counts));
    }
  }

  /** Returns how many events were measured. */
  public long total() {
    return LongStream.of(counts).sum();
  }

  /**
   * Returns the duration that {@code fraction} of the events did not exceed; 0 if there are no
   * events. The fraction must be above 0.
   */
  public long percentile(double fraction) {
    long rank = (long) Math.ceil(total() * fraction);
    int bucket = 0;
    long seen = counts[0];
    while (seen < rank) {
      seen += counts[++bucket];
    }
    return rank == 0 ? 0 : Histogram.longestIn(bucket);
  }

  /** Leaves out everything counted so far from later results. */
  public void beginAnew() {
    refresh();
    for (int bucket = 0; bucket < counts.length; bucket++) {
      before[bucket] += counts[bucket];
    }
  }

  /** Keeps the counts and frees the histograms. Called when all workers have ended. */
  public void close() {
    if (!isClosed) {
      refresh();
      isClosed = true;
      histograms.forEach(Histogram::close);
      passed.close();
    }
  }

  private static final VarHandle PASSED =
      ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
}
