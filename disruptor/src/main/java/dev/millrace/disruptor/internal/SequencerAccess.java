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
   * Ends a sequencer and its consumers because one of these cannot go on; keeps the first failure.
   */
  void fail(Sequencer sequencer, Throwable failure);

  /** Why a sequencer was ended: the first failure, or null. */
  Throwable failure(Sequencer sequencer);

  /** Ends a sequencer and its consumers at once, whatever is still to come, but frees nothing. */
  void stop(Sequencer sequencer);

  /** Refuses waits for room of the threads in which the condition is true. */
  void refuseWaitsIf(Sequencer sequencer, BooleanSupplier condition);

  /** Makes a sequencer note the times of publications; called before the first claim. */
  void noteTimes(Sequencer sequencer, SampledTimes times);

  /**
   * Releases what was polled as slots that hold nothing; for a consumer that sees every event, in a
   * ring of many producers.
   */
  void discard(SequenceConsumer consumer);

  /** Whether a consumer has events in hand. */
  boolean isAtWork(SequenceConsumer consumer);

  /** How far a consumer, or its group, is. */
  long progress(SequenceConsumer consumer);

  /** How far a consumer, or its group, could be. */
  long source(SequenceConsumer consumer);
}
