package dev.millrace.disruptor;

import dev.millrace.core.internal.ring.Cursor;
import dev.millrace.core.internal.ring.RecordProducer;
import org.jspecify.annotations.Nullable;

/**
 * A producer of a {@link RecordRing}. A ring has either one producer or any number of them. Claims
 * of a sole producer are wait-free, and claims of other producers are lock-free. Commit and abort
 * are wait-free. Closing a sole producer also completes the ring.
 *
 * <p>{@link RingOptions#onFull()} determines what {@code claim} does while the ring is full. A
 * claim with a timeout ignores this option and waits for up to the timeout. In a ring with a stall
 * limit, consumers may give up a claim that stays open for too long. For a claim that was given up,
 * {@link #commit} throws, and {@link #abort} only lets the ring use the claim's slots again.
 *
 * @param <T> the view of a record
 * @since 0.1.0
 */
@SuppressWarnings("exports") // what it inherits is declared in Producer
public final class RingProducer<T> extends RecordProducer<T> {
  /*
   * SingleProducerSequencer and MultiProducerSequencer describe the protocols. One of the fields
   * single and multi is null. Both are of final classes, so the JIT binds each call without a
   * profile, and choosing between them costs a branch that always goes the same way.
   */
  private final RecordRing<T> owner;
  private final Sequencer sequencer;
  private final SingleProducerSequencer single;
  private final MultiProducerSequencer multi;

  @SuppressWarnings("NullAway") // one of single and multi stays null
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

  /** Returns the cursor to use, which is the sequencer's own for a sole producer. */
  private static Cursor words(Sequencer sequencer) {
    return sequencer instanceof SingleProducerSequencer one ? one.own : new Cursor();
  }

  @Override
  public @Nullable T tryClaim() {
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
      sequencer.checkMayWait(1); // a run needs only one free slot
    }
    return isRefused;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if no claim is open, or if the claim was given up because it was
   *     open for longer than the stall limit. If the claim was given up, its records are lost, and
   *     no claim is open afterwards
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
      sequencer.signalConsumers(); // consumers pass the slots, which producers may wait for
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
