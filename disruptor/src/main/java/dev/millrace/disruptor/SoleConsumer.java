package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.ring.Stamps;
import dev.millrace.disruptor.ConsumerGraph.Group;

/** A consumer that sees every event. */
final class SoleConsumer extends SequenceConsumer {
  /*
   * Fields:
   *
   *   field      writer    write mode   read by
   *   position   consumer  release      consumers behind, producers: acquire
   *   own.next   consumer  plain        consumer: plain
   *   own.end    consumer  opaque       consumer: plain; samplers: opaque
   *   own.limit  consumer  plain        consumer: plain
   *
   * The consumer keeps a copy of its position in own.next, as the producer does of published.
   *
   * Invariant: position = own.next <= own.end, and own.end > own.next only between poll and
   * release.
   *
   * A  position.setRelease in            ->  head.getAcquire in Gate.slowest  the events were
   *    publishRelease                                                          handled
   */
  private final Sequence position;

  SoleConsumer(Sequencer sequencer, Group group) {
    super(sequencer, group);
    this.position = group.progress[0];
  }

  @Override
  int take(int limit) {
    long sequence = own.next();
    int ready = ready(sequence, limit);
    while (ready < 0) {
      sequence = pass(sequence, ready);
      ready = ready(sequence, limit);
    }
    if (ready > 0) {
      own.end(sequence + ready);
    }
    return ready;
  }

  /** Moves past slots that hold no event. */
  private long pass(long sequence, int ready) {
    if (ready == Stamps.LOOK_AGAIN) {
      return sequence;
    }
    long end = sequence - ready;
    own.end(end);
    own.next(end);
    publishRelease(end);
    signalBehind();
    return end;
  }

  @Override
  long taken() {
    return own.next();
  }

  @Override
  void publishRelease(long end) {
    position.setRelease(end); // release A: the handling of the events
  }

  /**
   * Releases the polled events as slots without events, so that no consumer behind sees them. Only
   * rings with many producers support it.
   */
  void discard() {
    long sequence = own.next();
    ((MultiProducerSequencer) sequencer).discard(sequence, (int) (own.end() - sequence));
    release();
  }

  @Override
  boolean isAtWork() {
    return own.endSeen() > position.getOpaque(); // opaque: an estimate
  }
}
