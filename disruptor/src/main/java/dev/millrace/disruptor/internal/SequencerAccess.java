package dev.millrace.disruptor.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import java.util.function.BooleanSupplier;

/** What pipelines do with a {@link Sequencer}, and its users cannot; for the proofs. */
public interface SequencerAccess {
  /** Shared by {@link Sequencer}. */
  SharedSecret<SequencerAccess> SECRET = new SharedSecret<>(Sequencer.class);

  /**
   * Ends all because a consumer cannot go on.
   *
   * @param sequencer whose
   * @param failure why
   */
  void fail(Sequencer sequencer, Throwable failure);

  /**
   * Why it was ended.
   *
   * @param sequencer whose end
   * @return the first cause, or null
   */
  Throwable failure(Sequencer sequencer);

  /**
   * Ends all at once, whatever is still to come, but frees nothing.
   *
   * @param sequencer whose
   */
  void stop(Sequencer sequencer);

  /**
   * Refuses waits for room.
   *
   * @param sequencer whose
   * @param condition of which threads: of those where it is true
   */
  void refuseWaitsIf(Sequencer sequencer, BooleanSupplier condition);

  /**
   * Has the times of publications noted; before the first claim.
   *
   * @param sequencer whose
   * @param times where
   */
  void noteTimes(Sequencer sequencer, SampledTimes times);

  /**
   * Releases what was polled as slots that hold nothing.
   *
   * @param consumer that sees every event, of many producers
   */
  void discard(SequenceConsumer consumer);

  /**
   * Whether a consumer has events in hand.
   *
   * @param consumer the consumer
   * @return as seen
   */
  boolean isAtWork(SequenceConsumer consumer);

  /**
   * How far a consumer, or its group, is.
   *
   * @param consumer the consumer
   * @return as seen
   */
  long progress(SequenceConsumer consumer);

  /**
   * How far a consumer, or its group, could be.
   *
   * @param consumer the consumer
   * @return as seen
   */
  long source(SequenceConsumer consumer);
}
