package dev.millrace.disruptor;

import dev.millrace.core.Measured.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How long sampled events take from their publication to one point of a pipeline: the end of a
 * stage, or of all last stages. Several workers may have to release an event until it is there; the
 * last one to do so records it, in a histogram of its own.
 */
final class Latency {
  private static final double[] FRACTIONS = {0.5, 0.99, 0.999, 1};

  private final SampledTimes times;
  private final int needed;
  private final AtomicIntegerArray passed; // by slot: how many are through with its event
  private final List<Histogram> histograms = new ArrayList<>();

  // guarded by this
  private final long[] before = new long[Histogram.BUCKETS]; // of the warm-up
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
   */
  Latency(SampledTimes times, int needed) {
    this.times = times;
    this.needed = needed;
    this.passed = new AtomicIntegerArray(times.slots());
  }

  Recorder newRecorder() {
    histograms.add(new Histogram());
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
    if (needed == 1) {
      return true;
    }
    boolean isLast = passed.incrementAndGet(slot) == needed;
    if (isLast) {
      passed.set(slot, 0); // nobody comes before this worker has released the event
    }
    return isLast;
  }

  // ---- reading ----

  static List<Metric> metrics(String prefix) {
    return List.of(
        Metric.gauge(prefix + "latencyP50Nanos"),
        Metric.gauge(prefix + "latencyP99Nanos"),
        Metric.gauge(prefix + "latencyP999Nanos"),
        Metric.gauge(prefix + "latencyMaxNanos"),
        Metric.counter(prefix + "latencyCount"));
  }

  /** Reads the metrics, since the warm-up; returns the index behind them. */
  synchronized int read(long[] values, int from) {
    long[] counts = counts();
    long total = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      counts[bucket] -= before[bucket];
      total += counts[bucket];
    }
    int i = from;
    for (double fraction : FRACTIONS) {
      values[i++] = percentile(counts, (long) Math.ceil(total * fraction));
    }
    values[i++] = total;
    return i;
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
    long[] counts = new long[Histogram.BUCKETS];
    histograms.forEach(histogram -> histogram.addTo(counts));
    return counts;
  }

  /** Leaves out what was counted so far. */
  synchronized void beginAnew() {
    System.arraycopy(counts(), 0, before, 0, before.length);
  }

  /** Keeps the counts and frees the histograms, when all workers have ended. */
  synchronized void close() {
    if (atEnd == null) {
      atEnd = counts();
      histograms.forEach(Histogram::close);
    }
  }
}
