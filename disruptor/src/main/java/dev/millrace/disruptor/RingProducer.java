package dev.millrace.disruptor;

import dev.millrace.core.internal.Cursor;
import dev.millrace.core.internal.RecordProducer;
import dev.millrace.core.internal.Stamps;
import dev.millrace.flyweight.internal.Checks;

/**
 * A producer of a {@link RecordRing}: the only one, or one of any number. Claims of an only
 * producer are wait-free, of others lock-free; commit and abort are wait-free.
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
    super(owner, owner.ring, words(owner.sequencer), owner.newView(), owner.sequencer.producers);
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
  @SuppressWarnings("unchecked") // the view was made for T
  public T tryClaim() {
    return claimUpTo(1) ? (T) view : null;
  }

  @Override
  public int tryClaim(int limit) {
    Checks.inRange("limit", limit, 1, Integer.MAX_VALUE);
    return claimUpTo(limit) ? (int) (own.end() - own.next()) : 0;
  }

  private boolean claimUpTo(int limit) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    if (own.end() != own.next()) {
      throw isOpen();
    }
    boolean isClaimed =
        single != null ? single.tryClaim(ring, limit) : multi.producing.tryClaim(own, limit);
    if (isClaimed) {
      view.moveTo(ring.recordOffset(own.next()));
    } else if (sequencer.isCompleted()) {
      throw owner.closed();
    }
    assert role.end(call);
    return isClaimed;
  }

  @Override
  protected boolean refuses(int count) {
    boolean isRefused = sequencer.refuses(count);
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
    if (!end(Stamps.COMMITTED)) {
      throw sequencer.givenUp();
    }
  }

  @Override
  public void abort() {
    boolean _ = end(Stamps.ABORTED); // or it was given up
  }

  private boolean end(long state) {
    long call = 0;
    assert (call = role.begin()) >= 0;
    long sequence = own.next();
    long end = own.end();
    if (end == sequence) {
      throw noneOpen();
    }
    view.leave();
    boolean isEnded = true;
    if (single == null) {
      own.next(end);
      sequencer.noteTime(sequence, end);
      // the view's own memory is what the JIT has just checked
      isEnded = multi.publish(view.memory(), sequence, (int) (end - sequence), state);
    } else if (state == Stamps.COMMITTED) {
      single.publish(end);
    } else {
      own.end(sequence); // taken back
    }
    assert role.end(call);
    sequencer.signalConsumers(); // also if aborted: producers may wait for the slots, see there
    return isEnded;
  }

  /** Aborts an open claim, if there is one. An only producer also completes the ring. */
  @Override
  public void close() {
    if (own.end() != own.next()) {
      abort();
    }
    if (single != null) {
      sequencer.complete();
    }
  }
}
