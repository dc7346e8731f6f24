package dev.millrace.stress.scenario;

import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import dev.millrace.disruptor.internal.Histogram;
import dev.millrace.disruptor.internal.Latency;
import dev.millrace.disruptor.internal.SampledTimes;
import dev.millrace.disruptor.internal.SequencerAccess;
import dev.millrace.disruptor.internal.WorkCounts;
import java.util.Arrays;
import java.util.Map;

/** What sequencers and pipelines keep to their module, for scenarios to use. */
final class Inside {
  private static final SequencerAccess ACCESS = SequencerAccess.SECRET.get();

  private Inside() {}

  /**
   * Ends all because a consumer cannot go on.
   *
   * @param sequencer whose
   * @param failure why
   */
  static void fail(Sequencer sequencer, Throwable failure) {
    ACCESS.fail(sequencer, failure);
  }

  /**
   * Refuses waits for room, as a pipeline does to its handlers.
   *
   * @param sequencer whose
   */
  static void refuseWaits(Sequencer sequencer) {
    ACCESS.refuseWaitsIf(sequencer, () -> true);
  }

  /**
   * Ends all at once, whatever is still to come, but frees nothing.
   *
   * @param sequencer whose
   */
  static void stop(Sequencer sequencer) {
    ACCESS.stop(sequencer);
  }

  /**
   * Why it was ended.
   *
   * @param sequencer whose end
   * @return the first cause, or null
   */
  static Throwable failure(Sequencer sequencer) {
    return ACCESS.failure(sequencer);
  }

  /**
   * Releases what was polled as slots that hold nothing.
   *
   * @param consumer that sees every event
   */
  static void discard(SequenceConsumer consumer) {
    ACCESS.discard(consumer);
  }

  /**
   * Whether a consumer has events in hand.
   *
   * @param barrier the consumer's
   * @return as seen
   */
  static boolean isAtWork(SequenceConsumer barrier) {
    return ACCESS.isAtWork(barrier);
  }

  /**
   * How far a consumer is.
   *
   * @param barrier the consumer's, or one of a group's
   * @return as seen
   */
  static long progress(SequenceConsumer barrier) {
    return ACCESS.progress(barrier);
  }

  /**
   * How far a consumer could be.
   *
   * @param barrier the consumer's, or one of a group's
   * @return as seen
   */
  static long source(SequenceConsumer barrier) {
    return ACCESS.source(barrier);
  }

  /** What a sequencer counts. */
  record Counters(
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
  static Counters counters(Sequencer sequencer) {
    Map<String, Long> metrics = sequencer.metrics();
    return new Counters(
        metrics.get("claimed"),
        metrics.get("aborted"),
        metrics.get("dropped"),
        metrics.get("signalled"),
        metrics.get("refused"),
        metrics.get("stalled"),
        metrics.get("outOfUse"));
  }

  /** What a worker of a pipeline counts. */
  static final class Counted {
    private final WorkCounts counts = new WorkCounts();

    /** Counts one of each. */
    void add() {
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
    long[] now() {
      return Arrays.stream(WorkCounts.Kind.values()).mapToLong(counts::get).toArray();
    }
  }

  /** The latencies of one point that two workers release each event to; all events are sampled. */
  static final class Latencies {
    private final SampledTimes times = new SampledTimes(1, 2);
    private final Latency point = new Latency(times, 2, 256);
    private final Latency.Recorder[] workers = {point.newRecorder(), point.newRecorder()};

    /** Has a sequencer note the times of its publications. */
    void noteIn(Sequencer sequencer) {
      ACCESS.noteTimes(sequencer, times);
    }

    /** The time noted for an event; 0 if none is. */
    long notedFor(long sequence) {
      return times.at(sequence);
    }

    /** Says that a worker is about to release events. */
    void released(int worker, long first, long end) {
      workers[worker].record(first, end);
    }

    /** Counts a duration in a worker's histogram. */
    void count(int worker, long nanos) {
      workers[worker].own.record(nanos);
    }

    /** How often a worker's histogram has counted a duration below 256 ns. */
    long counted(int worker, long nanos) {
      return workers[worker].own.count(Histogram.bucketOf(nanos));
    }

    /** Frees the memory, when both workers have ended. */
    void close() {
      point.close();
    }

    /** How many events have been counted, by both workers. */
    long total() {
      point.refresh();
      return point.total();
    }
  }
}
