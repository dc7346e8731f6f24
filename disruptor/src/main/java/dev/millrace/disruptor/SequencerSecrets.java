package dev.millrace.disruptor;

import dev.millrace.disruptor.internal.SampledTimes;
import dev.millrace.disruptor.internal.SequencerAccess;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Gives the proofs access to package-private members of {@link Sequencer} and its consumers. */
final class SequencerSecrets implements SequencerAccess {
  @Override
  public void fail(Sequencer sequencer, Throwable failure) {
    sequencer.fail(failure);
  }

  @Override
  public @Nullable Throwable failure(Sequencer sequencer) {
    return sequencer.failure();
  }

  @Override
  public void stop(Sequencer sequencer) {
    sequencer.stop();
  }

  @Override
  public void refuseWaitsIf(Sequencer sequencer, BooleanSupplier condition) {
    sequencer.refuseWaitsIf(condition);
  }

  @Override
  public void noteTimes(Sequencer sequencer, SampledTimes times) {
    sequencer.noteTimes(times);
  }

  @Override
  public void discard(SequenceConsumer consumer) {
    ((SoleConsumer) consumer).discard();
  }

  @Override
  public boolean isAtWork(SequenceConsumer consumer) {
    return consumer.isAtWork();
  }

  @Override
  public long progress(SequenceConsumer consumer) {
    return consumer.progress();
  }

  @Override
  public long source(SequenceConsumer consumer) {
    return consumer.source();
  }
}
