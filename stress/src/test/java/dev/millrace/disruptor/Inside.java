package dev.millrace.disruptor;

import java.util.Arrays;

/** What the module keeps to itself, for scenarios to use. */
public final class Inside {
  private Inside() {}

  /**
   * Ends all because a consumer cannot go on.
   *
   * @param sequencer whose
   * @param failure why
   */
  public static void fail(Sequencer sequencer, Throwable failure) {
    sequencer.fail(failure);
  }

  /**
   * Refuses waits for room, as a pipeline does to its handlers.
   *
   * @param sequencer whose
   */
  public static void refuseWaits(Sequencer sequencer) {
    sequencer.refuseWaitsIf(() -> true);
  }

  /**
   * Ends all at once, whatever is still to come, but frees nothing.
   *
   * @param sequencer whose
   */
  public static void stop(Sequencer sequencer) {
    sequencer.stop();
  }

  /**
   * Why it was ended.
   *
   * @param sequencer whose end
   * @return the first cause, or null
   */
  public static Throwable failure(Sequencer sequencer) {
    return sequencer.failure();
  }

  /**
   * Releases what was polled as slots that hold nothing.
   *
   * @param consumer that sees every event
   */
  public static void discard(SequenceConsumer consumer) {
    ((SoleConsumer) consumer).discard();
  }

  /**
   * Whether a consumer has events in hand.
   *
   * @param barrier the consumer's
   * @return as seen
   */
  public static boolean isAtWork(SequenceConsumer barrier) {
    return barrier.isAtWork();
  }

  /**
   * How far a consumer is.
   *
   * @param barrier the consumer's, or one of a group's
   * @return as seen
   */
  public static long progress(SequenceConsumer barrier) {
    return barrier.progress();
  }

  /**
   * How far a consumer could be.
   *
   * @param barrier the consumer's, or one of a group's
   * @return as seen
   */
  public static long source(SequenceConsumer barrier) {
    return barrier.source();
  }

  /** What a sequencer counts. */
  public record Counters(
      long claimed,
      long aborted,
      long dropped,
      long signalled,
      long refused,
      long stalled,
      long outOfUse) {}

  /**
   * What a sequencer has counted.
   *
   * @param sequencer whose counts
   * @return each count as of some moment of the call
   */
  public static Counters counters(Sequencer sequencer) {
    long[] values = new long[sequencer.counters().size() + sequencer.gauges().size()];
    sequencer.readCounts(values);
    return new Counters(
        values[4], values[5], values[1], values[2], values[6], values[3], values[8]);
  }

  /** What a worker of a pipeline counts. */
  public static final class Counted {
    private final WorkCounts counts = new WorkCounts();

    /** Counts one of each. */
    public void add() {
      counts.add(WorkCounts.Kind.EVENTS, 2);
      counts.add(WorkCounts.Kind.BATCHES, 1);
      counts.add(WorkCounts.Kind.FAILED, 1);
      counts.add(WorkCounts.Kind.RETRIES, 1);
      counts.add(WorkCounts.Kind.SKIPPED, 3);
    }

    /**
     * The counts at present.
     *
     * @return events, batches, failed, retries, skipped
     */
    public long[] now() {
      return Arrays.stream(WorkCounts.Kind.values()).mapToLong(counts::get).toArray();
    }
  }

  /** The latencies of one point that two workers release each event to; all events are sampled. */
  public static final class Latencies {
    private final SampledTimes times = new SampledTimes(1, 2);
    private final Latency point = new Latency(times, 2, 256);
    private final Latency.Recorder[] workers = {point.newRecorder(), point.newRecorder()};

    /** Has a sequencer note the times of its publications. */
    public void noteIn(Sequencer sequencer) {
      sequencer.noteTimes(times);
    }

    /** The time noted for an event; 0 if none is. */
    public long notedFor(long sequence) {
      return times.at(sequence);
    }

    /** Says that a worker is about to release events. */
    public void released(int worker, long first, long end) {
      workers[worker].record(first, end);
    }

    /** Counts a duration in a worker's histogram. */
    public void count(int worker, long nanos) {
      workers[worker].own.record(nanos);
    }

    /** How often a worker's histogram has counted a duration below 256 ns. */
    public long counted(int worker, long nanos) {
      return workers[worker].own.count(Histogram.bucketOf(nanos));
    }

    /** Frees the memory, when both workers have ended. */
    public void close() {
      point.close();
    }

    /** How many events have been counted, by both workers. */
    public long total() {
      point.refresh();
      return point.total();
    }
  }
}
