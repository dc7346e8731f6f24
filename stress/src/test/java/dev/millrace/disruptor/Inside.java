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
    long[] values = new long[sequencer.metrics().size()];
    sequencer.readCounts(values);
    return new Counters(
        values[5], values[6], values[2], values[3], values[7], values[4], values[8]);
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
}
