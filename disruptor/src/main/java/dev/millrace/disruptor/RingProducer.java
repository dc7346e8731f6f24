package dev.millrace.disruptor;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.RecordProducer;

/**
 * A producer of a {@link RecordRing}: the only one, or one of any number. Claims of a sole producer
 * are wait-free, those of others lock-free; commit and abort are wait-free. {@link #close} of a
 * sole producer also completes the ring.
 *
 * <p>{@link RingOptions#onFull()} determines what {@code claim} does while the ring is full; a
 * claim with a timeout waits that long, whatever is set there. In a ring with a stall limit a claim
 * may be given up while it is open: then {@link #commit} throws, and an abort changes nothing.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class RingProducer<T> extends RecordProducer<T> {
  /*
   * SingleProducerSequencer and MultiProducerSequencer describe the protocols; one of the fields
   * single and multi is null. Both are final classes, so each call is bound without a profile, and
   * choosing between them costs a branch that never changes.
   */
  private final RecordRing<T> owner;
  private final Sequencer sequencer;
  private final SingleProducerSequencer single;
  private final MultiProducerSequencer multi;

  RingProducer(RecordRing<T> owner) {
    super(
        owner,
        owner.ring,
        words(owner.sequencer),
        owner.newView(),
        owner.sequencer.producers,
        null);
    this.owner = owner;
    this.sequencer = owner.sequencer;
    this.single = sequencer instanceof SingleProducerSequencer one ? one : null;
    this.multi = sequencer instanceof MultiProducerSequencer many ? many : null;
  }

  /** An only producer uses its sequencer's cursor. */
  private static Cursor words(Sequencer sequencer) {
    return sequencer instanceof SingleProducerSequencer one ? one.own : new Cursor();
  }

  @Override
  public T tryClaim() {
    long call = beginClaim(own);
    return endClaim(call, claimUpTo(1));
  }

  @Override
  public int tryClaim(int limit) {
    long call = beginClaim(own, limit);
    return endClaimOfRun(own, call, claimUpTo(limit));
  }

  private long claimUpTo(int limit) {
    return single != null ? single.tryClaim(ring, limit) : multi.producing.tryClaim(own, limit);
  }

  @Override
  protected IllegalStateException alreadyCompleted() {
    return owner.closed();
  }

  @Override
  protected boolean tryRefuse(int count) {
    boolean isRefused = sequencer.tryRefuse(count);
    if (!isRefused) {
      sequencer.checkMayWait(1); // which is enough
    }
    return isRefused;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if no claim is open, or it was given up because it was open for
   *     longer than the stall limit; then the records are lost, and no claim is open any more
   */
  @Override
  public void commit() {
    long call = beginEnd(own);
    boolean isPublished = true;
    if (single != null) {
      single.publish(own.end());
    } else {
      sequencer.noteTime(own.next(), own.end());
      isPublished = multi.producing.commit(ring, own);
    }
    sequencer.signalConsumers();
    endCommit(call, isPublished);
  }

  @Override
  public void abort() {
    long call = beginEnd(own);
    if (single != null) {
      single.abort();
    } else {
      sequencer.noteTime(own.next(), own.end());
      multi.producing.abort(ring, own);
      sequencer.signalConsumers(); // they pass the slots, for which producers may wait
    }
    endAbort(call);
  }

  @Override
  protected void completeOwn() {
    if (single != null) {
      sequencer.complete();
    }
  }
}
