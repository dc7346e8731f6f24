package dev.millrace.disruptor;

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

  /** What a worker of a pipeline counts. */
  public static final class Counted {
    private final WorkCounts counts = new WorkCounts();

    /** Counts one of each. */
    public void add() {
      counts.addBatch(2);
      counts.addFailed();
      counts.addRetry();
      counts.addSkipped(3);
    }

    /**
     * The counts at present.
     *
     * @return events, batches, failed, retries, skipped
     */
    public long[] now() {
      WorkCounts.Counts now = counts.now();
      return new long[] {now.events(), now.batches(), now.failed(), now.retries(), now.skipped()};
    }
  }
}
