package dev.millrace.disruptor;

import dev.millrace.core.Sequence;
import dev.millrace.core.internal.Claims;

/** The place of a consumer that sees every event. */
final class SoleBarrier extends Barrier {
  /*
   * Who writes what:
   *
   *   field      writer    write mode   read by
   *   position   consumer  release      consumers behind, producers: acquire
   *   handled    consumer  plain        consumer: plain
   *   polled     consumer  opaque       consumer: plain; samplers: opaque
   *
   * The consumer reads back its position from a copy, as the producer does what it has published.
   *
   * Invariant: position = handled <= polled, and polled > handled only between poll and release.
   *
   * A  position.setRelease in release, pass  ->  head.getAcquire in Gate.slowest  that the consumer
   *                                                                               is through
   */
  private final Sequence position;
  private final Sequence handled = new Sequence();
  private final Sequence polled = new Sequence();

  SoleBarrier(Sequencer sequencer, Sequence[] upstream, Group group) {
    super(sequencer, upstream, group);
    this.position = group.progress[0];
  }

  @Override
  public int tryPoll(int limit) {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    checkLimit(limit);
    long sequence = handled.getPlain(); // plain: only the consumer uses it
    if (polled.getPlain() != sequence) { // plain: only the consumer writes it
      throw notReleased();
    }
    int count = sequencer.isAbandoned() ? Sequencer.CLOSED : look(sequence, limit);
    assert consumer.end(call);
    return count;
  }

  private int look(long from, int limit) {
    long sequence = from;
    int ready = ready(sequence, limit);
    while (ready < 0) {
      sequence = pass(sequence, ready);
      ready = ready(sequence, limit);
    }
    if (ready > 0) {
      polled.setOpaque(sequence + ready); // opaque: for samplers
      return ready;
    }
    return sequencer.isEnd(sequence) ? Sequencer.CLOSED : 0;
  }

  /** Moves past slots that hold no event. */
  private long pass(long sequence, int ready) {
    if (ready == Claims.LOOK_AGAIN) {
      return sequence;
    }
    long end = sequence - ready;
    polled.setOpaque(end); // opaque: for samplers
    handled.setPlain(end); // plain: only the consumer uses it
    position.setRelease(end); // release A: what was seen of the slots
    signalBehind();
    return end;
  }

  @Override
  public long sequence() {
    return handled.getPlain(); // plain: only the consumer uses it
  }

  @Override
  public void release() {
    long call = 0;
    assert (call = consumer.begin()) >= 0;
    long end = polled.getPlain(); // plain: only the consumer writes it
    if (end == handled.getPlain()) { // plain: only the consumer writes it
      throw nonePolled();
    }
    handled.setPlain(end); // plain: only the consumer uses it
    position.setRelease(end); // release A: what was done with the events
    assert consumer.end(call);
    signalBehind();
  }

  /** Releases the events that were polled as slots that hold none, so that nobody sees them. */
  void discard() {
    long sequence = handled.getPlain(); // plain: only the consumer uses it
    sequencer.discard(sequence, (int) (polled.getPlain() - sequence)); // plain: the same
    release();
  }

  @Override
  boolean isAtWork() {
    return polled.getOpaque() > position.getOpaque(); // opaque: an estimate
  }
}
