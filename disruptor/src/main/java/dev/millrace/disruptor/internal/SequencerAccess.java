package dev.millrace.disruptor.internal;

import dev.millrace.core.internal.SharedSecret;
import dev.millrace.disruptor.SequenceConsumer;
import dev.millrace.disruptor.Sequencer;
import java.util.function.BooleanSupplier;

/** Lets the proofs do with a {@link Sequencer} what pipelines can do but users cannot. */
public interface SequencerAccess {
  /** Shared by {@link Sequencer}. */
  SharedSecret<SequencerAccess> SECRET = new SharedSecret<>(Sequencer.class);

  /**
   * Ends a sequencer and its consumers because a consumer cannot continue. Keeps the first failure.
   */
  void fail(Sequencer sequencer, Throwable failure);

  /** Returns the first failure for which a sequencer was ended, or null. */
  Throwable failure(Sequencer sequencer);

  /**
   * Ends a sequencer and its consumers at once, whatever events are still to come, but frees
   * nothing.
   */
  void stop(Sequencer sequencer);

  /** Refuses to let threads wait for room if {@code condition} is true in them. */
  void refuseWaitsIf(Sequencer sequencer, BooleanSupplier condition);

  /**
   * Makes a sequencer note the times of publications in {@code times}. Must be called before the
   * first claim.
   */
  void noteTimes(Sequencer sequencer, SampledTimes times);

  /**
   * Releases the polled slots as slots that hold nothing. The consumer must be one that sees every
   * event, in a ring with many producers.
   */
  void discard(SequenceConsumer consumer);

  /** Returns whether a consumer has events in hand. */
  boolean isAtWork(SequenceConsumer consumer);

  /** Returns how far a consumer, or its group, is. */
  long progress(SequenceConsumer consumer);

  /** Returns how far a consumer, or its group, could be. */
  long source(SequenceConsumer consumer);
}
