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
   * @param barrier of a consumer that sees every event
   */
  public static void discard(Barrier barrier) {
    ((SoleBarrier) barrier).discard();
  }

  /**
   * Whether a consumer has events in hand.
   *
   * @param barrier the consumer's
   * @return as seen
   */
  public static boolean isAtWork(Barrier barrier) {
    return barrier.isAtWork();
  }

  /**
   * How far a consumer is.
   *
   * @param barrier the consumer's, or one of a group's
   * @return as seen
   */
  public static long progress(Barrier barrier) {
    return barrier.progress();
  }

  /**
   * How far a consumer could be.
   *
   * @param barrier the consumer's, or one of a group's
   * @return as seen
   */
  public static long source(Barrier barrier) {
    return barrier.source();
  }
}
