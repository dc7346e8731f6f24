package dev.millrace.disruptor;

import dev.millrace.core.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How long sampled events take from their publication to one point of a pipeline: the end of a
 * stage, or of all last stages. Several workers may have to release an event until it is there; the
 * last one to do so records it, in a histogram of its own.
 */
final class Latency {
  static final List<String> COUNTERS = List.of("latencyCount");
  static final List<String> GAUGES =
      List.of("latencyP50Nanos", "latencyP99Nanos", "latencyP999Nanos", "latencyMaxNanos");
  private static final double[] FRACTIONS = {0.5, 0.99, 0.999, 1};

  private final SampledTimes times;
  private final int needed;
  private final NativeMemory passed; // by slot: how many are through with its event
  private final List<Histogram> histograms = new ArrayList<>();

  // of one reader at a time
  private final long[] before; // of the warm-up
  private long[] atEnd; // null until the histograms are closed

  /** What one worker has to do with a point. */
  record Recorder(Latency point, Histogram own) {
    /** Records the sampled ones of the events that this worker is about to release. */
    void record(long first, long end) {
      point.record(first, end, own);
    }
  }

  /**
   * Makes a point.
   *
   * @param times when events were published
   * @param needed how many workers release each event until it is there
   * @param buckets of each histogram
   */
  Latency(SampledTimes times, int needed, int buckets) {
    this.times = times;
    this.needed = needed;
    this.before = new long[buckets];
    this.passed = NativeMemory.allocate((long) times.slots() * Long.BYTES);
  }

  Recorder newRecorder() {
    histograms.add(new Histogram(before.length));
    return new Recorder(this, histograms.getLast());
  }

  private void record(long first, long end, Histogram own) {
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

  /** Whether this worker is the last; if so, the slot is ready for the event of the next turn. */
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

  /** Reads {@link #COUNTERS} and {@link #GAUGES}, since the warm-up. */
  void read(LongBuffer counters, LongBuffer gauges) {
    long[] counts = counts();
    long total = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      counts[bucket] -= before[bucket];
      total += counts[bucket];
    }
    counters.put(total);
    for (double fraction : FRACTIONS) {
      gauges.put(percentile(counts, (long) Math.ceil(total * fraction)));
    }
  }

  /** The duration that so many do not exceed; 0 if there are none. */
  private static long percentile(long[] counts, long rank) {
    int bucket = 0;
    long seen = counts[0];
    while (seen < rank) {
      seen += counts[++bucket];
    }
    return rank == 0 ? 0 : Histogram.longestIn(bucket);
  }

  private long[] counts() {
    if (atEnd != null) {
      return atEnd.clone();
    }
    long[] counts = new long[before.length];
    histograms.forEach(histogram -> histogram.addTo(counts));
    return counts;
  }

  /** Leaves out what was counted so far. */
  void beginAnew() {
    System.arraycopy(counts(), 0, before, 0, before.length);
  }

  /** Keeps the counts and frees the histograms, when all workers have ended. */
  void close() {
    if (atEnd == null) {
      atEnd = counts();
      histograms.forEach(Histogram::close);
      passed.close();
    }
  }

  private static final VarHandle PASSED =
      ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
}
